package reach

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var buildLine = regexp.MustCompile(`(?m)^//go:build\s+(.*)$`)

// constraint returns the expression of the //go:build line in head, the text before a package clause. It returns "" if
// there is no such line.
func constraint(head []byte) string {
	m := buildLine.FindSubmatch(head)
	if m == nil {
		return ""
	}
	return strings.Join(strings.Fields(string(m[1])), " ")
}

// directives returns the //go: comments in src[from:to] that affect compilation, except
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
			continue // the text is inside a comment or a string
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

// A qualifiedName is a name in a package: path is the package's path, name is "name" or "Type.method".
type qualifiedName struct{ path, name string }

var linkLine = regexp.MustCompile(`(?m)^//go:linkname[ \t]+(\S+)(?:[ \t]+(\S+))?`)

// linknames records the //go:linkname directives of a file. Each directive links a local name to a symbol of
// another package.
func (c *Code) linknames(fo *folder, src []byte) {
	if !bytes.Contains(src, []byte("//go:linkname")) {
		return
	}
	for _, m := range linkLine.FindAllSubmatch(src, -1) {
		local, symbol := string(m[1]), string(m[2])
		slash := strings.LastIndexByte(symbol, '/') + 1
		last, name, _ := strings.Cut(symbol[slash:], ".")
		target := qualifiedName{symbol[:slash] + last, strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)}
		fo.links[local] = append(fo.links[local], target)
		c.linked[target] = append(c.linked[target], qualifiedName{fo.path, local})
	}
}

// An assembly is an assembler file, or a header that an assembler file may include.
type assembly struct {
	name string
	src  []byte
	sum  string // computed on demand
}

// words returns the Go names to which an assembler file may refer. The path of each name is that of its package, or ""
// for the file's own package. A file refers to the function f as ·f or path∕pkg·f, and to the type or constant T as
// T_field, T__size or const_T, the spellings in the compiler's go_asm.h.
func (a *assembly) words() map[qualifiedName]bool {
	names := map[qualifiedName]bool{}
	for word := range strings.FieldsFuncSeq(string(a.src), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_∕·.", r)
	}) {
		if pkg, name, ok := strings.Cut(word, "·"); ok {
			names[qualifiedName{strings.ReplaceAll(pkg, "∕", "/"), name}] = true
			continue
		}
		word = strings.TrimPrefix(word, "const_")
		for i := range len(word) {
			if word[i] == '_' {
				names[qualifiedName{"", word[:i]}] = true
			}
		}
		names[qualifiedName{"", word}] = true
	}
	return names
}

func (a *assembly) hash() string {
	if a.sum == "" {
		a.sum = digest(string(a.src))
	}
	return a.sum
}

// embeddedFiles returns the paths, within tree, of the files that match the //go:embed patterns in the given
// directives. The patterns are relative to the folder dir.
func embeddedFiles(tree fs.FS, dir string, directives []string) ([]string, error) {
	var names []string
	for _, line := range directives {
		list, ok := strings.CutPrefix(line, "//go:embed")
		if !ok {
			continue
		}
		sub, err := fs.Sub(tree, dir)
		if err != nil {
			return nil, err
		}
		for _, pattern := range patterns(list) {
			pattern, hidden := strings.CutPrefix(pattern, "all:")
			matches, err := fs.Glob(sub, pattern)
			if err != nil {
				return nil, err
			}
			for _, m := range matches {
				err := fs.WalkDir(sub, m, func(name string, d fs.DirEntry, err error) error {
					switch {
					case err != nil:
						return err
					case name != m && !hidden && (d.Name()[0] == '.' || d.Name()[0] == '_'):
						if d.IsDir() {
							return fs.SkipDir
						}
					case !d.IsDir():
						names = append(names, path.Join(dir, name))
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

// patterns returns the patterns in list, the text after //go:embed on a line. A pattern may be quoted.
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
