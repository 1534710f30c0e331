package headless

import (
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/notebook"
	"overcomplete/ui/display"
)

// On a terminal, the line of a notebook shows the progress bar of the running cell, until the next cell begins.
func TestBar(t *testing.T) {
	var out strings.Builder
	b := &Board{w: &out, tty: true, ticking: true}
	tick := b.ticker("n.ipynb", time.Now())
	tick.cell(1, 2, "trial.Run()")
	c := newCollector()
	c.bar = tick.bar
	s := &sink{collector: c, cell: notebook.NewCode("")}
	show := func(page, text string) {
		s.Display(display.Data{Data: map[string]any{display.MIMETypeHTML: page, display.MIMETypeText: text}}, false)
	}
	show("<b>text</b>", "no bar")
	show(`<div><span role="progressbar"></span></div>`, "settings: 1 of 2\ntrials: 8 of 24 (33 %), 6s left")
	tick.cell(2, 2, "next()")
	if got, want := strings.ReplaceAll(out.String(), "\r\x1b[K", "|"), "|n.ipynb  0:00  cell 1 of 2  trial.Run()|n.ipynb  0:00  cell 1 of 2  trials: 8 of 24 (33 %), 6s left|n.ipynb  0:00  cell 2 of 2  next()"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFirstWords(t *testing.T) {
	for source, want := range map[string]string{
		"":                       "",
		"\n// Learn a code\nf()": "Learn a code",
		"x := 1\nimport \"fmt\"": "x := 1",
		"%get a.b/c@v1.0.0\nimport (\n\t\"fmt\"\n\n\t\"a.b/c\"\n)\n\nc.F()": "c.F()",
		"import \"fmt\"\nimport \"os\"\nfmt.Println(os.Args)":               "fmt.Println(os.Args)",
		"import (\n\t\"fmt\"\n\t\"os\"\n)\n":                                "import \"fmt\"",
		"import \"os\"":                                                     "import \"os\"",
		"%get a.b/c@v1.0.0":                                                 "%get a.b/c@v1.0.0",
		"importance := 2":                                                   "importance := 2",
		"import (\n\t\"fmt\"":                                               "import \"fmt\"", // the cell does not parse, and will report that itself
		"x := \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"":     "x := \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…",
	} {
		if got := firstWords(source); got != want {
			t.Errorf("%q is shown as %q, want %q", source, got, want)
		}
	}
}
