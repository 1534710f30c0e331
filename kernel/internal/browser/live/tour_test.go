package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

// A step is performed in a page after the steps before it.
type step struct {
	name string
	do   func(reader)
}

// TestTour does what a reader can do with a notebook in which all cells run.
func TestTour(t *testing.T) {
	steps := []step{
		{"open", opened}, {"run", runOne}, {"run to here", runAbove}, {"run all", runAll}, {"outputs", outputs},
		{"interact", interact}, {"controls", controls}, {"restart", restarted}, {"offline", offline},
	}
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		open(t, b, serveSite(t, 0), "tour.html", pages.Options{}).steps(steps)
	})
}

// TestSteps performs steps that each concern a single cell.
func TestSteps(t *testing.T) {
	steps := []step{
		{"completion", completion}, {"tooltip", tooltip}, {"errors", failures}, {"interrupt", interrupt},
		{"input", input}, {"files", files}, {"cells", cells},
	}
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		open(t, b, serveSite(t, 0), "steps.html", pages.Options{}).steps(steps)
	})
}

// steps performs one step after the other. If a step waits in vain, it skips the rest, which would wait in
// vain too.
func (r reader) steps(list []step) {
	for _, s := range list {
		begin := time.Now()
		if !r.Run(s.name, func(t *testing.T) { s.do(r.in(t)) }) && time.Since(begin) > pages.Soon {
			r.Fatalf("what comes after the step %q was not tried", s.name)
		}
	}
}

// opened checks a page that the reader only reads: the page does not fetch the kernel.
func opened(r reader) {
	r.Shot("open")
	r.Until(`client.states().every(s => s === "idle")`)
	for _, name := range r.site.requests() {
		if strings.HasPrefix(name, "kernel") {
			r.Errorf("%s is fetched before something is run", name)
		}
	}
	if r.Holds(0, `document.querySelectorAll("section.text h1").length !== 1`) {
		r.Error("the text is not there")
	}
}

func runOne(r reader) {
	r.start("imports")
	r.Until(`/MB|%%|fetch|load|start/i.test(client.live())`)
	r.Shot("loading")
	r.ends("imports", "done")
	r.shows("imports", "héllo, wörld ☃")
	if got := r.state("plot"); got != "idle" {
		r.Errorf("a cell below has run: %s", got)
	}
}

func runAbove(r reader) {
	r.pressAt("table", "run-above")
	r.ends("table", "done")
	r.ends("plot", "done")
	if got := r.state("bar"); got != "idle" {
		r.Errorf("a cell below has run: %s", got)
	}
}

func runAll(r reader) {
	r.press("run-all")
	now := `client.cell("bar").querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")`
	r.Until(`Number(%s) > 3 && Number(%[1]s) < 40`, now)
	r.Shot("bar")
	r.Until(`client.states().every(s => s === "done")`)
	r.Until(`%s === "40"`, now)
	if n := pages.Eval[int](r.Page, `client.cell("bar").querySelectorAll("[role=progressbar]").length`); n != 1 {
		r.Errorf("%d bars", n)
	}
	r.shows("last", "the end")
}

func outputs(r reader) {
	r.Until(`client.picture("plot").getBoundingClientRect().width > 200`)
	r.shows("table", "city 0", "1 to 20 of 45")
	r.ClickElement(`client.cell("table").querySelectorAll("thead button")[1]`) // sort by People
	r.ClickElement(`client.cell("table").querySelector("[aria-label='next page']")`)
	r.Until(`client.cell("table").querySelectorAll("tbody tr")[0].innerText.includes("20")`)
	r.shows("clear", "turn 4")
	r.lacks("clear", "turn 3")
	r.Until(`client.cell("update").querySelector(".output strong").innerText === "after"`)
	r.Middle(`client.picture("plot")`)
	r.Shot("outputs")
}

func interact(r reader) {
	drawn := func() string {
		return pages.Eval[string](r.Page, `(e => e ? e.outerHTML : "")(client.picture("interact"))`)
	}
	r.Until(`client.picture("interact").getBoundingClientRect().width > 200`)
	before, moving := drawn(), ""
	r.slide("interact", 7, func() {
		r.Until(`client.picture("interact") && client.picture("interact").outerHTML !== %q`, before)
		moving = drawn()
	})
	r.Shot("interact")
	r.slide("interact", 3, nil)
	r.Until(`client.picture("interact") && ![%q, %q].includes(client.picture("interact").outerHTML)`, before, moving)
	if k := pages.Eval[int](r.Page, `client.cell("interact").querySelectorAll(".output svg, .output img").length`); k != 1 {
		r.Errorf("%d plots", k)
	}
	r.ClickElement(`client.cell("interact").querySelector("[data-plays]:enabled")`)
	r.Until(`client.slider("interact").value === "9"`)

	// Measure the time from a slider's step to its picture, by the browser's clock: the median of several.
	took := pages.Eval[[]float64](r.Page, `(async () => {
		const s = client.slider("interact"), took = [];
		for (const v of [4, 5, 6, 7, 8]) {
			const was = client.picture("interact").outerHTML, begin = performance.now();
			s.value = v;
			for (const kind of ["input", "change"]) s.dispatchEvent(new Event(kind, {bubbles: true}));
			while (!client.picture("interact") || client.picture("interact").outerHTML === was) {
				if (performance.now() - begin > 20000) throw new Error("no picture for " + v);
				await new Promise(done => setTimeout(done, 2));
			}
			took.push(Math.round(performance.now() - begin));
		}
		return took.sort((a, b) => a - b);
	})()`)
	r.Logf("from slider to picture: %v ms", took)
}

func controls(r reader) {
	r.Until(`client.slider("controls") && !client.slider("controls").disabled`)
	r.Shot("controls")
	r.slide("controls", 15, nil)
	at := `client.slider("controls")`
	r.Until(`document.activeElement === %s`, at)
	for k := 0; k < 20 && pages.Eval[float64](r.Page, `Number(%s.value)`, at) != 15; k++ {
		key := pages.ArrowRight
		if pages.Eval[float64](r.Page, `Number(%s.value)`, at) > 15 {
			key = pages.ArrowLeft
		}
		r.Key(key)
	}
	r.shows("controls", "k is now 15")
	pages.Eval[bool](r.Page, `(e => {
		e.selectedIndex = [...e.options].findIndex(o => o.text === "ICA");
		for (const kind of ["input", "change"]) e.dispatchEvent(new Event(kind, {bubbles: true}));
		return true;
	})(client.cell("controls").querySelector(".output select"))`) // the list belongs to the browser, not to the page
	part := func(selector string) string {
		return fmt.Sprintf(`client.cell("controls").querySelector(".output " + %q)`, selector)
	}
	r.ClickElement(part("input[type=checkbox]"))
	r.ClickElement(part("input[type=text]"))
	r.Key("Façade" + pages.Tab)
	r.ClickElement(`[...client.cell("controls").querySelectorAll(".output button")].find(e => e.textContent === "again")`)
	r.shows("controls", "again!")
	r.run("values")
	r.shows("values", "15 ICA true Façade 1")
	r.Shot("controls-moved")
}

// restarted restarts the kernel: the variables no longer exist, and the output stays.
func restarted(r reader) {
	r.restart()
	r.Until(`client.states().every(s => s === "idle")`)
	r.run("plot")
	if got := r.state("imports"); got != "done" {
		r.Errorf("running a cell has left one above it %s", got)
	}
	r.Shot("restarted")
}

// offline uses the page after its server has stopped.
func offline(r reader) {
	r.Until(`navigator.serviceWorker.controller || navigator.serviceWorker.ready.then(() => true)`)
	r.Until(`caches.keys().then(async names => (await Promise.all(names.map(async n => (await (await caches.open(n)).keys()).length))).some(n => n > 0))`)
	r.site.stop()
	r.reload()
	r.run("plot")
	r.Until(`client.picture("plot").getBoundingClientRect().width > 200`)
	r.Shot("offline")
	r.site.start()
}

func completion(r reader) {
	r.run("imports")
	r.run("before")
	r.edit("edit", "")
	r.Key("cou")
	r.Until(`[...document.querySelectorAll(".cm-tooltip-autocomplete li")].some(e => e.innerText.includes("count"))`)
	r.Shot("completion")
	r.Key(pages.Escape)
	r.edit("edit", "")
	r.Key("strings.ToUpperS")
	r.Until(`document.querySelectorAll(".cm-tooltip-autocomplete li").length === 1`)
	r.Until(`document.querySelector(".cm-tooltip-autocomplete li").getBoundingClientRect().top > 0`) // it is created out of sight
	r.ClickElement(`document.querySelector(".cm-tooltip-autocomplete li")`)                          // Enter works only after some time
	r.Until(`client.source("edit") === "strings.ToUpperSpecial"`)
}

func tooltip(r reader) {
	r.edit("edit", "math.Sqrt")
	r.Key(pages.Tab, pages.Shift)
	r.Until(`/square root/.test(document.querySelector(".cm-tooltip")?.innerText) && document.querySelector(".cm-tooltip").getBoundingClientRect().top > 0`)
	r.Shot("tooltip")
	r.Key(pages.Escape)
	r.edit("edit", `fmt.Println("edited", count)`)
	r.Key(pages.Enter, pages.Control) // run only this cell
	r.ends("edit", "done")
	r.shows("edit", "edited 3")
}

func failures(r reader) {
	r.start("wrong")
	r.ends("wrong", "failed")
	r.shows("wrong", "fmt.Println(cuont)", "^", "count")
	r.Shot("error")
	r.start("panics")
	r.ends("panics", "failed")
	r.shows("panics", "index out of range [3] with length 1", "third")
	for _, id := range []string{"wrong", "panics"} {
		r.lacks(id, "ixengine", "goplus", "reflect.", "runtime/", "goroutine ", "\x1b", "[31m")
	}
}

func interrupt(r reader) {
	r.start("loop")
	r.Until(`client.state("loop") === "runs"`)
	r.Shot("running")
	begin := time.Now()
	r.press("interrupt")
	r.ends("loop", "failed")
	r.Logf("stopped after %v, with the click", time.Since(begin).Round(time.Millisecond))
	r.run("turns")
	r.shows("turns", "true")
}

func input(r reader) {
	r.start("ask")
	r.Until(`client.input("ask") && client.input("ask") === document.activeElement`)
	r.Shot("input")
	r.Key("19 23" + pages.Enter)
	r.ends("ask", "done")
	r.shows("ask", "two numbers:", "sum 42")

	r.start("password")
	r.Until(`client.input("password")?.type === "password" && client.input("password") === document.activeElement`)
	r.Key("secret" + pages.Enter)
	r.ends("password", "done")
	r.shows("password", "6 <nil>")
	r.lacks("password", "secret")

	// An interrupt ends an input request, and removes its box.
	r.start("ask")
	r.Until(`client.input("ask")`)
	r.press("interrupt")
	r.ends("ask", "failed")
	r.Until(`!client.input("ask")`)
}

// files passes a file to cells, and downloads a file that a cell has written.
func files(r reader) {
	name := r.file("up.txt", "from the disk")
	r.press("files")
	r.Choose(func() { r.ClickElement(`client.button("upload")`) }, name)
	r.Until(`document.querySelector("dialog[open]").innerText.includes("up.txt")`)
	r.Shot("files")
	r.press("close-files")
	r.run("read")
	r.shows("read", "from the disk <nil>")
	r.press("files")
	got, data := r.Download(func() {
		r.ClickElement(`[...document.querySelectorAll("dialog[open] li")].find(e => e.innerText.includes("down.txt")).querySelector("[data-do=get-file]")`)
	})
	if got != "down.txt" || string(data) != "written by a cell" {
		r.Errorf("downloaded %s with %q", got, data)
	}
	r.press("close-files")
}

// cells adds a cell and removes it.
func cells(r reader) {
	count := pages.Eval[int](r.Page, `client.all().length`)
	r.pressAt("before", "add")
	r.Until(`client.all().length === %d`, count+1)
	id := pages.Eval[string](r.Page, `client.all()[client.all().indexOf(client.cell("before")) + 1].id.slice("cell-".length)`)
	r.edit(id, `fmt.Println("added", count)`)
	r.Key(pages.Enter, pages.Control)
	r.ends(id, "done")
	r.shows(id, "added 3")
	r.Shot("added")
	r.pressAt(id, "remove")
	r.Until(`client.all().length === %d`, count)
}
