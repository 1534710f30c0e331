package programs

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed *.go
var files embed.FS

//go:embed python.txtar
var python []byte

// A Text is the source text of a program in two parts: the declarations, and the code that runs the program.
type Text struct{ Declare, Run string }

// Go returns the source of a program, to be run at size n. In the result, the field named Run is code that prints the
// checksum. If atCell is false, this code calls the program's function. If atCell is true, the code contains the body
// of that function, so that the function's variables become session variables.
func Go(name string, n int, atCell bool) (Text, error) {
	source, err := goText(name)
	if err != nil {
		return Text{}, err
	}
	// The program's function is the last.
	i := strings.LastIndex(source, "\nfunc ") + len("\nfunc ")
	function, _, _ := strings.Cut(source[i:], "(")
	if !atCell {
		return Text{source, fmt.Sprintf("fmt.Println(%s(%d))", function, n)}, nil
	}
	t, err := opened(source, "func "+function+"(n int) ", "\n}\n", "\t")
	if err != nil {
		return Text{}, fmt.Errorf("%s: %w", name, err)
	}
	// Drop the function's comment, because the function itself is gone.
	if i := strings.LastIndex(t.Declare, "// "+function+" "); i >= 0 {
		t.Declare = t.Declare[:i]
	}
	t.Run = fmt.Sprintf("n := %d\n", n) + strings.Replace(t.Run, "\nreturn ", "\nfmt.Println(", 1) + ")"
	return t, nil
}

var imported = regexp.MustCompile(`(?m)^\t"(\S+)"$`)

// goText returns the part of a file that belongs to a program, with the imports that the part uses.
func goText(name string) (string, error) {
	list, err := files.ReadDir(".")
	if err != nil {
		return "", err
	}
	for _, f := range list {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			return "", err
		}
		before, source, found := strings.Cut(string(text), "\n//program:"+name+"\n")
		if !found {
			continue
		}
		source, _, _ = strings.Cut(source, "\n//program:")
		before, _, _ = strings.Cut(before, "\n//program:")
		imports := ""
		for _, m := range imported.FindAllStringSubmatch(before, -1) {
			if regexp.MustCompile(`\b` + path.Base(m[1]) + `\.[A-Z]`).MatchString(source) {
				imports += fmt.Sprintf("import %q\n", m[1])
			}
		}
		return imports + source, nil
	}
	return "", fmt.Errorf("there is no program %q", name)
}

// Python returns the source of a program's Python version. The parameters have the same meaning as those of Go. The
// field Run of the returned Text does not print the checksum, but assigns it to the variable result.
func Python(name string, n int, atCell bool) (Text, error) {
	source, ok := pythonText(name)
	if !ok {
		return Text{}, fmt.Errorf("%s has no Python version", name)
	}
	if !atCell {
		return Text{source, fmt.Sprintf("result = run(%d)", n)}, nil
	}
	t, err := opened(source, "def run(n):", "", "    ")
	if err != nil {
		return Text{}, fmt.Errorf("%s.py: %w", name, err)
	}
	var lines []string
	for line := range strings.Lines(t.Run) {
		if !strings.HasPrefix(line, "global ") { // in a cell all variables are global
			lines = append(lines, line)
		}
	}
	t.Run = fmt.Sprintf("n = %d\n", n) + strings.Replace(strings.Join(lines, ""), "\nreturn ", "\nresult = ", 1)
	return t, nil
}

// HasPython reports whether a program has a Python version.
func HasPython(name string) bool {
	_, ok := pythonText(name)
	return ok
}

func pythonText(name string) (text string, ok bool) {
	for _, f := range txtar.Parse(python).Files {
		if f.Name == name+".py" {
			return string(f.Data), true
		}
	}
	return "", false
}

// opened splits the source at the function that begins with the text in head. In the result, Declare is the part before
// the function, and Run is the function's body with one indent removed from each line. The body ends where the text in
// end begins or, if end is "", where the source ends.
func opened(source, head, end, indent string) (Text, error) {
	before, function, found := strings.Cut(source, head)
	_, body, block := strings.Cut(function, "\n")
	if end != "" {
		body, _, block = strings.Cut(body, end)
	}
	if !found || !block {
		return Text{}, fmt.Errorf("no %q whose body has lines of its own", head)
	}
	var lines []string
	for line := range strings.Lines(body) {
		lines = append(lines, strings.TrimPrefix(line, indent))
	}
	return Text{before, strings.TrimRight(strings.Join(lines, ""), "\n")}, nil
}
