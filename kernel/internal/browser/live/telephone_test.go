package live

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
	"overcomplete/kernel/internal/browser/serve"
)

// A mistake is a typical wrong answer to an exercise: the right one with some text replaced. The check must say what
// is wrong with it.
type mistake struct {
	replace []string // pairs: the old text, the new one
	says    string
}

// lesson is the notebook that the class goes through; mistakes are those of a student in its exercises, in order.
const lesson = "lecture-attention"

var mistakes = []mistake{
	{[]string{"n, d := out", "_, d := out", " / float64(n)", ""}, "These are sums over the words, and not means."},
	{[]string{"return math.Exp(entropy)", "return entropy"}, "This is the mean entropy itself"},
	{[]string{"Shift(-1, d)", "Shift(0, d)"}, "Word l looks at itself"},
	{[]string{"d*m + m + m*d + d + ", "2*d*m + ", " + d*V + V", " + d*V"}, "The biases are missing."},
	{[]string{"t > l", "t > len(words)"}, "There is no mask"},
	{[]string{"twice.At(rows+t, v)", "twice.At(t, v)"}, "This compares the first copy, and not the second."},
}

// slowness is how much slower than this machine the student's telephone is.
const slowness = 4

// still is how long a page may show no sign that something goes on, on a telephone.
const still = 10 * time.Second

// classClient notes when the page has last shown that something goes on: text or a number that changed, an output
// that came, or a bar that moves by itself.
const classClient = `
window.signs = (() => {
  let last = performance.now(), longest = 0, during = "";
  const says = () => document.querySelector("#live [role=status]")?.innerText ?? "";
  const sign = () => {
    const now = performance.now();
    if (now - last > longest) [longest, during] = [now - last, says()];
    last = now;
  };
  addEventListener("DOMContentLoaded", () => new MutationObserver(sign).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["value", "aria-valuenow", "data-state"]}));
  setInterval(() => {
    if (client.seen(document.querySelector("#live progress:indeterminate"))) sign();
  }, 200);
  return {
    begin: () => ([last, longest, during] = [performance.now(), 0, ""], true),
    end: () => (sign(), {Ms: longest, During: during}),
    // drawing is a cell's first picture; those of a legend are small.
    drawing: (id) => [...client.cell(id).querySelectorAll(".output svg, .output img")].find(e => e.getBoundingClientRect().width > 100),
  };
})();`

// TestClass does what a student in a class does, with a link and a telephone: it opens a notebook's page over a slow
// network, runs its first cells and every cell with a figure, moves every slider, and does every exercise, first wrong
// and then right. It prints the time of each step. No step may go on for ten seconds without a sign of it. The test
// takes some minutes, so "make live-browsers" leaves it out, and .ci/class runs it.
func TestClass(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	pages.Chromium.Here(t)
	s := serveSite(t, network)
	p := pages.Chromium.Open(t, "about:blank", pages.Options{Width: 390, Height: 844, Dark: os.Getenv("OVERCOMPLETE_DARK") != "",
		Script: client + classClient, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
	p.Prefix = "class-"
	p.Throttle(slowness)
	c := &class{reader: reader{p, pages.Chromium, s}, read: readLesson(t)}
	defer c.print()

	begin := time.Now()
	p.Navigate(s.url(lesson + ".html"))
	c.ready()
	c.note("open the link", begin, 0)
	c.Shot("open")
	// The first cell has the parameters, the second one the imports.
	c.step("first cell, which fetches Go", func() { c.run(c.read[0].id) })
	c.step("second cell, the imports", func() { c.run(c.read[1].id) })
	for _, cell := range c.read {
		if cell.moves && !cell.picture && cell.tag == "" {
			c.step("figure "+cell.id, func() { c.run(cell.id) })
		}
		if cell.picture && cell.tag == "" {
			c.step("figure "+cell.id, func() { c.run(cell.id) })
			c.Until(`signs.drawing(%q)`, cell.id)
			c.Middle(fmt.Sprintf(`signs.drawing(%q)`, cell.id))
			c.Shot(cell.id)
		}
		if cell.moves && cell.tag == "" {
			c.moves(cell.id)
		}
	}
	c.exercises()
	c.narrow(390)
}

// A lessonCell is a code cell of a notebook.
type lessonCell struct {
	id, source string
	tag        string // exercise, solution, or ""
	picture    bool   // its recorded output has one
	moves      bool   // it shows controls
}

// readLesson returns the code cells of the notebook.
func readLesson(t *testing.T) (list []lessonCell) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(serve.Root(), "notebooks", lesson+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			ID       string
			Type     string `json:"cell_type"`
			Source   []string
			Metadata struct{ Tags []string }
			Outputs  []struct{ Data map[string]any }
		}
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		t.Fatal(err)
	}
	for _, c := range notebook.Cells {
		if c.Type != "code" {
			continue
		}
		source := strings.Join(c.Source, "")
		cell := lessonCell{id: c.ID, source: source, moves: strings.Contains(source, "widget.Interact(")}
		for _, tag := range []string{"exercise", "solution"} {
			if slices.Contains(c.Metadata.Tags, tag) {
				cell.tag = tag
			}
		}
		for _, o := range c.Outputs {
			if o.Data["image/png"] != nil {
				cell.picture = true
			}
		}
		list = append(list, cell)
	}
	return list
}

// A class is a student's way through a page, and its times.
type class struct {
	reader
	read  []lessonCell
	steps []classStep
}

type classStep struct {
	name  string
	took  time.Duration
	still time.Duration // the longest time without a sign that something goes on
}

func (c *class) note(name string, begin time.Time, still time.Duration) {
	c.steps = append(c.steps, classStep{name, time.Since(begin), still})
	c.Logf("%6.1f s, at most %4.1f s still  %s", time.Since(begin).Seconds(), still.Seconds(), name)
}

// step does something, and notes how long it took.
func (c *class) step(name string, do func()) {
	c.Helper()
	pages.Eval[bool](c.Page, `signs.begin()`)
	begin := time.Now()
	do()
	quiet := pages.Eval[struct {
		Ms     float64
		During string // what the page said then
	}](c.Page, `signs.end()`)
	longest := time.Duration(quiet.Ms * float64(time.Millisecond))
	c.note(name, begin, longest)
	if longest > still {
		c.Errorf("%s: for %.1f s the page showed nothing new; it said %q", name, longest.Seconds(), quiet.During)
	}
}

// run runs a cell, and those that it needs.
func (c *class) run(id string) {
	c.Helper()
	c.start(id)
	c.Within(10*time.Minute, `!["waits", "runs"].includes(client.state(%q)) && !document.querySelector("#live.live-busy") && client.states().every(s => s !== "waits" && s !== "runs")`, id)
	if got := c.state(id); got != "done" {
		c.Shot("failed")
		c.Fatalf("cell %s has %s:\n%s", id, got, c.text(id))
	}
}

// moves moves each slider of a cell by one step, and waits for what it shows.
func (c *class) moves(id string) {
	c.Helper()
	for k := 0; pages.Eval[bool](c.Page, `client.seen(client.slider(%q, %d))`, id, k); k++ {
		slider := fmt.Sprintf(`client.slider(%q, %d)`, id, k)
		c.Until(`%s && !%[1]s.disabled`, slider)
		shown := fmt.Sprintf(`[...client.cell(%q).querySelectorAll(".output svg, .output img, .output table")].map(e => e.outerHTML).join()`, id)
		pages.Eval[bool](c.Page, `(window.shown = %s, true)`, shown)
		c.step(fmt.Sprintf("slider %d of %s", k+1, id), func() {
			pages.Eval[bool](c.Page, `(s => {
				s.value = Number(s.value) < Number(s.max) ? Number(s.value) + Number(s.step || 1) : Number(s.value) - Number(s.step || 1);
				for (const kind of ["input", "change"]) s.dispatchEvent(new Event(kind, {bubbles: true}));
				return true;
			})(%s)`, slider)
			c.Until(`%s !== window.shown`, shown)
		})
	}
	c.Middle(fmt.Sprintf(`client.slider(%q)`, id))
	c.Shot(id + "-moved")
}

// exercises does every exercise: checks the empty function, then a wrong answer, then the right one.
func (c *class) exercises() {
	find := func(id string) int {
		return slices.IndexFunc(c.read, func(cell lessonCell) bool { return cell.id == id })
	}
	if find(fmt.Sprintf("check-%d", len(mistakes)+1)) >= 0 {
		c.Errorf("there are more exercises than the %d that have a mistake here", len(mistakes))
	}
	for k := 1; k <= len(mistakes); k++ {
		check, m := fmt.Sprintf("check-%d", k), mistakes[k-1]
		at := find(check)
		stub, solved := c.read[at-1], c.read[find(fmt.Sprintf("solution-%d-checked", k))]
		function, right := answer(c.T, c.read[at].source, solved.source)
		c.step(fmt.Sprintf("exercise %d, untouched", k), func() { c.run(check) })
		c.shows(check, "○", "not started")
		c.lacks(check, "✗", "✓")
		c.verdict(check, "untouched")
		for i := 0; i < len(m.replace); i += 2 {
			if !strings.Contains(right, m.replace[i]) {
				c.Fatalf("the solution of exercise %d has no %q", k, m.replace[i])
			}
		}
		c.edit(stub.id, put(c.T, stub.source, function, strings.NewReplacer(m.replace...).Replace(right)))
		c.step(fmt.Sprintf("exercise %d, a wrong answer", k), func() { c.run(stub.id); c.run(check) })
		c.shows(check, "✗", m.says)
		c.verdict(check, "wrong")
		c.edit(stub.id, put(c.T, stub.source, function, right))
		c.step(fmt.Sprintf("exercise %d, the right answer", k), func() { c.run(stub.id); c.run(check) })
		c.shows(check, "✓")
		c.lacks(check, "✗", "○")
		c.verdict(check, "right")
	}
}

// verdict takes a picture of what a check says.
func (c *class) verdict(id, name string) {
	c.Helper()
	pages.Eval[bool](c.Page, `(client.cell(%q).querySelector(".live-outputs").scrollIntoView({block: "end"}), true)`, id)
	c.Shot(id + "-" + name)
}

// answer returns the name of the function that a cell checks, and the function that the solution passes instead.
func answer(t *testing.T, check, solution string) (function, right string) {
	t.Helper()
	argument := func(source string) string {
		const before = "func _() {\n"
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "", "package p\n"+before+source+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		call := file.Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.ExprStmt).X.(*ast.CallExpr)
		at := func(p token.Pos) int { return set.Position(p).Offset - len("package p\n"+before) }
		return source[at(call.Args[1].Pos()):at(call.Args[1].End())]
	}
	return argument(check), argument(solution)
}

// put returns a cell's source with another function in place of the one that it declares.
func put(t *testing.T, source, function, value string) string {
	t.Helper()
	const before = "package p\nfunc _() {\n"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", before+source+"\n}", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		a, ok := statement.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			continue
		}
		if name, ok := a.Lhs[0].(*ast.Ident); ok && name.Name == function {
			at := func(p token.Pos) int { return set.Position(p).Offset - len(before) }
			return source[:at(a.Rhs[0].Pos())] + value + source[at(a.Rhs[0].End()):]
		}
	}
	t.Fatalf("no %s is declared in\n%s", function, source)
	return ""
}

// print prints the times as a table.
func (c *class) print() {
	var b strings.Builder
	total := time.Duration(0)
	for _, s := range c.steps {
		total += s.took
		fmt.Fprintf(&b, "| %s | %.1f | %.1f |\n", s.name, s.took.Seconds(), s.still.Seconds())
	}
	load, _ := os.ReadFile("/proc/loadavg")
	c.Logf("%s at 390 px, 1/%d of a core of %s; load of the machine %s; %v in all\n| step | s | longest without a sign, s |\n|---|--:|--:|\n%s",
		lesson, slowness, processor(), strings.TrimSpace(string(load)), total.Round(time.Second), b.String())
}

// processor returns the name of this machine's processor.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// TestTelephone shows a page at a phone's width: no content is cut off at the side, and the page does not
// scroll sideways.
func TestTelephone(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t, 0), "tour.html", pages.Options{Width: 360, Height: 740, Dark: true})
		r.narrow(360)
		r.press("run-all")
		r.Until(`client.states().every(s => s === "done")`)
		r.edit("last", `fmt.Println("a line that is much longer than a telephone is wide, which an editor has to break somewhere")`)
		r.narrow(360)
		for k, id := range []string{"imports", "plot", "table", "interact", "controls", "last"} {
			pages.Eval[bool](r.Page, `(client.cell(%q).scrollIntoView(), true)`, id)
			r.Shot(fmt.Sprintf("telephone-%d", k))
		}
		r.press("files")
		r.narrow(360)
		r.Shot("telephone-files")
	})
}

// narrow checks that nothing is wider than a window of that width.
func (r reader) narrow(most float64) {
	r.Helper()
	if width := pages.Eval[float64](r.Page, `document.documentElement.scrollWidth`); width > most {
		r.Errorf("the page is %v wide", width)
	}
	if wide := pages.Eval[[]string](r.Page, `client.wide()`); len(wide) > 0 {
		r.Errorf("wider than the window: %v", wide)
	}
}
