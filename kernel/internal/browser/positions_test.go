package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
	"overcomplete/kernel/internal/browser/serve"
)

// positionsCell has a slider and a menu, and shows a colored box, or an error at one position.
const positionsCell = `import ("fmt"; "overcomplete/ui/widget")
widget.Interact(func(k int, colour string) any {
	return display.SVG(fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='90'><rect width='300' height='90' fill='%s'/></svg>", 300/k, colour))
}, widget.IntSlider("k", 0, 4, 2), widget.Dropdown("colour", []string{"rgb(200,0,0)", "rgb(0,120,0)"}, "rgb(200,0,0)"))`

// ranPositions runs a notebook with the cell. It returns the folder with the executed notebook, ran.ipynb,
// and a function that runs the program in that folder.
func ranPositions(t *testing.T, cell string) (dir string, program func(args ...string)) {
	t.Helper()
	pages.Chromium.Here(t)
	dir = t.TempDir()
	binary := serve.Binary(t)
	program = func(args ...string) {
		t.Helper()
		cmd := exec.Command(binary, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	nb, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{
		map[string]any{"cell_type": "code", "id": "a", "source": cell, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "box.ipynb"), nb, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	program("run", "box.ipynb", "--out", "ran.ipynb")
	return dir, program
}

const (
	positionsSlider = `[data-part="controls"] input`
	positionsMenu   = `[data-part="controls"] select`
	positionsResult = `[data-part="result"]`
)

// A positionsPage is a page with the output of positionsCell.
type positionsPage struct{ page }

// picture waits for a picture with a given width and color.
func (p positionsPage) picture(want string) {
	p.Helper()
	p.Eventually("the picture", `(() => {
		const img = document.querySelector(%q + " img"), c = document.createElement("canvas"), g = c.getContext("2d");
		g.drawImage(img, 0, 0);
		return img.naturalWidth + ": " + g.getImageData(10, 40, 1, 1).data.slice(0, 3).join();
	})() === %q`, positionsResult, want)
}

// says checks the text beside the slider.
func (p positionsPage) says(want string) {
	p.Helper()
	if got := pages.Eval[string](p.page, `document.querySelector(%q).parentNode.querySelector("output").textContent`, positionsSlider); got != want {
		p.Errorf("beside the slider stands %q, want %q", got, want)
	}
}

func (p positionsPage) focus(selector string) {
	p.Helper()
	pages.Eval[bool](p.page, `(document.querySelector(%q).focus(), true)`, selector)
}

// hinted reports whether the page says what the user must do to move the controls.
func (p positionsPage) hinted() bool {
	p.Helper()
	return pages.Eval[bool](p.page, `getComputedStyle(document.querySelector("[data-part='hint']")).display !== "none"`)
}

// move uses the controls by keyboard and mouse.
func (p positionsPage) move(name string) {
	p.Helper()
	p.Until(`document.querySelector("[data-moves='ready']")`)
	p.picture("150: 200,0,0")
	p.says("2")
	p.Shot("positions-" + name)
	p.focus(positionsSlider)
	p.Key(pages.ArrowRight)
	p.picture("100: 200,0,0")
	p.says("3")
	p.Key(pages.ArrowRight)
	p.Key(pages.ArrowRight) // the last position
	p.picture("75: 200,0,0")
	p.says("4")
	p.focus(positionsMenu)
	p.Key(pages.ArrowDown)
	p.picture("75: 0,120,0")
	p.Shot("positions-moved-" + name)

	// Move to the left end with the mouse, where the function panics.
	box := pages.Eval[[]float64](p.page, `(r => [r.left, r.right, r.top + r.height / 2])(document.querySelector(%q).getBoundingClientRect())`, positionsSlider)
	p.ClickAt(pages.Point{X: box[0] + 4, Y: box[2]})
	p.says("0")
	p.Eventually("the panic", `document.querySelector(%q).innerText.includes("the function panicked for k = 0, colour = rgb(0,120,0): runtime error: integer divide by zero")`, positionsResult)
	if n := pages.Eval[int](p.page, `document.querySelectorAll(%q + " img").length`, positionsResult); n != 0 {
		p.Error("the picture of another position stands beside it")
	}
	p.Shot("positions-panic-" + name)
	p.ClickAt(pages.Point{X: (box[0] + box[1]) / 2, Y: box[2]})
	p.picture("150: 0,120,0")
	if p.hinted() {
		p.Error("it is said how to move what moves")
	}
}

// TestPositions: the controls of Interact work in an exported page, without a kernel or a network, in light
// and dark mode, even if HTML was removed from the page.
func TestPositions(t *testing.T) {
	dir, program := ranPositions(t, positionsCell)
	program("export", "ran.ipynb", "--out", "light.html", "--trust")
	program("export", "ran.ipynb", "--out", "dark.html", "--clean")
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			p := positionsPage{pages.Chromium.Open(t, "file://"+filepath.Join(dir, theme+".html"), pages.Options{Dark: theme == "dark", Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})}
			if pages.Eval[bool](p.page, `matchMedia("(prefers-color-scheme: dark)").matches`) != (theme == "dark") {
				t.Fatal("the browser has not the theme")
			}
			p.move(theme)
		})
	}
}

// TestPlay: the button of widget.Play moves the slider to its end, only when it is pressed, and the arrow keys
// move the slider by a step. For a reader who asks for reduced motion, each press is one step.
func TestPlay(t *testing.T) {
	dir, program := ranPositions(t, `import ("fmt"; "overcomplete/ui/widget")
widget.Interact(func(k int) string { return fmt.Sprint("frame ", k) }, widget.Play("k", 0, 4, 1))`)
	program("export", "ran.ipynb", "--out", "page.html", "--clean")
	for k := range 2 * len(pages.Browsers) {
		browser, still := pages.Browsers[k/2], k%2 == 1
		t.Run(fmt.Sprintf("%s/still=%v", browser.Name, still), func(t *testing.T) {
			p := positionsPage{browser.Open(t, "file://"+filepath.Join(dir, "page.html"), pages.Options{Still: still, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})}
			p.Until(`document.querySelector("[data-moves='ready']")`)
			// Every frame and every text of the button from now on.
			seen := func() string { return pages.Eval[string](p.page, `window.seen.join()`) }
			pages.Eval[bool](p.page, `(() => {
				window.seen = [];
				const box = document.querySelector("[data-moves]");
				const look = () => {
					const now = box.querySelector("button").textContent.split(" ")[1] + " " + box.querySelector(%q).innerText.trim().split(" ")[1];
					if (now !== seen.at(-1)) seen.push(now);
				};
				new MutationObserver(look).observe(box, {childList: true, subtree: true, characterData: true});
				return new Promise(done => setTimeout(() => done(true), 1000)); // four frames, if it played by itself
			})()`, positionsResult)
			if got := seen(); got != "" {
				t.Fatalf("before a press it shows %s", got)
			}
			const button = "[data-plays]"
			p.Shot("play")
			want := "Pause 2,Pause 3,Pause 4,Play 4"
			p.Click(button)
			if still {
				want = "Step 2,Step 3,Step 4,Step 0"
				for range 3 {
					p.Click(button)
				}
			}
			p.Eventually("the frames", `(s => s.replace(/^(Play|Pause) 2,/, "Pause 2,"))(seen.join()) === %q`, want)
			if t.Failed() {
				t.Log(seen())
			}

			p.focus(button)
			frame := func(k int) {
				t.Helper()
				p.Eventually("the frame", `document.querySelector(%q).innerText.includes("frame %d")`, positionsResult, k)
				p.says(fmt.Sprint(k))
			}
			if still {
				p.Key(pages.ArrowRight)
				frame(1)
				p.Key(pages.ArrowRight)
				frame(2)
				// Firefox restores the state of buttons and sliders, as it was before the page was loaded again.
				p.Reload()
				p.Until(`document.querySelector("[data-moves='ready']")`)
				start := 0
				fmt.Sscan(pages.Eval[string](p.page, `document.querySelector(%q).innerText.trim().split(" ")[1]`, positionsResult), &start)
				p.says(fmt.Sprint(start))
				p.Click(button)
				frame(start + 1)
				return
			}
			p.Key(pages.ArrowLeft)
			frame(3)
			p.Key(pages.ArrowRight)
			frame(4)
			// The first of two presses begins anew, the second one stops.
			pages.Eval[bool](p.page, `(b => (b.click(), b.click(), new Promise(done => setTimeout(() => done(true), 600))))(document.querySelector(%q))`, button)
			frame(0)
			p.Eventually("the button", `document.querySelector(%q).textContent.endsWith("Play")`, button)
		})
	}
}

// TestPositionsInHosts: the controls also work in the saved output, in any host that runs scripts.
func TestPositionsInHosts(t *testing.T) {
	dir, _ := ranPositions(t, positionsCell)
	text, err := os.ReadFile(filepath.Join(dir, "ran.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Outputs []struct{ Data map[string]any }
		}
	}
	if err := json.Unmarshal(text, &nb); err != nil || len(nb.Cells[0].Outputs) != 2 {
		t.Fatalf("%v: the notebook is\n%s", err, text)
	}
	source := lines(nb.Cells[0].Outputs[1].Data["text/html"])
	for _, host := range hosts {
		if host.script == "" {
			continue // this host is the exported page
		}
		t.Run(host.name, func(t *testing.T) {
			page := "<!doctype html><meta charset=\"utf-8\"><div id=\"place\"></div><template id=\"source\">" + source + "</template><script>const place = document.getElementById('place'), " +
				"source = document.getElementById('source').innerHTML; document.getElementById('source').remove();\n" + host.script + "</script>"
			name := filepath.Join(t.TempDir(), "output.html")
			if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
				t.Fatal(err)
			}
			p := positionsPage{openPage(t, "file://"+name)}
			if host.name != "without scripts" {
				p.move(host.name)
				return
			}
			if !p.hinted() || !pages.Eval[bool](p.page, `document.querySelector(%q).disabled`, positionsSlider) {
				t.Error("it seems that the controls move")
			}
			if got := pages.Eval[string](p.page, `document.querySelector("#place").innerText`); len(got) > 300 {
				t.Errorf("what the script reads is seen: %.300s", got)
			}
			if got := pages.Eval[float64](p.page, `document.querySelector(%q).getBoundingClientRect().height`, positionsResult); got < 90 {
				t.Errorf("the picture is %v high", got)
			}
		})
	}
}

// lines returns text from a notebook file. The text may be stored as a list of lines.
func lines(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	text := ""
	for _, l := range list {
		text += fmt.Sprint(l)
	}
	return text
}
