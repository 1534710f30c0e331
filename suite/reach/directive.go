package reach

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var buildLine = regexp.MustCompile(`(?m)^//go:build\s+(.*)$`)

// constraint returns the //go:build line of the text before a package clause.
func constraint(head []byte) string {
	m := buildLine.FindSubmatch(head)
	if m == nil {
		return ""
	}
	return strings.Join(strings.Fields(string(m[1])), " ")
}

// directives returns the //go: comments in src[from:to] that change what is compiled, except
// //go:linkname, which may be anywhere in the file (see linknames).
func directives(src []byte, from, to int) []string {
	var found []string
	for from < to {
		i := bytes.Index(src[from:to], []byte("//go:"))
		if i < 0 {
			break
		}
		at := from + i
		from = at + len("//go:")
		begin := bytes.LastIndexByte(src[:at], '\n') + 1
		if len(bytes.TrimSpace(src[begin:at])) > 0 {
			continue // a comment mentions it, or a string contains it
		}
		line, _, _ := bytes.Cut(src[at:to], []byte("\n"))
		switch word, _, _ := bytes.Cut(line, []byte(" ")); string(word) {
		case "//go:generate", "//go:build", "//go:linkname":
			continue
		}
		found = append(found, strings.TrimSpace(string(line)))
	}
	return found
}

// A link is a //go:linkname directive: the local name is another package's symbol.
type link struct {
	file   *file
	local  string
	path   string // of the target's package
	target string // "name" or "Type.method"
}

var linkLine = regexp.MustCompile(`(?m)^//go:linkname[ \t]+(\S+)(?:[ \t]+(\S+))?`)

func linknames(f *file) []link {
	if !bytes.Contains(f.src, []byte("//go:linkname")) {
		return nil
	}
	var links []link
	for _, m := range linkLine.FindAllSubmatch(f.src, -1) {
		l := link{file: f, local: string(m[1])}
		symbol := string(m[2])
		slash := strings.LastIndexByte(symbol, '/') + 1
		last, name, _ := strings.Cut(symbol[slash:], ".")
		l.path = symbol[:slash] + last
		l.target = strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
		links = append(links, l)
	}
	return links
}

// An assembly is an assembler file, or a header that one may include.
type assembly struct {
	name  string
	src   []byte
	names []qualified // computed on demand
	sum   string      // computed on demand
}

var assemblerWord = regexp.MustCompile(`[\pL\pN_∕·.]+`)

// words returns the Go names that an assembler file may refer to, each with the path of a package,
// "" for its own: f in ·f, pkg.f in path∕pkg·f, and T in T_field, T__size, const_T, as the
// compiler's go_asm.h spells them.
func (a *assembly) words() []qualified {
	if a.names != nil {
		return a.names
	}
	names := map[qualified]bool{}
	for _, word := range assemblerWord.FindAllString(string(a.src), -1) {
		if pkg, name, ok := strings.Cut(word, "·"); ok {
			names[qualified{strings.ReplaceAll(pkg, "∕", "/"), name}] = true
			continue
		}
		word = strings.TrimPrefix(word, "const_")
		for i := range len(word) {
			if word[i] == '_' {
				names[qualified{"", word[:i]}] = true
			}
		}
		names[qualified{"", word}] = true
	}
	a.names = slices.Collect(maps.Keys(names))
	return a.names
}

func (a *assembly) hash() string {
	if a.sum == "" {
		a.sum = digest(string(a.src))
	}
	return a.sum
}

// A qualified is a name in a package.
type qualified struct{ path, name string }

// embedded returns the files of the tree that match the //go:embed patterns of a declaration in
// dir.
func embedded(tree fs.FS, dir string, directives []string) ([]string, error) {
	var names []string
	for _, line := range directives {
		list, ok := strings.CutPrefix(line, "//go:embed")
		if !ok {
			continue
		}
		for _, pattern := range patterns(list) {
			pattern, hidden := strings.CutPrefix(pattern, "all:")
			matches, err := fs.Glob(tree, path.Join(escape(dir), pattern))
			if err != nil {
				return nil, err
			}
			for _, m := range matches {
				err := fs.WalkDir(tree, m, func(name string, d fs.DirEntry, err error) error {
					if err != nil {
						return err
					}
					if b := d.Name(); name != m && !hidden && (b[0] == '.' || b[0] == '_') {
						if d.IsDir() {
							return fs.SkipDir
						}
						return nil
					}
					if !d.IsDir() {
						names = append(names, name)
					}
					return nil
				})
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return names, nil
}

// patterns returns the words of an embed line, some of which may be quoted.
func patterns(list string) []string {
	var all []string
	for list = strings.TrimSpace(list); list != ""; list = strings.TrimSpace(list) {
		if quoted, err := strconv.QuotedPrefix(list); err == nil {
			s, _ := strconv.Unquote(quoted)
			all = append(all, s)
			list = list[len(quoted):]
			continue
		}
		end := strings.IndexAny(list, " \t")
		if end < 0 {
			end = len(list)
		}
		all = append(all, list[:end])
		list = list[end:]
	}
	return all
}

// escape returns a pattern that matches only the folder's name.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
