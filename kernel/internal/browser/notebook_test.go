package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
	"overcomplete/kernel/internal/browser/serve"
)

const name = "tour.ipynb"

// picture selects the element that shows a plot: as vector graphics, or as pixels if pixels take fewer bytes.
const picture = ".output_svg svg, .output_png img, .jp-RenderedSVG svg, .jp-RenderedSVG img, .jp-RenderedImage img"

// tour lists the cells that Run All runs.
var tour = []string{
	"# A tour\nwith a formula $x^2$",
	`import ("fmt"; "image"; "image/color"; "math"; "os"; "strings"; "time"
	"gonum.org/v1/gonum/mat"; "gonum.org/v1/plot"; "gonum.org/v1/plot/plotter"
	"overcomplete/kernel-helpers/figure"; "overcomplete/ui/progress"; "overcomplete/ui/widget")
fmt.Println("héllo, wörld ☃", strings.Repeat("=", 3))`,
	`figure.Series("a figure", []float64{1, 3, 2, 5, 4})`,
	`p := plot.New()
p.Title.Text = "a plot of gonum"
l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}, {X: 2, Y: 1}})
p.Add(l)
p`,
	`m := image.NewRGBA(image.Rect(0, 0, 64, 64))
for y := range 64 { for x := range 64 { m.Set(x, y, color.RGBA{uint8(4 * x), uint8(4 * y), 128, 255}) } }
m`,
	`mat.NewDense(2, 3, []float64{1, 2.5, math.Pi, 4, 5, 6e10})`,
	`type City struct { Name string; People int }
cities := []City{{"Oslo", 709037}, {"Bergen", 291940}}
cities`,
	`display.Display(display.Markdown("**bold** and $\\sqrt{2}$"))
display.Math("\\int_0^1 x^2\\,dx = \\tfrac13")`,
	`display.SVG("<svg xmlns='http://www.w3.org/2000/svg' width='300' height='40'><circle cx='20' cy='20' r='18' fill='teal'/></svg>")`,
}

// steps are performed one after the other in one page, in each front end.
var steps = []struct {
	name string
	do   func(tab)
	only *frontEnd // nil for all front ends
}{
	{"open", opened, nil},
	{"run all", runAll, nil},
	{"frames", frames, nil},
	{"charts", charts, nil},
	{"complete", complete, nil},
	{"order of completion", order, nil},
	{"inspect", inspect, nil},
	{"contextual help", help, &lab},
	{"errors", failures, nil},
	{"long output", longOutput, nil},
	{"interrupt", interrupt, nil},
	{"input", answer, nil},
	{"progress", bar, nil},
	{"clear", clearing, nil},
	{"controls", control, nil},
	{"interact", interact, nil},
	{"panic of a function", panics, nil},
	{"play", plays, nil},
	{"save", saved, nil},
	{"load again", reload, nil},
	{"two windows", windows, nil},
	{"restart", restart, nil},
	{"new kernel", newKernel, nil},
	{"kill", kill, nil},
}

func TestNotebook(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary, starts a Jupyter and a browser")
	}
	for _, f := range frontEnds {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel() // a page mostly waits
			serve.Program(t, "chromium", "chromium-browser", "google-chrome")
			s := f.server(t)
			s.write(t, name, tour...)
			tab := f.open(t, s, name, "")
			for _, step := range steps {
				if step.only == nil || step.only.name == f.name {
					t.Run(step.name, func(t *testing.T) { step.do(tab.in(t)) })
				}
			}
		})
	}
}

func opened(p tab) {
	p.Until(`client.kernelName() === "Go (overcomplete)"`)
	p.Until(`client.highlighted()`)
	p.Until(`client.logo()`)
	p.Shot("open")
}

func runAll(p tab) {
	p.press("runAll")
	for n := 1; n < len(tour); n++ {
		p.done(n)
	}
	p.has(1, "héllo, wörld ☃ ===")
	for _, n := range []int{2, 3} {
		p.reveal(n)
		p.Until(`%s.getBoundingClientRect().width > 200`, element(n, picture))
	}
	p.Until(`%s.naturalWidth > 0`, element(4, "img"))
	p.has(5, "2.5", "3.14")
	p.has(6, "Oslo", "709037", "People")
	p.Until(`%s && %s`, element(7, ".MathJax, .MathJax_Preview, .math, mjx-container"), element(7, "strong"))
	p.Until(`%s.getBoundingClientRect().width >= 300`, element(8, ".output_svg svg, .jp-RenderedSVG img, .jp-RenderedSVG svg"))
	for n := 1; n < len(tour); n++ {
		for _, o := range p.outputs(n) {
			if o.Type == "error" || o.Name == "stderr" {
				p.Errorf("cell %d has %+v", n, o)
			}
		}
	}
	for n := 1; n < len(tour); n += 3 {
		p.reveal(n)
		p.Shot("run-all")
	}
}

func longOutput(p tab) {
	n := p.run("for i := range 3000 { fmt.Println(\"line\", i) }")
	p.Until(`client.stdout(%d).includes("line 2999")`, n)
	// The page may split the output.
	p.Until(`(lines => lines.length === 3000 && lines[1234] === "line 1234")(client.stdout(%d).trim().split("\n"))`, n)
	if p.name == classic.name {
		p.Until(`client.output(%d).querySelector(".output_scroll") || client.output(%[1]d).classList.contains("output_scroll")`, n)
	}
	p.Shot("long-output")
}

// bar checks a progress bar that is half full: at that point its cell waits for a file.
func bar(p tab) {
	n := p.cell(`bar := progress.Bar("learning")
for i := range 41 {
	bar.Record(progress.Event{Step: i, Total: 40, Objective: 1 / float64(1+i)})
	for i == 20 {
		if _, err := os.Stat("seen"); err == nil { break }
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
}`)
	p.start()
	now := element(n, "[role=progressbar]") + ".getAttribute('aria-valuenow')"
	p.Until(`%s === "20"`, now)
	p.Shot("progress")
	if err := os.WriteFile(filepath.Join(p.server.Folder, "seen"), nil, 0o600); err != nil {
		p.Fatal(err)
	}
	p.done(n)
	p.Until(`%s === "40"`, now)
	p.has(n, "learning", "40 of 40", "objective")
	if k := pages.Eval[int](p.page, `client.output(%d).querySelectorAll("[role=progressbar]").length`, n); k != 1 {
		p.Errorf("%d bars", k)
	}
	p.Shot("progress-end")
}

func clearing(p tab) {
	n := p.run("for i := range 5 { display.Clear(true); fmt.Println(\"turn\", i) }")
	p.has(n, "turn 4")
	p.lacks(n, "turn 3")
	n = p.run("id := display.NewID()\ndisplay.DisplayID(id, \"before\")\ndisplay.UpdateDisplay(id, display.Markdown(\"**after**\"))")
	p.Until(`%s.innerText === "after"`, element(n, "strong"))
	p.Shot("clear-and-update")
}

// shows returns an expression that is true if a string appears below a cell.
func shows(n int, text string) string {
	return fmt.Sprintf(`client.text(%d).includes(%s)`, n, quote(text))
}

// written is the part of a notebook file that is checked.
type written struct {
	Cells []struct {
		Source  any
		Outputs []output
	}
	Metadata struct {
		Kernelspec struct{ Name string }
		Language   struct {
			Name      string
			Version   string
			Extension string `json:"file_extension"`
		} `json:"language_info"`
	}
}

func saved(p tab) {
	text := p.save()
	var nb written
	if err := json.Unmarshal([]byte(text), &nb); err != nil {
		p.Fatal(err)
	}
	if nb.Metadata.Kernelspec.Name != "overcomplete" || nb.Metadata.Language.Name != "go" || nb.Metadata.Language.Extension != ".go" || nb.Metadata.Language.Version == "" {
		p.Errorf("metadata %+v", nb.Metadata)
	}
	for n, mime := range map[int]string{2: "image/", 3: "image/", 4: "image/png", 5: "text/html", 6: "text/html", 7: "text/markdown", 8: "image/svg+xml"} {
		if len(nb.Cells[n].Outputs) == 0 || !has(nb.Cells[n].Outputs[0].Data, mime) {
			p.Errorf("cell %d was saved without %s: %+v", n, mime, nb.Cells[n].Outputs)
		}
	}
	for _, want := range []string{"index out of range [3]", "line 2999", "sum 42", "40 of 40", "turn 4", "9 waves", "there are 7 waves", "stopped at 13"} {
		if !strings.Contains(text, want) {
			p.Errorf("the file lacks %q", want)
		}
	}
	for _, not := range []string{"turn 3", "2 waves", "39 of 40", "secret"} {
		if strings.Contains(text, not) {
			p.Errorf("the file has %q", not)
		}
	}
	p.Shot("saved")

	// The exported page shows the last output.
	cmd := exec.Command(p.server.Binary, "export", "--out", "page.html", p.notebook)
	cmd.Dir = p.server.Folder
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("export: %v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(p.server.Folder, "page.html"))
	if err != nil {
		p.Fatal(err)
	}
	if !strings.Contains(string(page), "there are 7 waves") || strings.Contains(string(page), "there are 2 waves") {
		p.Error("the exported page has not what Interact showed last")
	}
}

// has reports whether data contains a MIME type that begins with mime.
func has(data map[string]any, mime string) bool {
	for k := range data {
		if strings.HasPrefix(k, mime) {
			return true
		}
	}
	return false
}
