package pages

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:embed testdata/page.html
var html []byte

// site serves the page of the test.
func site(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(html)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// inEachBrowser runs a test in each browser.
func inEachBrowser(t *testing.T, do func(*testing.T, Browser)) {
	if testing.Short() {
		t.Skip("starts browsers")
	}
	for _, b := range Browsers {
		t.Run(b.Name, func(t *testing.T) { t.Parallel(); do(t, b) })
	}
}

func TestPage(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b Browser) {
		p := b.Open(t, site(t), Options{Script: "window.early = document.readyState", Width: 700, Height: 500,
			Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
		p.Prefix = b.Name + "-"
		steps := []struct {
			name string
			do   func(Page)
		}{{"opened", opened}, {"hands", hands}, {"files", files}, {"leaving", leaves}, {"tabs", tabs}, {"memory", memory}}
		for _, s := range steps {
			t.Run(s.name, func(t *testing.T) { s.do(p.In(t)) })
		}
		p.Shot("end")
	})
}

func opened(p Page) {
	if got := Eval[string](p, "early"); got != "loading" {
		p.Errorf("the script ran when the page was %q", got)
	}
	if got := Eval[[]int](p, "[innerWidth, innerHeight]"); got[0] != 700 || got[1] != 500 {
		p.Errorf("the window is %v", got)
	}
	p.Resize(360, 640)
	if got := Eval[struct{ A []string }](p, "new Promise(done => setTimeout(() => done({A: ['é', '☃']})))"); len(got.A) != 2 || got.A[1] != "☃" {
		p.Errorf("evaluated to %v", got)
	}
	if Eval[bool](p, `matchMedia("(prefers-color-scheme: dark)").matches`) {
		p.Error("it is dark")
	}
	if !Eval[bool](p, `typeof WebAssembly === "object"`) {
		p.Error("it has no WebAssembly")
	}
	if p.Holds(0, "(function() { throw 1 })()") || p.Holds(0, "undefined.x") {
		p.Error("what fails holds")
	}
}

func hands(p Page) {
	p.Click("#text")
	p.Until(`document.activeElement.id === "text"`)
	p.Key("Hi, é☃x" + Backspace + ArrowLeft + "!" + Enter)
	p.Until(`text.value === "Hi, é!☃" && log.includes("keydown Enter")`)
	p.Key("a", Control)
	p.Key("new")
	p.Until(`text.value === "new"`)
	p.Key(Tab)
	p.Until(`document.activeElement.id === "button"`)
	p.ClickElement("button")
	p.Until(`log.filter(x => x === "click 1").length === 1`)
	p.Hover("text")
	p.Until(`log.includes("over text")`)
	at := Eval[struct{ From, To Point }](p, `(r => ({From: {X: r.x + r.width / 2, Y: r.y + r.height / 2}, To: {X: r.x + r.width - 2, Y: r.y + r.height / 2}}))(range.getBoundingClientRect())`)
	p.Drag(at.From, at.To, func() { p.Until(`range.value > 90 && log.includes("drag 1") && !log.includes("change range")`) })
	p.Until(`log.includes("change range")`)
}

func files(p Page) {
	name := filepath.Join(p.TempDir(), "up.txt")
	if err := os.WriteFile(name, []byte("from the disk"), 0o600); err != nil {
		p.Fatal(err)
	}
	p.Choose(func() { p.Click("#open") }, name)
	p.Until(`log.includes("up.txt: from the disk")`)
	for k := range 2 {
		if name, data := p.Download(func() { p.Click("#save") }); string(data) != fmt.Sprint("download ", k) {
			p.Errorf("%s has %q", name, data)
		}
	}
}

func leaves(p Page) {
	p.Reload()
	p.Until(`log.length === 0 && early === "loading"`)
	Eval[bool](p, `(onbeforeunload = e => e.preventDefault(), true)`)
	p.Reload()
}

func tabs(p Page) {
	q := p.Tab(Eval[string](p, "location.href"))
	q.Click("#button")
	q.Until(`log.includes("click 1")`)
	p.Front()
	p.Until(`log.length === 0 && early === "loading"`)
}

func memory(p Page) {
	before, _ := p.Memory()
	Eval[bool](p, `(window.large = new Uint8Array(200e6).fill(1), true)`)
	after, own := p.Memory()
	p.Logf("%.0f MB, of which %.0f MB its own", float64(after)/1e6, float64(own)/1e6)
	if after < 200e6 || after-before < 120e6 { // garbage may have counted before
		p.Errorf("200 MB more: from %d bytes to %d", before, after)
	}
}

func TestOptions(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b Browser) {
		p := b.Open(t, site(t), Options{Dark: true, Still: true, NoWebAssembly: true})
		if !Eval[bool](p, `matchMedia("(prefers-color-scheme: dark)").matches`) {
			t.Error("it is not dark")
		}
		if !Eval[bool](p, `matchMedia("(prefers-reduced-motion: reduce)").matches`) {
			t.Error("it is not still")
		}
		if Eval[bool](p, `typeof WebAssembly === "object"`) {
			t.Error("it has WebAssembly")
		}
	})
}

// TestFailed: errors of a page's script are reported and fail the test; a browser's complaints about markup
// do not.
func TestFailed(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b Browser) {
		heard := make(chan string, 10)
		p := b.Open(t, site(t), Options{Failed: func(text string) { heard <- text }})
		Eval[float64](p, `(document.body.insertAdjacentHTML("beforeend", "<math><msup><mi>x</mi></msup></math>"), document.body.offsetHeight)`)
		Eval[bool](p, `(setTimeout(() => { throw new Error("on purpose") }), true)`)
		select {
		case text := <-heard:
			if !strings.Contains(text, "on purpose") {
				t.Error(text)
			}
		case <-time.After(Shortly):
			t.Error("nothing was heard")
		}
	})
}
