package magic

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outline returns the pieces of a cell as text, without blanks.
func outline(pieces []Piece) string {
	var parts []string
	for _, p := range pieces {
		text := strings.Join(strings.Fields(p.Go), " ")
		if c := p.Command; c != nil {
			text = fmt.Sprintf("<%s|%s|%s|%s>@%d:%d", c.Name, c.Args, text, strings.Join(strings.Fields(c.Body), " "), c.Line, c.Col)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ; ")
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"x := 1", "x := 1"},
		{"", ""},
		{"%who", "<%who|||>@1:1"},
		{"\n  %who a* b\n", "<%who|a* b||>@2:3"},
		{"x := 1\n%who\ny := 2", "x := 1 ; <%who|||>@2:1 ; y := 2"},
		{"%cd /usr\n%env A=b c\nf()", "<%cd|/usr||>@1:1 ; <%env|A=b c||>@2:1 ; f()"},
		{"%time f(x)", "<%time||f(x)|>@1:1"},
		{"%timeit -n 10 -r3 f(x)", "<%timeit|-n 10 -r3|f(x)|>@1:1"},
		{"%time sort.Slice(a, func(i, j int) bool {\n\treturn a[i] < a[j]\n})\nb", "<%time||sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })|>@1:1 ; b"},
		{"%time f() // as it is\ng()", "<%time||f() // as it is|>@1:1 ; g()"},
		{"%%time\nx := 1\n%who", "<%%time||x := 1 %who|x := 1 %who>@1:1"},
		{"%%writefile -a a b.txt\n%who\n'", "<%%writefile|-a a b.txt||%who '>@1:1"},
		{"%go111module on\r\nx", "<%go111module|on||>@1:1 ; x"},
		// GoNB's line before the statements of main
		{"func f() {}\n\n%%\nf()", "func f() {} ; <%%|||>@3:1 ; f()"},
		{"%% -n 3\nf()", "<%%|-n 3||>@1:1 ; f()"},
		{"%main\nf()", "<%%|||>@1:1 ; f()"},
		// shell lines, whose text is not scanned as Go
		{"$ls -l", "<$|ls -l||>@1:1"},
		{"$ echo `date` 'it'\"'\"'s'\nx", "<$|echo `date` 'it'\"'\"'s'||>@1:1 ; x"},
		{"!ls -l\n! ls\n!./run.sh", "<$|ls -l||>@1:1 ; <$|ls||>@2:1 ; <$|./run.sh||>@3:1"},
		{"$ echo a \\\n  b\nx", "<$|echo a \\\n  b||>@1:1 ; x"},
		// Go that begins with !
		{"!ok", "!ok"}, {"ready := true\n!ready", "ready := true !ready"}, {"!true", "!true"},
		{"!(a && b)", "!(a && b)"}, {"!f(x)", "!f(x)"}, {"!!ok", "!!ok"},
		{"!strings.HasPrefix(a, b)", "!strings.HasPrefix(a, b)"}, {"!a[3]", "!a[3]"},
		// no commands
		{"x := (7\n% 3)", "x := (7 % 3)"},
		{"x := 7 +\n%who", "x := 7 + %who"},
		{"x := `\n%who\n$ ls\n`", "x := ` %who $ ls `"},
		{"/*\n%who\n*/\nx", "/* %who */ x"},
		{"// %who\nx", "// %who x"},
		{"x := 7; %who", "x := 7; %who"},
		{"func f() {\n%who\n}", "func f() { %who }"},
		{"fmt.Printf(`%d\n`,\n\t7 %\n\t3)", "fmt.Printf(`%d `, 7 % 3)"},
		{"x := 7 %\n3\n%who", "x := 7 % 3 ; <%who|||>@3:1"},
	} {
		pieces, err := Parse(test.src, func(n string) bool { return n == "ok" })
		if err != nil {
			t.Errorf("%q: %v", test.src, err)
			continue
		}
		if got := outline(pieces); got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.src, got, test.want)
		}
		for _, p := range pieces {
			if p.Go != "" && (len(p.Go) != len(test.src) || strings.Count(p.Go, "\n") != strings.Count(test.src, "\n")) {
				t.Errorf("%q: the piece %q has another length or other lines", test.src, p.Go)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"x := 1\n  %tiem f()", "line 2: unknown command %tiem; did you mean %time? (%help lists the commands)"},
		{"%writefile a\nb", "line 1: unknown command %writefile; did you mean %%writefile? (%help lists the commands)"},
		{"%%wh\nb", "line 1: unknown command %%wh; did you mean %who? (%help lists the commands)"},
		{"%matplotlib inline", "line 1: the command %matplotlib does not exist here: a cell that ends with a plot shows the plot; see gonum.org/v1/plot or overcomplete/kernel-helpers/figure (%help lists the commands)"},
		{"%zzz", "line 1: unknown command %zzz (%help lists the commands)"},
		{"%pwd", "line 1: the command %pwd does not exist here: $ pwd (%help lists the commands)"},
		{"%ls -l", "line 1: the command %ls does not exist here: $ ls (%help lists the commands)"},
		{"%%bash\nls", "line 1: the command %%bash does not exist here: begin each shell line with $; a backslash at the end continues the line (%help lists the commands)"},
		{"%pip install x", "line 1: the command %pip does not exist here: import a package of any module in a cell, and the kernel fetches the module; %get MODULE@VERSION selects the version (%help lists the commands)"},
		{"%run a.py", "line 1: the command %run does not exist here: paste the file into a cell, or use $ go run FILE.go if the Go toolchain is installed (%help lists the commands)"},
		{"x := 7\n% 3", "line 2: a line of Go cannot begin with %; to continue an expression on the next line, end the line with the operator (%help lists the commands)"},
		{"%time", "line 1: %time needs a statement on the same line: %time STATEMENT"},
		{"%time\nf()", "line 1: %time needs a statement on the same line: %time STATEMENT"},
		{"x := 1\n%%time\nf()", "line 2: %%time applies to the whole cell: put it in the cell's first line"},
	} {
		_, err := Parse(test.src, nil)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q:\n got %v\nwant %s", test.src, err, test.want)
		}
	}
}

func TestAt(t *testing.T) {
	known := func(name string) bool { return name == "ok" }
	for _, test := range []struct{ src, want string }{
		{"$ l|", "$"}, {"x := 1\n%cd /tm|", "%cd"}, {"%env HO|\nx", "%env"}, {"!ls | wc", "$"}, {"%%writefile a|", "%%writefile"},
		{"%%writefile a\nx|", ""}, {"x|\n$ l", ""}, {"$ l\nx|", ""}, {"%time f|", ""}, {"%timeit -n| 3 f", "%timeit"}, {"!ok|", ""}, {"%%time|\nf()", "%%time"}, {"%%time\nf|()", ""},
		{"$ a \\\n b|", "$"},
	} {
		cursor := strings.Index(test.src, "|")
		src := test.src[:cursor] + test.src[cursor+1:]
		c, ok := At(src, cursor, known)
		if ok != (test.want != "") || c.Name != test.want {
			t.Errorf("%q: %q, %v", test.src, c.Name, ok)
		}
	}
	for _, i := range insteadOf {
		if i == "" {
			t.Error("an advice is empty")
		}
	}
	for name := range insteadOf {
		if _, ok := Find("%" + name); ok {
			t.Errorf("there is %%%s", name)
		}
	}
}

func TestBlank(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"%who\nx", "    \nx"},
		{"%time f(", "      f("},
		{"%%timeit -n 3\nx", "             \nx"},
		{"%%writefile a\n{", "             \n "},
		{"\t$ ls '\nx", "\t      \nx"},
	} {
		if got := Blank(test.src, nil); got != test.want {
			t.Errorf("%q: got %q, want %q", test.src, got, test.want)
		}
	}
}

func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range List() {
		if seen[i.Name] || !strings.HasPrefix(i.Usage, i.Name) || i.Doc == "" {
			t.Errorf("%+v", i)
		}
		seen[i.Name] = true
		if strings.HasPrefix(i.Name, "%%") && !slices.ContainsFunc(List(), func(j Info) bool { return j.Name == i.Name }) {
			t.Errorf("%s is not found", i.Name)
		}
	}
}

// FuzzParse looks for cells that make Parse panic or lose text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"%time f(\n)", "$ a\\\n", "!x\r\n%%time\n", "`%who", "%timeit -n 3 \xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		pieces, err := Parse(src, nil)
		if got := Blank(src, nil); len(got) != len(src) {
			t.Errorf("Blank changes the length of %q", src)
		}
		if err != nil {
			return
		}
		for _, p := range pieces {
			if p.Go != "" && len(p.Go) != len(src) {
				t.Errorf("%q: a piece of another length: %q", src, p.Go)
			}
		}
	})
}
