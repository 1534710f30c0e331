// Package axe contains only tests. They measure with axe-core, in Chromium, whether everyone can use the pages
// of the notebooks: contrast, names of controls, the order of headings, tables, landmarks, the keyboard. They
// read each exported page, each deck of slides, and the site with its course, its kit for lecturers, the report,
// Go beside numpy and two live pages, in light and in dark. No finding may be serious or critical.
//
//	make axe
//
// axe-core comes from npm, at the version in package.json. The tests skip, and say why, if npm, the network or
// Chromium is missing.
package axe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
	"overcomplete/kernel/internal/browser/serve"
)

func TestMain(m *testing.M) { os.Exit(serve.Run(m)) }

// axe returns the script of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	npm, dir := serve.Program(t, "npm"), t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		serve.Needed(t, "npm could not fetch axe-core (no network?): %v\n%s", err, text)
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// alike lists folders of the site whose pages are made alike, and which of their pages are measured.
var alike = map[string][]string{
	"site/report/notebook/": {"i-con.html", "lecture-attention.html"}, // live
	"site/report/code/":     {"paper/lab/lab.go.html"},
}

// export writes the pages of all notebooks, and the site, which has their slides. It returns the folder of these pages,
// and the addresses, within the folder, of those to measure.
func export(t *testing.T) (folder string, list []string) {
	t.Helper()
	program, folder := serve.Binary(t), t.TempDir()
	root, err := filepath.Abs(serve.Root())
	if err != nil {
		t.Fatal(err)
	}
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(notebooks) == 0 {
		t.Fatal("no notebooks", err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "page"), 0o700); err != nil {
		t.Fatal(err)
	}
	run(append([]string{"export", "--out", filepath.Join(folder, "page")}, notebooks...)...)
	run("site", "--fast", "--out", filepath.Join(folder, "site"))
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte(`http-equiv="refresh"`)) {
			return err // a page that only redirects may be gone before it is measured
		}
		name, err := filepath.Rel(folder, path)
		list = append(list, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(name string) bool {
		for folder, measured := range alike {
			if page, ok := strings.CutPrefix(name, folder); ok {
				return !slices.Contains(measured, page)
			}
		}
		return false
	})
	for folder, measured := range alike {
		for _, page := range measured {
			if !slices.Contains(list, folder+page) {
				t.Fatalf("the site has no %s%s", folder, page)
			}
		}
	}
	return folder, list
}

// A finding is a rule that elements of a page break.
type finding struct {
	Rule, Impact, Help string
	Elements           []string
	Count              int
}

// measure is a script that opens the folded parts of a page, and then runs axe-core in the page. It removes the
// class live, so that all slides are shown, one below the other, and all are measured. By default axe-core does
// not decide about text on a gradient, such as the shade of a table that is cut off, or about text of a single
// character, such as a check mark. So the script removes the shade, and sets an option that makes single
// characters count. axe-core does not decide about text in drawings either; the script itself compares the
// color of that text with the background.
const measure = `(async function () {
	document.querySelectorAll("details").forEach(d => { d.open = true; });
	document.documentElement.classList.remove("live");
	const plain = document.createElement("style");
	plain.textContent = ".wide { background: none !important; }";
	document.head.append(plain);
	await new Promise(done => setTimeout(done, 300));
	axe.configure({checks: [{id: "color-contrast", options: {
		ignoreLength: true, ignorePseudo: false, boldValue: 700, boldTextPt: 14, largeTextPt: 18,
		contrastRatio: {normal: {expected: 4.5}, large: {expected: 3}}, pseudoSizeThreshold: 0.25, shadowOutlineEmMax: 0.1, textStrokeEmMin: 0.03,
	}}]});
	const r = await axe.run(document, {resultTypes: ["violations"], iframes: false});
	const found = r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => ({
		Rule: v.id, Impact: v.impact, Help: v.help, Count: v.nodes.length,
		Elements: v.nodes.slice(0, 6).map(n => n.target.join(" ") + ": " + n.html.slice(0, 150) + (n.any[0] ? " (" + n.any[0].message + ")" : "")),
	}));

	const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	function rgb(color, over) {
		pen.globalAlpha = 1;
		pen.fillStyle = over; pen.fillRect(0, 0, 1, 1);
		pen.fillStyle = color; pen.fillRect(0, 0, 1, 1);
		return Array.from(pen.getImageData(0, 0, 1, 1).data).slice(0, 3);
	}
	const light = c => c.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4).reduce((s, x, i) => s + x * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = getComputedStyle(document.body).backgroundColor;
	const pale = [];
	let texts = 0;
	document.querySelectorAll("main svg text").forEach(t => {
		const style = getComputedStyle(t), box = t.getBoundingClientRect();
		if (!box.width || !t.textContent.trim() || style.fill === ground) { return; } // the rim of a word has the ground's color
		texts++;
		const a = light(rgb(style.fill, ground)), b = light(rgb(ground, ground)), k = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (k < 4.5) { pale.push((t.closest("figure")?.querySelector("b")?.textContent || "") + ": " + t.textContent + " " + style.fill + " " + k.toFixed(2)); }
	});
	if (pale.length) { found.push({Rule: "drawing-contrast", Impact: "serious", Help: "Texts of drawings must have a contrast of 4.5", Count: pale.length, Elements: pale.slice(0, 6)}); }
	return {Passed: r.passes.length, Texts: texts, Findings: found};
})()`

func TestAxe(t *testing.T) {
	if testing.Short() {
		t.Skip("exports all notebooks, and starts a browser")
	}
	pages.Chromium.Here(t)
	script := axe(t)
	folder, list := export(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			p := pages.Chromium.Open(t, "about:blank", pages.Options{Dark: theme == "dark"})
			for _, name := range list {
				t.Run(strings.TrimSuffix(name, ".html"), func(t *testing.T) {
					p := p.In(t)
					p.Navigate(server.URL + "/" + name)
					pages.Eval[bool](p, `((0, eval)(%s), true)`, quote(script))
					said := pages.Eval[struct {
						Passed, Texts int
						Findings      []finding
					}](p, "%s", measure)
					if said.Passed < 10 || strings.HasPrefix(name, "page/") && said.Texts < 50 {
						t.Errorf("only %d rules were met, and only %d texts of drawings measured", said.Passed, said.Texts)
					}
					for _, f := range said.Findings {
						t.Errorf("%s, %s: %s, %d times:\n\t%s", f.Impact, f.Rule, f.Help, f.Count, strings.Join(f.Elements, "\n\t"))
					}
				})
			}
		})
	}
}

// TestNotices checks that the measurement finds what is wrong with a page.
func TestNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	pages.Chromium.Here(t)
	script := axe(t)
	bad := `<!DOCTYPE html><html lang="en"><title>bad</title><main><h1>Bad</h1><p style="color:#aaa">pale</p><button></button><details><summary>more</summary><img src="data:,"></details><b style="color:#009e73">✓</b><svg width="90" height="20"><text y="15" fill="#999">pale</text></svg></main>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, bad) }))
	t.Cleanup(server.Close)
	p := pages.Chromium.Open(t, server.URL, pages.Options{})
	pages.Eval[bool](p, `((0, eval)(%s), true)`, quote(script))
	said := pages.Eval[struct{ Findings []finding }](p, "%s", measure)
	rules := map[string]bool{}
	for _, f := range said.Findings {
		rules[f.Rule] = true
		if f.Rule == "color-contrast" && f.Count != 2 {
			t.Errorf("%d of 2 pale texts are found: %v", f.Count, f.Elements)
		}
	}
	for _, want := range []string{"color-contrast", "button-name", "image-alt", "drawing-contrast"} {
		if !rules[want] {
			t.Errorf("%s is not found: %v", want, said.Findings)
		}
	}
}

// quote returns s as a JavaScript string literal.
func quote(s string) string {
	b, _ := json.Marshal(s) // marshaling a string cannot fail
	return string(b)
}
