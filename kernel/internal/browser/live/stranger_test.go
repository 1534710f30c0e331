package live

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
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

// pictures lists ways to make a page fetch something on its own. %s stands for the address.
var pictures = []string{
	`<img src="%s">`, `<img srcset="%s 1x">`, `<picture><source srcset="%s"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></picture>`,
	`<svg width="9" height="9"><image href="%s" width="9" height="9"/></svg>`, `<svg width="9" height="9"><image xlink:href="%s" width="9" height="9"/></svg>`,
	`<svg width="9" height="9"><filter id="f"><feImage href="%s"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`,
	`<svg width="9" height="9"><rect width="9" height="9" filter="url(%s#f)"/></svg>`, `<svg width="9" height="9"><rect width="9" height="9" mask="u\72l(%s#f)"/></svg>`,
	`<svg width="9" height="9"><rect width="9" height="9" fill="url(%s#f)"/></svg>`, `<svg width="9" height="9"><rect width="9" height="9" clip-path="url('%s#f')"/></svg>`,
	`<table background="%s"><tr><td background="%s">x</table>`, `<div style="background: url(%s)">x</div>`, `<style>div { background: url(%s) }</style>`,
	`<video poster="%s"></video>`, `<audio src="%s" autoplay></audio>`, `<input type="image" src="%s">`, `<link rel="stylesheet" href="%s">`, `<object data="%s"></object>`, `<embed src="%s">`, `<iframe src="%s"></iframe>`,
	`<body background="%s">`, `<svg><use href="%s#x"/></svg>`, `<math><mi href="%s">x</mi></math>`,
}

// TestPictures shows a notebook of a stranger in a page with the sanitizer of live pages. The page requests
// no picture until the reader trusts the notebook.
func TestPictures(t *testing.T) {
	for _, b := range pages.Browsers {
		t.Run(b.Name, func(t *testing.T) {
			b.Here(t)
			var mu sync.Mutex
			asked := map[string]bool{}
			spy := func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				asked[r.URL.Path] = true
				w.WriteHeader(http.StatusNoContent)
			}
			spied := func() (list []string) {
				mu.Lock()
				defer mu.Unlock()
				for path := range asked {
					list = append(list, path)
				}
				return list
			}
			sanitizers, err := filepath.Glob(filepath.Join(pagesOf(t), "live", "purify*.js"))
			if err != nil || len(sanitizers) != 1 {
				t.Fatalf("sanitizers of the site: %v %v", sanitizers, err)
			}
			const page = "../../../live/page/"
			mux := http.NewServeMux()
			mux.HandleFunc("/spy/", spy)
			for path, name := range map[string]string{"sandbox.js": page + "sandbox.js", "addresses.js": page + "addresses.js", "purify.js": sanitizers[0]} {
				mux.HandleFunc("/"+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
			}
			mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, `<!DOCTYPE html><meta charset="utf-8"><title>pictures</title><body><script type="module">
import { loadPurifier, show, trust } from "./sandbox.js";
await loadPurifier("purify.js");
trust.given = false;
window.show = (html) => { const e = document.createElement("div"); document.body.append(e); show(e, html, false); };
window.trust = () => trust.give();
</script>`)
			})
			s := httptest.NewServer(mux)
			defer s.Close()
			p := b.Open(t, s.URL, pages.Options{})
			p.Until(`window.show`)
			for i, html := range pictures {
				address := fmt.Sprintf("%s/spy/%d", s.URL, i)
				pages.Eval[bool](p, `(show(%q), true)`, strings.ReplaceAll(html, "%s", address))
			}
			// A page's last request comes after all its earlier requests.
			last := func(name string) {
				pages.Eval[bool](p, `new Promise(done => { const i = new Image(); i.onload = i.onerror = () => requestAnimationFrame(() => setTimeout(done, 300, true)); i.src = "/spy/%s" })`, name)
			}
			last("last")
			if list := spied(); len(list) != 1 {
				t.Errorf("the page has asked for %v", list)
			}
			pages.Eval[bool](p, `(trust(), true)`)
			last("trusted")
			if list := spied(); len(list) < 4 {
				t.Errorf("trusted, the page has asked for %v alone", list)
			}
		})
	}
}
