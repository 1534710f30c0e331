package insight_test

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// TestFiles completes text that is not Go: arguments of commands, shell lines, and strings that are paths.
func TestFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths with slashes")
	}
	in, _ := start(t, cells)
	dir := t.TempDir()
	for _, name := range []string{"data/mnist.csv", "data/.hidden", "data/a b.txt", "delta.txt", "quo\"te.txt"} {
		testfile.Write(t, filepath.Join(dir, name), "")
	}
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("OC_TEST_ONE", "1")
	t.Setenv("OC_TEST_TWO", "2")
	for _, c := range []struct {
		code string
		want string // matches as text:kind, separated by |
		gone string // text that the first match replaces
	}{
		{"$ ls d~", "data/:path|delta.txt:path", "d"},
		{"$ ls ~", "data/:path|delta.txt:path|quo\\\"te.txt:path", ""},
		{"$ d~", "data/:path|delta.txt:path", "d"},
		{"!ls data/~", "a\\ b.txt:path|mnist.csv:path", ""},
		{"$ cat data/a\\ ~", "a\\ b.txt:path", "a\\ "},
		{"$ cat \"data/a ~", "a b.txt:path", "a "},
		{"$ cat <data/m~", "mnist.csv:path", "m"},
		{"$ ls data/.~", ".hidden:path", "."},
		{"$ ls " + dir + "/da~", "data/:path", "da"},
		{"$ ls ^/de~", "delta.txt:path", "de"},
		{"$ echo $OC_TEST_~", "OC_TEST_ONE:environment|OC_TEST_TWO:environment", "OC_TEST_"},
		{"$ echo ${OC_TEST_O~", "OC_TEST_ONE:environment", "OC_TEST_O"},
		{"$ ls nosuch/~", "", ""},
		{"x := 1\n%cd d~", "data/:path", "d"},
		{"%env OC_TEST_~", "OC_TEST_ONE:environment|OC_TEST_TWO:environment", "OC_TEST_"},
		{"%env OC_TEST_ONE=d~", "", ""},
		{"%%writefile de~", "delta.txt:path", "de"},
		{"%%writefile -a de~\nx", "delta.txt:path", "de"},
		{"%%writefile x.go\nd~", "", ""},
		{"%who sq~", "sq:variable|squares:variable", "sq"},
		{"%reset sq~", "sq:variable|squares:variable", "sq"},
		{"%goroutines d~", "", ""},
		{"import \"os\"\nos.ReadFile(\"d~", "data/:path|delta.txt:path", "d"},
		{"import \"os\"\nb, err := os.ReadFile(\"data/m~\")", "mnist.csv:path", "m"},
		{"os.Open(`data/a~`)", "a b.txt:path", "a"},
		{"os.ReadDir(\"da~", "data/:path", "da"},
		{"os.Stat(\"quo\\\"~\")", "quo\\\"te.txt:path", "quo\\\""},
		{"fmt.Println(\"d~", "", ""},
		{"os.Setenv(\"d~", "", ""},
		{"s := \"d~\"", "", ""},
	} {
		cursor := strings.Index(c.code, "~")
		code := strings.ReplaceAll(strings.Replace(c.code, "~", "", 1), "^", "~")
		got, err := in.Complete(context.Background(), code, cursor)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for i, m := range got.Matches {
			list = append(list, m+":"+got.Types[i])
		}
		if s := strings.Join(list, "|"); s != c.want {
			t.Errorf("%s: %s, want %s", c.code, s, c.want)
		}
		if gone := code[got.Start:got.End]; gone != c.gone {
			t.Errorf("%s: %q is replaced, want %q", c.code, gone, c.gone)
		}
	}
}
