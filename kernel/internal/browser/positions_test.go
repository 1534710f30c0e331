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

// positionsCell has a slider and a menu, and shows a square of a colour, at one position an error.
const positionsCell = `import ("fmt"; "overcomplete/ui/widget")
widget.Interact(func(k int, colour string) any {
	return display.SVG(fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='90'><rect width='300' height='90' fill='%s'/></svg>", 300/k, colour))
}, widget.IntSlider("k", 0, 4, 2), widget.Dropdown("colour", []string{"rgb(200,0,0)", "rgb(0,120,0)"}, "rgb(200,0,0)"))`

// TestPositions: in a page that was exported the controls of Interact move, without a kernel and a network, light and
// dark, also where the page was cleaned.
func TestPositions(t *testing.T) {
	pages.Chromium.Here(t)
	dir, program := t.TempDir(), serve.Binary(t)
	nb, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{
		map[string]any{"cell_type": "code", "id": "a", "source": positionsCell, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "square.ipynb"), nb, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "square.ipynb", "--out", "ran.ipynb"},
		{"export", "ran.ipynb", "--out", "light.html", "--trust"},
		{"export", "ran.ipynb", "--out", "dark.html", "--clean"},
	} {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			p := pages.Chromium.Open(t, "file://"+filepath.Join(dir, theme+".html"), pages.Options{Dark: theme == "dark", Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
			p.Until(`document.querySelector("[data-moves='ready']")`)
			if pages.Eval[bool](p, `matchMedia("(prefers-color-scheme: dark)").matches`) != (theme == "dark") {
				t.Fatal("the browser has not the theme")
			}
			// What is seen in the middle of the picture, and how wide it is.
			picture := func(want string) {
				p.Helper()
				p.Eventually("the picture", `(() => {
					const img = document.querySelector("[data-part='result'] img"), c = document.createElement("canvas"), g = c.getContext("2d");
					g.drawImage(img, 0, 0);
					return img.naturalWidth + ": " + g.getImageData(10, 40, 1, 1).data.slice(0, 3).join();
				})() === %q`, want)
			}
			picture("150: 200,0,0")
			p.Shot("positions-" + theme)
			const slider, menu = `[data-part="controls"] input`, `[data-part="controls"] select`
			says := func(want string) {
				p.Helper()
				if got := pages.Eval[string](p, `document.querySelector(%q).parentNode.querySelector("output").textContent`, slider); got != want {
					t.Errorf("beside the slider stands %q, want %q", got, want)
				}
			}
			says("2")
			pages.Eval[bool](p, `(document.querySelector(%q).focus(), true)`, slider)
			p.Key(pages.ArrowRight)
			picture("100: 200,0,0")
			says("3")
			p.Key(pages.ArrowRight)
			p.Key(pages.ArrowRight) // there is no more
			picture("75: 200,0,0")
			says("4")
			pages.Eval[bool](p, `(document.querySelector(%q).focus(), true)`, menu)
			p.Key(pages.ArrowDown)
			picture("75: 0,120,0")
			p.Shot("positions-moved-" + theme)

			// With the mouse to the left end, where the function panics.
			box := pages.Eval[[]float64](p, `(r => [r.left, r.right, r.top + r.height / 2])(document.querySelector(%q).getBoundingClientRect())`, slider)
			p.HitAt(pages.Point{X: box[0] + 4, Y: box[2]})
			says("0")
			p.Eventually("the panic", `document.querySelector("[data-part='result']").innerText.includes("the function panicked for k = 0, colour = rgb(0,120,0): runtime error: integer divide by zero")`)
			if n := pages.Eval[int](p, `document.querySelectorAll("[data-part='result'] img").length`); n != 0 {
				t.Error("the picture of another position stands beside it")
			}
			p.Shot(fmt.Sprintf("positions-panic-%s", theme))
			p.HitAt(pages.Point{X: (box[0] + box[1]) / 2, Y: box[2]})
			picture("150: 0,120,0")
			if pages.Eval[bool](p, `getComputedStyle(document.querySelector("[data-part='hint']")).display !== "none"`) {
				t.Error("it is said how to move what moves")
			}
		})
	}
}
