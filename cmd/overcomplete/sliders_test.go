package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/internal/positions"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// slidersCells is a notebook with four calls to Interact. The first has two controls and a function that
// panics at one position. The second has results that are too large in total. The functions of the third and
// the fourth do not return at one position, which the export reaches late (third) or first (fourth).
var slidersCells = []string{
	`import ("fmt"; "math/rand/v2"; "overcomplete/ui/widget"; "strings")`,
	`calls := 0
widget.Interact(func(k int, of string) any {
	calls++
	fmt.Println("printed for", k)
	return display.SVG(fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' width='120' height='90'><rect width='120' height='90' fill='%s'/><text y='20'>%d</text></svg>", of, 6/k))
}, widget.IntSlider("k", -2, 2, 1), widget.Dropdown("colour", []string{"red", "green"}, "red"))`,
	`calls`,
	`widget.Interact(func(k int) any {
	r, b := rand.New(rand.NewPCG(uint64(k), 7)), strings.Builder{}
	for range 40000 { fmt.Fprintf(&b, "%04x", r.IntN(1 << 16)) }
	return display.Text(fmt.Sprint(k, " ", b.String()))
}, widget.IntSlider("large", 0, 100, 50))`,
	`widget.Interact(func(k int) int { for k == 3 {}; return k * k }, widget.IntSlider("endless", 0, 8, 0))`,
	`widget.Interact(func(k int) int { for k == 8 {}; return k * k }, widget.IntSlider("no others", 0, 8, 0))`,
}

// savedPositions returns the saved positions of a page, in page order.
func savedPositions(t *testing.T, page string) (list []positions.Data, frames [][]positions.Frame) {
	t.Helper()
	for rest := page; ; {
		_, after, ok := strings.Cut(rest, `<script type="`+positions.Type+`">`)
		if !ok {
			return list, frames
		}
		text, after, _ := strings.Cut(after, "</script>")
		var d positions.Data
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		f, err := positions.Unpack(d.Frames)
		if err != nil {
			t.Fatal(err)
		}
		list, frames, rest = append(list, d), append(frames, f), after
	}
}

// TestSliders runs a notebook with sliders, and exports the notebook.
func TestSliders(t *testing.T) {
	patient.SkipShort(t, "it runs and exports a notebook several times")
	dir := notebooks(t, map[string][]string{"sliders": slidersCells})
	page := func(args ...string) string {
		t.Helper()
		code, _, errs := output(t, dir, args...)
		if code != 0 {
			t.Fatalf("%v: status %d: %s", args, code, errs)
		}
		return string(testfile.Read(t, filepath.Join(dir, "page.html")))
	}
	if code, _, errs := output(t, dir, "run", "sliders.ipynb", "--out", "ran.ipynb"); code != 0 {
		t.Fatal(errs)
	}
	for _, how := range []string{"--clean", "--trust"} {
		text := page("export", "--out", "page.html", how, "ran.ipynb")
		if n := strings.Count(text, "<script>\n"+positions.Script+"</script>"); n != 3 {
			t.Fatalf("%s: %d scripts for three sliders", how, n)
		}
		if !strings.Contains(text, "Other positions are not saved (limit: 2s of computing).") {
			t.Errorf("%s: it is not said that one has nothing", how)
		}
		list, frames := savedPositions(t, text)
		if len(list) != 3 {
			t.Fatalf("%s: %d sliders", how, len(list))
		}

		two := list[0]
		if got := fmt.Sprint(two.Controls); got != "[{[-2 -1 0 1 2] 3} {[red green] 0}]" || two.Note != "" {
			t.Errorf("%s: the controls are %s, %q", how, got, two.Note)
		}
		for n, at := range two.At {
			k, of := n/2-2, []string{"red", "green"}[n%2]
			f := frames[0][at]
			if len(f) != 2 || f[0].Text != fmt.Sprintf("printed for %d\n", k) {
				t.Errorf("%s: at %d, %s: %+v", how, k, of, f)
				continue
			}
			if k == 0 {
				if want := "the function panicked for k = 0, colour = " + of + ": runtime error: integer divide by zero"; f[1].Text != want {
					t.Errorf("%s: it shows %q, want %q", how, f[1].Text, want)
				}
			} else if !strings.Contains(f[1].SVG, "fill='"+of+"'") || !strings.Contains(f[1].SVG, fmt.Sprintf("%d</text>", 6/k)) {
				t.Errorf("%s: at %d, %s: %s", how, k, of, f[1].SVG)
			}
		}

		large := list[1]
		if n := len(large.Controls[0].Values); n < 3 || n > 10 || large.Note != fmt.Sprintf("Saved: large has %d of its 101 positions (limit: 1 MB). A running notebook has them all.", n) {
			t.Errorf("%s: %d positions: %s", how, n, large.Note)
		}
		if len(large.Frames) > 1_000_000 {
			t.Errorf("%s: %d bytes", how, len(large.Frames))
		}
		for n, at := range large.At {
			if f := frames[1][at]; !strings.HasPrefix(f[0].Text, large.Controls[0].Values[n]+" ") {
				t.Errorf("%s: position %d has %.20s", how, n, f[0].Text)
			}
		}

		if got := strings.Join(list[2].Controls[0].Values, " "); got != "0 2 4 6 8" || !strings.Contains(list[2].Note, "(limit: 2s of computing)") {
			t.Errorf("%s: of the endless one there is %s: %s", how, got, list[2].Note)
		}
	}

	// The outputs are the same as without saved positions, because the last call to the function was for the
	// current values of the controls.
	nb, err := notebook.Read(filepath.Join(dir, "ran.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if got := nb.Cells[2].Outputs[0].Text(); got != "11" { // ten positions and the current one
		t.Errorf("%s calls", got)
	}
	if got := nb.Cells[1].Outputs[1].Text(); !strings.HasPrefix(got, "printed for 1\n") {
		t.Errorf("the text of the output is %q", got)
	}
	if code, out, errs := output(t, dir, "run", "--check", "ran.ipynb"); code != 1 || strings.Count(out, "a fresh run changes") != 1 || !strings.Contains(out, "cell 3") {
		t.Errorf("a check has more to say than that there were fewer calls: %s%s", out, errs)
	}

	// Saving positions can be turned off.
	t.Setenv(positions.Variable, "0")
	if text := page("run", "sliders.ipynb", "--export", "html", "--out", "page.ipynb"); strings.Contains(text, positions.Type) {
		t.Error("there are positions that nobody wants")
	}
}
