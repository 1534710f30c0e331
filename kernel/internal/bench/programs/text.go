package programs

import (
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Text is the source text of a program in two parts: the declarations, and the code that runs the program.
type Text struct{ Declare, Run string }

// Go returns the source of the program in the given folder, to be run at size n. In the result, the field named Run is
// code that prints the checksum. If atCell is false, this code calls the program's function Run. If atCell is true, the
// code contains the body of that function, so that the function's variables become session variables.
func Go(folder string, n int, atCell bool) (Text, error) {
	text, err := files.ReadFile(folder + "/" + folder + ".go")
	if err != nil {
		return Text{}, err
	}
	_, source, _ := strings.Cut(string(text), "\npackage "+folder+"\n")
	if !atCell {
		return Text{source, fmt.Sprintf("fmt.Println(Run(%d))", n)}, nil
	}
	t, err := opened(source, "func Run(n int) ", "\n}\n", "\t")
	if err != nil {
		return Text{}, fmt.Errorf("%s.go: %w", folder, err)
	}
	// Drop Run's comment, because Run itself is gone.
	if i := strings.LastIndex(t.Declare, "// Run "); i >= 0 {
		t.Declare = t.Declare[:i]
	}
	t.Run = fmt.Sprintf("n := %d\n", n) + strings.Replace(t.Run, "\nreturn ", "\nfmt.Println(", 1) + ")"
	return t, nil
}

// Python returns the source of a program's Python version. The parameters have the same meaning as those of Go. The
// field Run of the returned Text does not print the checksum, but assigns it to the variable result.
func Python(folder string, n int, atCell bool) (Text, error) {
	source, ok := pythonText(folder)
	if !ok {
		return Text{}, fmt.Errorf("%s has no Python version", folder)
	}
	if !atCell {
		return Text{source, fmt.Sprintf("result = run(%d)", n)}, nil
	}
	t, err := opened(source, "def run(n):", "", "    ")
	if err != nil {
		return Text{}, fmt.Errorf("%s.py: %w", folder, err)
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
func HasPython(folder string) bool {
	_, ok := pythonText(folder)
	return ok
}

func pythonText(folder string) (text string, ok bool) {
	for _, f := range txtar.Parse(python).Files {
		if f.Name == folder+".py" {
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
