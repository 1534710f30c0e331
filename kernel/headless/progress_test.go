package headless

import "testing"

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
