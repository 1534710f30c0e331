package live

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"overcomplete/kernel/internal/browser/serve"
)

// A cell is a cell of a notebook: its id and source. A source that begins with "# " is text.
type cell struct{ id, source string }

// imports is the first cell of each notebook.
var imports = cell{"imports", `import ("bytes"; "fmt"; "math"; "math/big"; "os"; "time"
	"overcomplete/kernel-helpers/figure"; "overcomplete/ui/progress"; "overcomplete/ui/widget")
fmt.Println("héllo, wörld ☃")`}

// edited is a cell that tests edit.
var edited = cell{"edit", `1 + 1`}

// notebooks maps file names to the notebooks of the test.
var notebooks = map[string][]cell{
	// All of its cells run.
	"tour": {
		{"title", "# A tour\nwith a formula $x^2$"},
		imports,
		{"plot", `figure.Series("a figure", []float64{1, 3, 2, 5, 4})`},
		{"table", `type City struct { Name string; People int }
cities := make([]City, 45)
for i := range cities { cities[i] = City{fmt.Sprint("city ", i), (i * 7) % 45} }
cities`},
		{"bar", `bar := progress.Bar("learning")
for i := range 41 {
	bar.Record(progress.Event{Step: i, Total: 40, Objective: 1 / float64(1+i)})
	time.Sleep(20 * time.Millisecond)
}`},
		{"clear", `for i := range 5 { display.Clear(true); fmt.Println("turn", i) }`},
		{"update", `id := display.NewID()
display.DisplayID(id, "before")
display.UpdateDisplay(id, display.Markdown("**after**"))`},
		{"interact", `widget.Interact(func(waves int, colour string) any {
	y := make([]float64, 100)
	for i := range y { y[i] = math.Sin(float64(waves*i) / 16) }
	return figure.Series(fmt.Sprint(waves, " waves, ", colour), y)
}, widget.Play("waves", 1, 9, 2), widget.Dropdown("colour", []string{"blue", "red"}, "blue"))`},
		{"controls", `k := widget.IntSlider("k", 1, 20, 10)
x := widget.FloatSlider("x", 0, 1, 0.5)
method := widget.Dropdown("method", []string{"PCA", "NMF", "ICA"}, "PCA")
deep := widget.Checkbox("deep", false)
title := widget.Text("title", "")
again := widget.Button("again")
part := widget.Progress("part", 4)
k.OnChange(func(v int) { fmt.Println("k is now", v) })
again.OnClick(func() { fmt.Println("again!") })
widget.VBox(k, widget.HBox(x, method), deep, title, again, part, widget.HTML("<b>bold</b>"))`},
		{"values", `fmt.Println(k.Value(), method.Value(), deep.Value(), title.Value(), again.Clicks())`},
		{"last", `fmt.Println("the end")`},
	},
	// Each cell is used by one step.
	"steps": {
		{"title", "# Steps"},
		imports,
		{"before", `count := 3`},
		{"wrong", `fmt.Println(cuont)`},
		{"panics", `func third(v []int) int { return v[3] }
third([]int{1})`},
		{"loop", `turns := 0
for { turns++ }`},
		{"turns", `turns > 0`},
		{"ask", `var a, b int
fmt.Print("two numbers: ")
fmt.Scan(&a, &b)
fmt.Println("sum", a+b)`},
		{"password", `word, err := display.Password("word: ")
fmt.Println(len(word), err)`},
		{"read", `data, err := os.ReadFile("up.txt")
fmt.Println(string(data), err)
os.WriteFile("down.txt", []byte("written by a cell"), 0o600)`},
		edited,
	},
	// A cell that ends or hangs a kernel is the last in its notebook, so that the other cells can run again.
	"hang": {
		{"title", "# A hang in compiled code"}, imports, edited,
		{"bad", `new(big.Int).Exp(big.NewInt(3), big.NewInt(1<<28), nil).BitLen()`},
	},
	"memory": {
		{"title", "# More memory than there is"}, imports, edited,
		{"bad", `var keep [][]byte
for range 64 { keep = append(keep, make([]byte, 512<<20)) }`},
	},
	"fatal": {
		{"title", "# More memory than there is, for compiled code"}, imports, edited,
		{"bad", `len(bytes.Repeat([]byte{0}, 4<<30-1<<20))`},
	},
	"exit": {
		{"title", "# The end"}, imports, edited,
		{"bad", `os.Exit(3)`},
	},
}

// write writes a notebook as a file.
func write(folder, name string, cells []cell) error {
	var list []map[string]any
	for _, c := range cells {
		kind := map[string]any{"id": c.id, "cell_type": "code", "source": c.source, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil}
		if strings.HasPrefix(c.source, "# ") {
			kind = map[string]any{"id": c.id, "cell_type": "markdown", "source": c.source, "metadata": map[string]any{}}
		}
		list = append(list, kind)
	}
	b, err := json.Marshal(map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "overcomplete", "display_name": "Go (overcomplete)", "language": "go"}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".ipynb"), b, 0o600)
}

// lecture is the notebook of this project for which the test measures time and memory.
const lecture = "lecture-pca"

// written writes the pages with the program, once for all tests, and returns the folder.
var written = sync.OnceValues(func() (string, error) {
	if folder := os.Getenv("OVERCOMPLETE_LIVE_SITE"); folder != "" {
		return filepath.Abs(folder)
	}
	folder, err := os.MkdirTemp("", "overcomplete-live-")
	if err != nil {
		return "", err
	}
	temporary = folder
	args := []string{"export", "--live", "--fast", "--out", folder} // --fast: faster to write, but the kernel is a quarter larger than in a release
	for name, cells := range notebooks {
		if err := write(folder, name, cells); err != nil {
			return "", err
		}
		args = append(args, filepath.Join(folder, name+".ipynb"))
	}
	for _, name := range []string{lecture, lesson} {
		args = append(args, filepath.Join(serve.Root(), "notebooks", name+".ipynb"))
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return folder, nil
})

// program is the path of the program that writes the pages; temporary is the folder for everything written
// for the tests.
var program, temporary string

// pagesOf returns the folder of the test's pages.
func pagesOf(t *testing.T) string {
	t.Helper()
	program = serve.Binary(t)
	folder, err := written()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestMain(m *testing.M) {
	code := serve.Run(m)
	if temporary != "" {
		os.RemoveAll(temporary)
	}
	os.Exit(code)
}
