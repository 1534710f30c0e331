package rerun

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"overcomplete/internal/positions"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/suite/picture"
)

// Tolerance is the default tolerance for the difference between two numbers, relative to the larger number.
const Tolerance = 1e-6

// tagIgnore is the tag of cells whose outputs are not compared. The tool nbval, which also compares outputs, uses the
// same tag.
const tagIgnore = "nbval-ignore-output"

// A Change is a difference that a fresh run makes in the outputs of a cell.
type Change struct {
	Cell int    // index in the saved notebook
	What string // in words, on one line
	// Order is set if only the order of lines has changed. This order may be random.
	Order bool
}

// Compare returns the changes in outputs between a saved notebook and a fresh run of it. Cells are matched by id.
// Compare skips cells that are in only one of the notebooks, that did not run in the fresh run, that were added to set
// the parameters of a single run, or that the package documentation excludes. It modifies neither notebook.
func Compare(saved, fresh *notebook.Notebook, tolerance float64) []Change {
	now := map[string]*notebook.Cell{}
	for _, c := range fresh.Cells {
		now[c.ID] = c
	}
	var list []Change
	for i, c := range saved.Cells {
		other := now[c.ID]
		if c.Type != notebook.Code || other == nil || headless.Injected(c) || c.Tagged(tagIgnore) || measures.MatchString(c.Source) {
			continue
		}
		if other.ExecutionCount == 0 && len(other.Outputs) == 0 {
			continue // the run ended before this cell, or skipped it
		}
		if what, order := compareOutputs(c, other, tolerance); what != "" {
			list = append(list, Change{Cell: i, What: what, Order: order})
		}
	}
	return list
}

// measures matches cells that show measured times or sizes, which differ from run to run.
var measures = regexp.MustCompile(`(?m)^\s*(%%?time(it)?\b|%%prof\b|%%cache\b|%%test\b.*\s-{1,2}bench)`)

// compareOutputs describes how the outputs of a cell differ. The description is "" if the outputs are equal. The result
// order is true if only the order of lines differs.
func compareOutputs(saved, fresh *notebook.Cell, tolerance float64) (what string, order bool) {
	old, now := mergeText(saved.Outputs), mergeText(fresh.Outputs)
	if len(old) == 0 && len(now) > 0 && saved.ExecutionCount == 0 {
		return "the cell has not run, and a run shows " + describe(now[0]), false
	}
	for i := range max(len(old), len(now)) {
		switch {
		case i >= len(old):
			return describe(now[i]) + " is new", false
		case i >= len(now):
			return describe(old[i]) + " is missing", false
		}
		what, moved := compareOutput(old[i], now[i], tolerance)
		if what != "" && !moved {
			return what, false
		}
		if what != "" {
			order = true
		}
	}
	if order {
		return "the printed lines come in a different order", true
	}
	return "", false
}

// mergeText joins consecutive pieces of printed text into one output for each stream. It ignores the order between the
// streams, which is random.
func mergeText(outputs []notebook.Output) []notebook.Output {
	var list []notebook.Output
	text := map[string]string{}
	flush := func() {
		for _, name := range slices.Sorted(maps.Keys(text)) {
			list = append(list, notebook.NewStream(name, text[name]))
		}
		clear(text)
	}
	for _, o := range outputs {
		if o.Type() == notebook.Stream {
			text[fmt.Sprint(o["name"])] += o.Text()
			continue
		}
		flush()
		list = append(list, o)
	}
	flush()
	return list
}

// describe returns a short name for an output.
func describe(o notebook.Output) string {
	switch o.Type() {
	case notebook.Stream:
		return fmt.Sprintf("the text %q", shorten(strings.TrimSpace(o.Text())))
	case notebook.ErrorOutput:
		return fmt.Sprintf("the error %v: %v", o["ename"], shorten(fmt.Sprint(o["evalue"])))
	}
	data, _ := o["data"].(map[string]any)
	for mime := range data {
		if strings.HasPrefix(mime, "image/") {
			return "a picture"
		}
	}
	return fmt.Sprintf("the value %q", shorten(strings.TrimSpace(o.Text())))
}

func compareOutput(old, now notebook.Output, tolerance float64) (what string, order bool) {
	switch {
	case old.Type() == notebook.ErrorOutput && now.Type() == notebook.ErrorOutput:
		a, b := fmt.Sprintf("%v: %v", old["ename"], old["evalue"]), fmt.Sprintf("%v: %v", now["ename"], now["evalue"])
		what, _ = compareText(a, b, tolerance)
		return what, false
	case old.Type() != now.Type(), old.Type() == notebook.Stream && old["name"] != now["name"]:
		return fmt.Sprintf("%s instead of %s", describe(now), describe(old)), false
	case old.Type() == notebook.Stream:
		return compareText(old.Text(), now.Text(), tolerance)
	}
	a, _ := old["data"].(map[string]any)
	b, _ := now["data"].(map[string]any)
	return compareData(a, b, tolerance)
}

// compareData describes how two outputs differ. saved and fresh hold the contents of these outputs by MIME type. Plain
// text is compared first, because readers understand its differences best. The results have the same meaning as those
// of compareOutputs.
func compareData(saved, fresh map[string]any, tolerance float64) (what string, order bool) {
	for _, m := range []map[string]any{saved, fresh} {
		for _, mime := range slices.Sorted(maps.Keys(m)) {
			if isLive(mime) || mime == "text/markdown" && saved[mime] == nil && saved["text/html"] != nil { // a record drops such content
				continue
			}
			if _, ok := saved[mime]; !ok {
				return "the output now has " + mime, false
			}
			if _, ok := fresh[mime]; !ok {
				return "the output no longer has " + mime, false
			}
		}
	}
	types := slices.SortedFunc(maps.Keys(saved), func(a, b string) int {
		if p, q := a == "text/plain", b == "text/plain"; p != q {
			return map[bool]int{true: -1, false: 1}[p]
		}
		return strings.Compare(a, b)
	})
	for _, mime := range types {
		if isLive(mime) {
			continue
		}
		var moved bool
		if isPicture(mime) {
			what = comparePicture(fmt.Sprint(saved[mime]), fmt.Sprint(fresh[mime]))
		} else {
			was, is := textOf(saved[mime]), textOf(fresh[mime])
			if mime == "text/html" {
				was, is = positions.Without(was), positions.Without(is)
			}
			what, moved = compareText(was, is, tolerance)
		}
		switch {
		case what != "" && !moved && mime != "text/plain":
			return mime + ": " + what, false
		case what != "" && !moved:
			return what, false
		case moved:
			order = true
		}
	}
	if order {
		return "different order", true
	}
	return "", false
}

// isLive reports whether content of this type is meaningful only with a running kernel.
func isLive(mime string) bool { return strings.HasPrefix(mime, "application/vnd.jupyter.widget-") }

// textOf returns content as text; JSON values are printed with sorted keys.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// isPicture reports whether content of this type is compared pixel by pixel. Other types, including SVG, are
// compared as text.
func isPicture(mime string) bool { return mime == "image/png" }

// comparePicture describes how two pictures, in base64, differ. It returns "" if they look the same. The old picture
// may have fewer colors, because a recorded notebook keeps its pictures small. So comparePicture also returns "" if
// the pictures look the same after the new picture has been reduced to few colors, too.
func comparePicture(old, now string) string {
	why := compareLooks(old, now)
	if why != "" && compareLooks(old, headless.SmallPicture(now)) == "" {
		return ""
	}
	return why
}

func compareLooks(old, now string) string {
	if old == now {
		return ""
	}
	var looks [2]picture.Signature
	for i, text := range []string{old, now} {
		file, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return "the picture differs, or is missing: " + err.Error()
		}
		if looks[i], err = picture.Look(file); err != nil {
			return "the picture differs, or is missing: " + err.Error()
		}
	}
	_, why := picture.Compare(looks[0], looks[1])
	return why
}
