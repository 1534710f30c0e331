package live

import (
	_ "embed"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// stranger is a notebook that tries to set window.taken in the page, through each part of the notebook format
// from which HTML is made.
//
//go:embed testdata/stranger.ipynb
var stranger string

// TestStranger opens a notebook of a stranger, which must not run scripts in the page's origin without the
// reader's consent.
func TestStranger(t *testing.T) {
	steps := []step{{"open", strangerOpened}, {"run", strangerRun}, {"load again", strangerAgain}, {"trust", strangerTrusted}}
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t, 0), "exit.html", pages.Options{Harmless: []string{"denied", "cross-origin", "insecure", "nowhere-last"}})
		r.Choose(func() { r.press("open") }, r.file("stranger.ipynb", stranger))
		r.Until(`document.body.innerText.includes("A stranger's notebook")`)
		r.steps(steps)
	})
}

// untouched checks that no script has run in the page, after waiting for frames to run.
func (r reader) untouched() {
	r.Helper()
	r.Until(`[...document.querySelectorAll(".output iframe")].length > 0`)
	// Pictures that cannot be loaded report their errors late, but not later than this picture, which is
	// requested last.
	pages.Eval[bool](r.Page, `new Promise(done => { const i = new Image(); i.onerror = () => setTimeout(done, 300, true); i.src = "nowhere-last" })`)
	if taken := pages.Eval[string](r.Page, `window.taken || ""`); taken != "" {
		r.Errorf("a script of the stranger's has run in the page: %s", taken)
	}
	if pages.Eval[bool](r.Page, `document.title === "taken" || !!localStorage.taken`) {
		r.Error("a frame has reached the page or its storage")
	}
	for _, bad := range []string{
		`[...document.querySelectorAll("iframe")].some(e => e.getAttribute("sandbox") !== "allow-scripts")`,
		`[...document.querySelectorAll("section.text *, .output *")].some(e => [...e.attributes].some(a => /^on/.test(a.name) || /^\s*javascript:/i.test(a.value)))`,
		`[...document.querySelectorAll("section.text [data-do], section.text form")].length > 0`,
		`(e => e && getComputedStyle(e).position === "fixed")([...document.querySelectorAll("section.text *")].find(e => e.innerText === "over everything"))`,
	} {
		if pages.Eval[bool](r.Page, "!!(%s)", bad) {
			r.Errorf("the page has %s", bad)
		}
	}
}

func strangerOpened(r reader) {
	r.untouched()
	r.Until(`client.button("trust")`)
	r.Shot("stranger")
}

// strangerRun runs the stranger's cells: their output is in a frame too, and Go has no access to the page.
func strangerRun(r reader) {
	r.focus("html")
	r.Key(pages.Enter, pages.Control)
	r.ends("html", "done")
	r.untouched()
	r.Eventually("a frame has the page's style", `[...document.querySelectorAll(".output iframe")].every(e => e.srcdoc.includes("--paper"))`)
	r.focus("js")
	r.Key(pages.Enter, pages.Control)
	r.ends("js", "failed")
	r.shows("js", "syscall/js")
	r.Shot("stranger-run")
}

// strangerAgain reloads the page, which still treats an opened notebook as a stranger's.
func strangerAgain(r reader) {
	r.reload()
	if pages.Eval[bool](r.Page, `document.body.innerText.includes("A stranger's notebook")`) {
		r.untouched()
		return
	}
	r.Choose(func() { r.press("open") }, r.file("stranger.ipynb", stranger))
	r.Until(`document.body.innerText.includes("A stranger's notebook")`)
	r.untouched()
}

// strangerTrusted gives the reader's consent.
func strangerTrusted(r reader) {
	r.press("trust")
	r.Until(`window.taken`)
	r.Until(`document.querySelectorAll(".output iframe").length === 0`)
	r.Shot("trusted")
}
