package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const name = "tour.ipynb"

// picture selects what shows a plot: its vectors, or pixels where those are fewer bytes.
const picture = ".output_svg svg, .output_png img"

// The cells that Run All runs.
var tour = []string{
	"# A tour\nwith a formula $x^2$",
	`import ("fmt"; "image"; "image/color"; "math"; "strings"
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

func TestNotebook(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary, starts a Jupyter and a browser")
	}
	program(t, "chromium", "chromium-browser", "google-chrome")
	s := startServer(t)
	s.write(t, name, tour...)
	url := s.url + "/notebooks/" + name + "?token=" + s.token
	tab := openPage(t, url)
	tab.ready()
	steps := []struct {
		name string
		do   func(p page, s notebookServer)
	}{
		{"open", opened},
		{"run all", runAll},
		{"frames", frames},
		{"charts", charts},
		{"complete", complete},
		{"inspect", inspect},
		{"errors", failures},
		{"long output", longOutput},
		{"interrupt", interrupt},
		{"input", answer},
		{"progress", bar},
		{"clear", clearing},
		{"controls", control},
		{"interact", interact},
		{"save", saved},
		{"load again", reload},
		{"restart", restart},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) { step.do(tab.in(t), s) })
	}
}

func opened(p page, _ notebookServer) {
	p.until(`document.querySelector("#kernel_indicator .kernel_indicator_name").innerText.trim() === "Go (overcomplete)"`)
	p.until(`document.querySelector(".cm-keyword") && Jupyter.notebook.get_cell(1).code_mirror.getOption("mode")`)
	p.until(`document.querySelector(".current_kernel_logo").naturalWidth > 0`)
	p.shot("open")
}

func runAll(p page, _ notebookServer) {
	p.click("#celllink")
	p.click("#run_all_cells a")
	for n := 1; n < len(tour); n++ {
		p.done(n)
	}
	p.has(1, "héllo, wörld ☃ ===")
	for _, n := range []int{2, 3} {
		p.until(`%s.getBoundingClientRect().width > 200`, element(n, picture))
	}
	p.until(`%s.naturalWidth > 0`, element(4, "img"))
	p.has(5, "2.5", "3.14")
	p.has(6, "Oslo", "709037", "People")
	p.until(`%s && %s`, element(7, ".MathJax, .MathJax_Preview, .math"), element(7, "strong"))
	p.until(`%s.getBoundingClientRect().width >= 300`, element(8, ".output_svg svg"))
	p.until(`document.querySelectorAll(".output_error, .output_stderr").length === 0`)
	for n := 1; n < len(tour); n += 3 {
		eval[bool](p, `(Jupyter.notebook.get_cell(%d).element[0].scrollIntoView(), true)`, n)
		p.shot("run-all")
	}
}

// menu are the choices of the completer.
const menu = `document.querySelector("#complete select")`

func complete(p page, _ notebookServer) {
	// One choice: it is put in at once.
	n := p.cell("")
	p.key("m2 := mat.NewVecD")
	p.key(kb.Tab)
	p.until(`Jupyter.notebook.get_cell(%d).get_text().indexOf("mat.NewVecDense") >= 0`, n)

	// Several: a menu; the second is chosen.
	n = p.cell("")
	p.key("strings.Has")
	p.key(kb.Tab)
	p.until(`%s.options.length >= 2`, menu)
	p.shot("complete")
	p.key(kb.ArrowDown)
	p.key(kb.Enter)
	p.until(`!%s`, menu)
	if got := p.source(n); got != "strings.HasSuffix" {
		p.Errorf("the second choice left %q", got)
	}

	// Fields of a variable of the session, in the middle of a call.
	n = p.cell("")
	p.key("fmt.Println(p.Ti")
	p.key(kb.Tab)
	p.until(`Jupyter.notebook.get_cell(%d).get_text().indexOf("p.Title") >= 0`, n)

	// An import path, and a line that begins with indentation.
	n = p.cell("")
	p.key(`import "encoding/js`)
	p.key(kb.Tab)
	p.until(`Jupyter.notebook.get_cell(%d).get_text().indexOf("encoding/json") >= 0`, n)
	p.shot("completed")

	// The menu narrows while one types, and goes on being right beyond U+FFFF.
	n = p.cell("")
	p.key(`fmt.Println("😀", strings.T`)
	p.key(kb.Tab)
	p.until(`%s.options.length > 3`, menu)
	p.key("o")
	p.until(`[...%s.options].every(o => o.text.startsWith("To")) && %[1]s.options.length > 2`, menu)
	p.shot("complete-narrowed")
	p.key(kb.Enter)
	p.until(`!%s`, menu)
	if got := p.source(n); got != `fmt.Println("😀", strings.ToLower)` {
		p.Errorf("completion after an emoji left %q", got)
	}
}

// tooltip is what Shift-Tab shows.
const tooltip = `document.querySelector("#tooltip")`

func inspect(p page, _ notebookServer) {
	p.cell("")
	p.key("mat.NewDense(2, ")
	p.key(kb.Tab, chromedp.ModifierShift)
	p.until(`%[1]s.offsetHeight > 0 && %[1]s.innerText.indexOf("data []float64") >= 0`, tooltip)
	p.shot("inspect")
	p.key(kb.Tab, chromedp.ModifierShift)
	p.until(`%s.innerText.indexOf("NewDense creates") >= 0`, tooltip)
	p.shot("inspect-more")
	p.key(kb.Escape)
	p.until(`%s.style.display === "none" || %[1]s.offsetHeight === 0`, tooltip)

	// A variable shows its value.
	p.cell("")
	p.key("cities")
	p.key(kb.Tab, chromedp.ModifierShift)
	p.until(`%s.innerText.indexOf("Oslo") >= 0`, tooltip)
	p.shot("inspect-value")
	p.key(kb.Escape)
}

func failures(p page, _ notebookServer) {
	n := p.run("count := 3\nfmt.Println(cuont)")
	p.has(n, "fmt.Println(cuont)", "^", "count")
	p.clean(n)
	p.shot("error-type")
	n = p.run("func third(v []int) int { return v[3] }\nfunc outer() int { return third([]int{1}) }\nouter()")
	p.has(n, "index out of range [3] with length 1", "third", "outer")
	p.clean(n)
	p.shot("error-panic")
	n = p.run("os.Getenv(\"HOME\")")
	p.has(n, `import "os"`)
	p.clean(n)
	n = p.run(`x := "open`)
	p.has(n, "^")
	p.clean(n)
	p.shot("error-syntax")
}

// clean checks that an error shows nothing of the interpreter.
func (p page) clean(n int) {
	p.Helper()
	text := p.output(n)
	for _, inside := range []string{"ixengine", "goplus", "gossa", "reflect.", "runtime/", "goroutine ", ".go:", "\x1b", "[31m"} {
		if strings.Contains(text, inside) {
			p.Errorf("cell %d shows the inside %q:\n%s", n, inside, text)
		}
	}
	if !eval[bool](p, `!!(%s)`, element(n, ".output_error")) {
		p.Errorf("cell %d shows no error:\n%s", n, text)
	}
}

func longOutput(p page, _ notebookServer) {
	n := p.run("for i := range 3000 { fmt.Println(\"line\", i) }")
	// The page may divide it.
	text := fmt.Sprintf(`[...Jupyter.notebook.get_cell(%d).output_area.element[0].querySelectorAll(".output_stdout pre")].map(e => e.innerText).join("")`, n)
	p.until(`%s.indexOf("line 2999") >= 0`, text)
	lines := strings.Split(strings.TrimSpace(eval[string](p, "%s", text)), "\n")
	if len(lines) != 3000 || lines[1234] != "line 1234" {
		p.Errorf("%d lines, the 1235th is %q", len(lines), lines[min(1234, len(lines)-1)])
	}
	p.until(`Jupyter.notebook.get_cell(%d).output_area.element[0].querySelector(".output_scroll") || Jupyter.notebook.get_cell(%[1]d).output_area.element.hasClass("output_scroll")`, n)
	p.shot("long-output")
}

func interrupt(p page, _ notebookServer) {
	n := p.cell("turns := 0\nfor { turns++ }")
	p.start()
	p.until(`document.querySelector("#kernel_indicator_icon.kernel_busy_icon")`)
	// Completion answers while the cell runs.
	m := p.cell("")
	p.key("strings.ToUpperS")
	p.key(kb.Tab)
	p.until(`Jupyter.notebook.get_cell(%d).get_text().indexOf("strings.ToUpperSpecial") >= 0`, m)
	p.shot("running")
	p.click(`button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`)
	p.done(n)
	eval[bool](p, `(Jupyter.notebook.get_cell(%d).element[0].scrollIntoView(), true)`, n)
	p.clean(n)
	p.shot("interrupted")
	n = p.run("turns > 0")
	p.has(n, "true")
	p.shot("after-interrupt")
}

// box is where an input is asked for.
const box = `document.querySelector("input.raw_input")`

func answer(p page, _ notebookServer) {
	n := p.cell("var a, b int\nfmt.Print(\"two numbers: \")\nfmt.Scan(&a, &b)\nfmt.Println(\"sum\", a+b)")
	p.start()
	p.until(`%s && %[1]s === document.activeElement`, box)
	p.shot("input")
	p.key("19 23")
	p.key(kb.Enter)
	p.done(n)
	p.has(n, "two numbers:", "sum 42")
	p.shot("answered")

	n = p.cell("word, err := display.Password(\"word: \")\nfmt.Println(len(word), err)")
	p.start()
	p.until(`%s && %[1]s.type === "password"`, box)
	p.key("secret")
	p.shot("password")
	p.key(kb.Enter)
	p.done(n)
	p.has(n, "word:", "6 <nil>")
	if strings.Contains(p.output(n), "secret") {
		p.Error("the password can be read")
	}

	// An interrupt ends a question.
	n = p.cell("fmt.Scan(&a)")
	p.start()
	p.until("%s", box)
	p.click(`button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`)
	p.done(n)
	p.clean(n)
	p.shot("interrupted-input")
	n = p.run("a")
	p.has(n, "19")

	// The page leaves the box of an interrupted question. What is put there
	// late is no answer to the next question.
	if eval[bool](p, `!!(%s)`, box) {
		eval[bool](p, `(%s.focus(), true)`, box)
		p.key("99")
		p.key(kb.Enter)
		p.until(`!(%s)`, box)
	}
	n = p.cell("fmt.Scan(&a)\nfmt.Println(\"a is\", a)")
	p.start()
	p.until(`%s && %[1]s === document.activeElement`, box)
	p.key("5")
	p.key(kb.Enter)
	p.done(n)
	p.has(n, "a is 5")
}

func bar(p page, _ notebookServer) {
	n := p.cell(`import "time"
bar := progress.Bar("learning")
for i := range 41 {
	bar.Record(progress.Event{Step: i, Total: 40, Objective: 1 / float64(1+i)})
	time.Sleep(50 * time.Millisecond)
}`)
	p.start()
	now := element(n, "[role=progressbar]") + ".getAttribute('aria-valuenow')"
	p.until(`Number(%s) > 5`, now)
	p.shot("progress")
	if v := eval[string](p, "%s", now); v == "40" {
		p.Error("the bar was never seen on its way")
	}
	p.done(n)
	p.until(`%s === "40"`, now)
	p.has(n, "learning", "40 of 40", "objective")
	if k := eval[int](p, `Jupyter.notebook.get_cell(%d).output_area.element[0].querySelectorAll("[role=progressbar]").length`, n); k != 1 {
		p.Errorf("%d bars", k)
	}
	p.shot("progress-end")
}

func clearing(p page, _ notebookServer) {
	n := p.run("for i := range 5 { display.Clear(true); fmt.Println(\"turn\", i) }")
	p.has(n, "turn 4")
	if strings.Contains(p.output(n), "turn 3") {
		p.Error("not cleared")
	}
	n = p.run("id := display.NewID()\ndisplay.DisplayID(id, \"before\")\ndisplay.UpdateDisplay(id, display.Markdown(\"**after**\"))")
	p.until(`%s.innerText === "after"`, element(n, "strong"))
	p.shot("clear-and-update")
}

// move gives a control a value as a user's hand does.
func (p page) move(control, value string) {
	p.Helper()
	eval[bool](p, `(function(e){e.value = %s; e.dispatchEvent(new Event("input", {bubbles: true})); e.dispatchEvent(new Event("change", {bubbles: true})); return true})(%s)`, quote(value), control)
}

// sent waits until the page has sent what was moved, which it does every 50 ms.
func (p page) sent() {
	p.Helper()
	eval[bool](p, `new Promise(function(r){setTimeout(function(){r(true)}, 200)})`)
}

func control(p page, _ notebookServer) {
	n := p.run(`k := widget.IntSlider("k", 1, 100, 10)
method := widget.Dropdown("method", []string{"PCA", "NMF", "ICA"}, "PCA")
deep := widget.Checkbox("deep", false)
title := widget.Text("title", "")
again := widget.Button("again")
k.OnChange(func(v int) { fmt.Println("k is now", v) })
again.OnClick(func() { fmt.Println("again!") })
widget.VBox(k, method, deep, title, again)`)
	slider := element(n, "input[type=range]")
	p.until(`%s && !%[1]s.disabled`, slider)
	p.shot("controls")

	// The slider with the keyboard, as a browser moves it.
	eval[bool](p, `(%s.focus(), true)`, slider)
	for range 5 {
		p.key(kb.ArrowRight)
	}
	p.until(`%s.value === "15"`, slider)
	p.until(`%s.innerText.indexOf("k is now 15") >= 0`, element(n, ".output_stdout"))
	p.move(element(n, "select"), "2")
	eval[bool](p, `(%s.click(), true)`, element(n, "input[type=checkbox]"))
	eval[bool](p, `(%s.focus(), true)`, element(n, "input[type=text]"))
	p.key("Façade")
	p.key(kb.Tab) // leaves the field: the change is sent
	eval[bool](p, `(%s.click(), true)`, element(n, "button"))
	eval[bool](p, `(%s.click(), true)`, element(n, "button"))
	p.until(`%s.innerText.split("again!").length === 3`, element(n, ".output_stdout"))
	m := p.run(`fmt.Println(k.Value(), method.Value(), deep.Value(), title.Value(), again.Clicks())`)
	p.has(m, "15 ICA true Façade 2")
	p.shot("controls-moved")

	// The other way round: Go moves it.
	p.run("k.Set(77)\nmethod.Set(\"NMF\")")
	p.until(`%s.value === "77" && %s.value === "1"`, slider, element(n, "select"))

	// A running cell sees what is moved, and a button ends it.
	r := p.cell("clicks := again.Clicks()\nfor again.Clicks() == clicks { time.Sleep(10 * time.Millisecond) }\nfmt.Println(\"stopped at\", k.Value())")
	p.start()
	p.until(`document.querySelector("#kernel_indicator_icon.kernel_busy_icon")`)
	p.move(slider, "33")
	p.sent()
	eval[bool](p, `(%s.click(), true)`, element(n, "button"))
	p.done(r)
	p.has(r, "stopped at 33")
	// The callbacks have waited for the cell; what they print is not lost.
	p.until(`%[1]s.innerText.indexOf("k is now 33") >= 0 && %[1]s.innerText.split("again!").length === 4`, element(n, ".output_stdout"))
	p.shot("controls-while-running")
}

func interact(p page, _ notebookServer) {
	n := p.run(`widget.Interact(func(waves int, colour string) any {
	y := make([]float64, 100)
	for i := range y { y[i] = math.Sin(float64(waves*i) / 16) }
	return figure.Series(fmt.Sprint(waves, " waves, ", colour), y)
}, widget.IntSlider("waves", 1, 9, 2), widget.Dropdown("colour", []string{"blue", "red"}, "blue"))`)
	slider, plot := element(n, "input[type=range]"), element(n, picture)
	p.until(`%s && !%s.disabled`, plot, slider)
	p.shot("interact")
	before := eval[string](p, `%s.outerHTML`, plot)
	p.move(slider, "7")
	p.until(`%s.outerHTML !== %s`, plot, quote(before))
	if k := eval[int](p, `Jupyter.notebook.get_cell(%d).output_area.element[0].querySelectorAll(%s).length`, n, quote(picture)); k != 1 {
		p.Errorf("%d plots", k)
	}
	p.shot("interact-moved")
}

// written is the part of a notebook file that is looked at.
type written struct {
	Cells []struct {
		Source  any
		Outputs []struct {
			Type string `json:"output_type"`
			Name string
			Data map[string]any
		}
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

func saved(p page, s notebookServer) {
	text := p.save(s, name)
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
	for _, want := range []string{"index out of range [3]", "line 2999", "sum 42", "40 of 40", "turn 4", "7 waves", "stopped at 33"} {
		if !strings.Contains(text, want) {
			p.Errorf("the file lacks %q", want)
		}
	}
	for _, not := range []string{"turn 3", "2 waves", "39 of 40", "secret"} {
		if strings.Contains(text, not) {
			p.Errorf("the file has %q", not)
		}
	}
	p.shot("saved")
}

// has reports whether one of the forms has a type that begins so.
func has(data map[string]any, mime string) bool {
	for k := range data {
		if strings.HasPrefix(k, mime) {
			return true
		}
	}
	return false
}

// reload loads the page anew: the kernel runs on, and the controls find it again.
func reload(p page, s notebookServer) {
	eval[bool](p, `(location.reload(), true)`)
	p.until(`window.savedNow === undefined`)
	p.ready()
	n := eval[int](p, `Jupyter.notebook.get_cells().findIndex(function(c){return c.get_text().indexOf("widget.VBox") >= 0})`)
	eval[bool](p, `(Jupyter.notebook.trusted = true, Jupyter.notebook.get_cell(%d).element[0].scrollIntoView(), true)`, n)
	slider := element(n, "input[type=range]")
	p.until(`%s && %[1]s.value === "33"`, slider)
	p.until(`!%s.disabled`, slider)
	p.shot("loaded-again")
	p.move(slider, "50")
	p.sent()
	m := p.run("k.Value()")
	p.has(m, "50")
	// Pages that are gone leave no comms behind; the last one may still be taken for there.
	var counts []int
	for range 3 {
		counts = append(counts, eval[int](p, `new Promise(function(done) {
			Jupyter.notebook.kernel.comm_info("overcomplete.widget", function(m) { done(Object.keys(m.content.comms).length); });
		})`))
		p.save(s, name) // or the browser asks whether to leave the page
		eval[bool](p, `(location.reload(), true)`)
		p.until(`window.savedNow === undefined`)
		p.ready()
		eval[bool](p, `(Jupyter.notebook.trusted = true, Jupyter.notebook.get_cell(%d).element[0].scrollIntoView(), true)`, n)
		p.until(`%s && !%[1]s.disabled`, slider)
	}
	if counts[2] > counts[1] {
		p.Errorf("open comms after each load: %v", counts)
	}
}

func restart(p page, s notebookServer) {
	p.click("#kernellink")
	p.click("#restart_kernel a")
	p.until(`document.querySelector(".modal.in .btn-danger, .modal.show .btn-danger")`)
	p.shot("restart-question")
	p.click(".modal .btn-danger")
	p.until(`!document.querySelector(".modal-backdrop") && document.querySelector("#kernel_indicator_icon.kernel_idle_icon")`)
	n := p.run("turns")
	p.has(n, "turns")
	p.clean(n)
	p.shot("restarted")
	n = p.run("1 + 1")
	p.has(n, "2")
	p.save(s, name)
}
