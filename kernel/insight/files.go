package insight

import (
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/magic"
)

// The kinds of completions other than Go names.
const (
	kindPath = "path"
	kindEnv  = "environment"
)

// maxFiles is the largest number of entries of a folder that are offered.
const maxFiles = 500

// argument returns the completions at the cursor for an argument of a command. The kind of completions depends on the
// command. ok is false if the cursor is not in a command.
func (in *Insight) argument(code string, cursor int) (list []candidate, prefix string, start, end int, ok bool) {
	kinds := in.current().kinds
	isVar := func(name string) bool { return kinds[name] == kindVariable }
	c, ok := magic.At(code, cursor, isVar)
	if !ok {
		// The cursor may be in the rest of a cell with a command that does not take Go.
		whole, ok := magic.Whole(code)
		if !ok {
			return nil, "", 0, 0, false
		}
		info, _ := magic.Find(whole.Name)
		return nil, "", cursor, cursor, !info.Code && cursor > whole.Start+len(whole.Name)
	}
	from := c.Start + len(c.Name)
	if cursor < from {
		return nil, "", cursor, cursor, true
	}
	typed := code[from:cursor]
	word := func(separators string) string { return typed[strings.LastIndexAny(typed, separators)+1:] }
	switch c.Name {
	case "$":
		w := lastWord(typed)
		if i := strings.LastIndexByte(w, '$'); i >= 0 && !strings.Contains(w[i:], "/") {
			name := strings.TrimPrefix(w[i+1:], "{")
			return environment(), name, cursor - len(name), endOfWord(code, cursor), true
		}
		quoted := ""
		if strings.HasPrefix(w, `"`) || strings.HasPrefix(w, "'") {
			quoted, w = w[:1], w[1:]
		}
		list, prefix = files(unescaped(w), false)
		for i := range list {
			if list[i].match = list[i].text; quoted == "" {
				list[i].text = escaped(list[i].text)
			}
		}
		return list, prefix, cursor - len(w[lastSlash(w)+1:]), cursor, true
	case "%cd", "%%writefile":
		w := strings.TrimLeft(typed, " \t")
		if c.Name == "%%writefile" {
			w = strings.TrimLeft(strings.TrimPrefix(w, "-a"), " \t")
		}
		w = strings.TrimLeft(w, `"'`)
		list, prefix = files(w, c.Name == "%cd")
		return list, prefix, cursor - len(prefix), cursor, true
	case "%env":
		w := strings.TrimLeft(typed, " \t")
		if strings.ContainsAny(w, "= \t") {
			return nil, "", cursor, cursor, true // the cursor is in the variable's value
		}
		return environment(), w, cursor - len(w), endOfWord(code, cursor), true
	case "%get":
		list, prefix = in.available.versionOf(word(" \t"))
		return list, prefix, cursor - len(prefix), cursor, true
	case "%mod":
		var local []string
		for _, s := range in.lib.local {
			if in.lib.source[s.Path].loaded {
				local = append(local, s.Path)
			}
		}
		list, prefix = in.available.modArgument(typed, local)
		return list, prefix, cursor - len(prefix), cursor, true
	case "%who", "%reset", "%params":
		w := word(" \t,")
		if strings.Contains(w, "=") {
			return nil, "", cursor, cursor, true
		}
		for name, kind := range kinds {
			if kind == kindVariable && !strings.Contains(name, "__") {
				list = append(list, candidate{text: name, kind: kind})
			}
		}
		return list, w, cursor - len(w), endOfWord(code, cursor), true
	}
	return nil, "", cursor, cursor, true
}

// lastWord returns the last word of a shell line.
func lastWord(line string) string {
	begin, quote := 0, byte(0)
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '\\':
			i++
		case b == '"' || b == '\'':
			quote = b
		case strings.IndexByte(" \t\n;|&<>()=`", b) >= 0:
			begin = i + 1
		}
	}
	return line[begin:]
}

// special lists the characters with a special meaning in the shell.
const special = " \t\"'`$&|;<>()*?[]{}#!\\"

func escaped(name string) string {
	if runtime.GOOS == "windows" {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unescaped(word string) string {
	if runtime.GOOS == "windows" {
		return word
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] == '\\' && i+1 < len(word) {
			i++
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

// lastSlash returns the index of the slash before the last element of a path, or -1 if there is none.
func lastSlash(path string) int {
	i := strings.LastIndexByte(path, '/')
	if runtime.GOOS == "windows" {
		i = max(i, strings.LastIndexByte(path, '\\'))
	}
	return i
}

// files returns completions for the typed beginning of a path. They are the entries of the path's folder whose names
// begin with the last element of what was typed, ignoring case. prefix is this last element. Names of folders end with
// a slash. Hidden entries are offered only if their dot has been typed.
func files(typed string, foldersOnly bool) (list []candidate, prefix string) {
	cut := lastSlash(typed) + 1
	dir, prefix := typed[:cut], typed[cut:]
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, prefix
		}
		dir = filepath.Join(home, rest)
	}
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, prefix
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") != strings.HasPrefix(prefix, ".") || strings.ContainsAny(name, "\n\r") {
			continue
		}
		if how, _ := match(name, prefix); how == notAtAll || how == byHumps {
			continue
		}
		folder := e.IsDir()
		if e.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, name))
			folder = err == nil && info.IsDir()
		}
		if foldersOnly && !folder {
			continue
		}
		if folder {
			name += "/"
		}
		if list = append(list, candidate{text: name, kind: kindPath}); len(list) == maxFiles {
			break
		}
	}
	return list, prefix
}

// environment returns the names of the environment variables.
func environment() (list []candidate) {
	for _, e := range os.Environ() {
		if name, _, ok := strings.Cut(e, "="); ok && name != "" {
			list = append(list, candidate{text: name, kind: kindEnv})
		}
	}
	return list
}

// takesPath lists, by package, the functions whose first argument is the name of a file or folder.
var takesPath = map[string][]string{
	"os": {"Open", "OpenFile", "Create", "ReadFile", "WriteFile", "ReadDir", "Stat", "Lstat", "Chdir", "Chmod", "Chtimes", "Mkdir", "MkdirAll", "Remove", "RemoveAll",
		"Rename", "Truncate", "DirFS", "Readlink"},
	"ioutil":   {"ReadFile", "WriteFile", "ReadDir"},
	"filepath": {"Glob", "Walk", "WalkDir", "Abs", "EvalSymlinks"},
	"zip":      {"OpenReader"},
}

// inPath completes the path in a string literal that is the first argument of a function in takesPath, such as os.Open.
// ok is false if the cursor is not in such a literal.
func inPath(src string, cursor int) (list []candidate, prefix string, start, end int, ok bool) {
	toks := lex(src, false)
	i := slices.IndexFunc(toks, func(t lexeme) bool {
		return t.tok == token.STRING && t.off < cursor && (cursor < t.end || cursor == t.end && openString(t))
	})
	if i < 4 || toks[i-1].tok != token.LPAREN || toks[i-2].tok != token.IDENT || toks[i-3].tok != token.PERIOD || toks[i-4].tok != token.IDENT ||
		!slices.Contains(takesPath[toks[i-4].lit], toks[i-2].lit) {
		return nil, "", 0, 0, false
	}
	typed, raw := src[toks[i].off+1:cursor], toks[i].lit[0] == '`'
	path := typed
	if !raw {
		var err error
		if path, err = strconv.Unquote(`"` + typed + `"`); err != nil {
			return nil, "", cursor, cursor, true
		}
	}
	list, prefix = files(path, false)
	// The bounds of the replaced text are offsets in the source, where characters may be escaped.
	start = cursor - len(typed[strings.LastIndexByte(typed, '/')+1:])
	for k := range list {
		if list[k].match = list[k].text; !raw {
			q := strconv.Quote(list[k].text)
			list[k].text = q[1 : len(q)-1]
		}
	}
	return list, prefix, start, cursor, true
}
