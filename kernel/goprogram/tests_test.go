package goprogram

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// TestTests: the functions of %%test cells become a file of tests, which go test runs.
func TestTests(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		notebook.NewCode("import (\n\t\"strings\"\n\t\"testing\"\n)\n\n// Twice doubles.\nfunc Twice(s string) string { return s + s }"),
		notebook.NewCode("%%test\n// TestTwice is a test.\nfunc TestTwice(t *testing.T) {\n\tif got := Twice(\"ab\"); got != strings.Repeat(\"ab\", 2) || helper() != 1 {\n\t\tt.Error(got)\n\t}\n}\n\nfunc helper() int { return 1 }"),
		notebook.NewCode("limit := 3\nfunc below(n int) bool { return n < limit }"),
		notebook.NewCode("%%test\nfunc TestLimit(t *testing.T) {\n\tif limit != 3 {\n\t\tt.Error(limit)\n\t}\n}\n\nfunc TestAgain(t *testing.T) { TestLimit(t) }"),
		notebook.NewCode("%%test\nfunc add(a, b int) int { return a + b }\nfunc TestAdd(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Error()\n\t}\n}"),
		notebook.NewCode("type point struct{ x, y int }\nfunc (p point) sum() int { return add(p.x, p.y) }"),
		notebook.NewCode("// words are doubled.\nvar words = []string{\"a\", Twice(\"b\")}\nvar double = 2 * limit"),
		notebook.NewCode("%%test\nvar cases = append([]string{\"\"}, words...)\nfunc TestWords(t *testing.T) {\n\tfor _, c := range cases {\n\t\tif len(Twice(c)) != 2*len(c) {\n\t\t\tt.Error(c)\n\t\t}\n\t}\n}\n\nfunc TestDouble(t *testing.T) {\n\tif double != 6 {\n\t\tt.Error(double)\n\t}\n}"),
		notebook.NewCode("import (\n\t\"errors\"\n\t\"flag\"\n\t\"time\"\n)\nvar errLong = errors.New(\"long\")\nvar second = 2 * time.Second\nvar usage = flag.Usage\nfunc try() (error, time.Duration, bool) { return errLong, second, usage == nil }"),
		notebook.NewCode("try()\nTwice(\"c\")"),
	}}
	for _, pkg := range []string{"", "twice"} {
		p, err := Write(nb, Options{Name: "twice", Package: pkg, GoMod: []byte("module overcomplete\n\ngo 1.26.0\n")})
		if err != nil {
			t.Fatal(err)
		}
		file := "main"
		if pkg != "" {
			file = pkg
		}
		code, tests := string(p.Files[file+".go"]), string(p.Files[file+"_test.go"])
		if p.Faulty || strings.Contains(code, "TestTwice") || strings.Contains(code, "\"testing\"") || strings.Contains(code, "\"strings\"") || strings.Contains(code, "helper") || !strings.Contains(code, "func add") || strings.Contains(code, "words") || strings.Contains(code, "cases") {
			t.Errorf("%v\n%s", p.Remarks, code)
		}
		if !strings.Contains(code, "var errLong = errors.New(\"long\")") || !strings.Contains(code, "var second = 2 * time.Second") || strings.Contains(code, "var usage = ") {
			t.Errorf("the wrong variables are set early:\n%s", code)
		}
		for _, want := range []string{"written by 'overcomplete export --go'", "// TestTwice is a test.\nfunc TestTwice(t *testing.T) {", "func helper() int", "// TestLimit needs limit, which cells of the notebook set:", "// TestAgain needs limit, which cells of the notebook set:", "func TestAdd", "// words are doubled.\nvar words = []string{\"a\", Twice(\"b\")}", "var cases = append", "\nfunc TestWords", "// TestDouble needs double, which cells of the notebook set:"} {
			if !strings.Contains(tests, want) {
				t.Errorf("no %s in\n%s", want, tests)
			}
		}
		if testing.Short() {
			continue
		}
		dir := t.TempDir()
		for name, b := range p.Files {
			testfile.Write(t, filepath.Join(dir, name), b)
		}
		cmd := exec.Command("go", "test", "-v", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestTwice") || !strings.Contains(string(out), "--- PASS: TestWords") {
			t.Errorf("%v\n%s\n%s\n%s", err, out, code, tests)
		}
	}
	patience.SkipShort(t, "go test compiles the program")
}

// TestProducts: a program that imports this project multiplies matrices as its notebook does. Other programs do not
// import the project for their products.
func TestProducts(t *testing.T) {
	for source, want := range map[string]bool{
		"import \"overcomplete/kernel-helpers/num\"\nnum.Apply([]float64{1}, nil)":                   true,
		"import \"gonum.org/v1/gonum/mat\"\nM := mat.NewDense(1, 1, nil)\nmat.Sum(M)":                false,
		"import \"gonum.org/v1/gonum/floats\"\nfunc f(x []float64) float64 { return floats.Sum(x) }": false,
	} {
		p, err := Write(&notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode(source)}}, Options{Name: "p", GoMod: []byte("module overcomplete\n\ngo 1.26.0\n")})
		if err != nil {
			t.Fatal(err)
		}
		if code := string(p.Files["main.go"]); p.Faulty || strings.Contains(code, "{\n\tgemm.Use() // products") != want {
			t.Errorf("%v\n%s", p.Remarks, code)
		}
	}
}
