package rerun

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/positions"
	"overcomplete/kernel/notebook"
)

func TestText(t *testing.T) {
	for name, test := range map[string]struct {
		old, now, want string
		order          bool
	}{
		"same":              {"a\n", "a\n", "", false},
		"a line end":        {"a\n", "a", "", false},
		"a number":          {"loss 0.5130000", "loss 0.5130001", "", false},
		"another number":    {"loss 0.513", "loss 0.517", `line 1 is "loss 0.517", but was "loss 0.513"`, false},
		"counts are exact":  {"1000001 rows", "1000002 rows", `line 1 is "1000002 rows", but was "1000001 rows"`, false},
		"exponents":         {"1.0000001e-9", "1e-9", "", false},
		"signs":             {"-0.5", "0.5", `line 1 is "0.5", but was "-0.5"`, false},
		"typographic minus": {"−0.50000001", "-0.5", "", false},
		"a name":            {"x1.5", "y1.5", `line 1 is "y1.5", but was "x1.5"`, false},
		"durations":         {"took 1.5 s, 3m20s, 17ms", "took 0.25 s, 12s, 900 µs", "", false},
		"clocks":            {"2026-01-02 10:11:12.5 x", "2027-11-12 1:11 x", "", false},
		"addresses":         {"0xc000012345", "0xc0000abcde", "", false},
		"other addresses":   {"0x10", "0x11", `line 1 is "0x11", but was "0x10"`, false},
		"a new line":        {"a\nb", "a\nb\nc", `line 3, "c", is new`, false},
		"a line less":       {"a\nb", "a", `line 2, "b", is missing`, false},
		"order":             {"a 1.5\nb\nc", "c\nb\na 1.5000000001", "line 1 is in a different place", true},
		"NaN":               {"NaN", "0.5", `line 1 is "0.5", but was "NaN"`, false},
		"NaN and NaN":       {"NaN 1.5", "NaN 1.50000001", "", false},
		"empty":             {"", "a", `line 1 is "a", but was ""`, false},
		"huge":              {"1e999", "2e999", `line 1 is "2e999", but was "1e999"`, false},
	} {
		got, order := compareText(test.old, test.now, Tolerance)
		if got != test.want || order != test.order {
			t.Errorf("%s: %q, %v; want %q", name, got, order, test.want)
		}
	}
	long := strings.Repeat("x", 300)
	got, _ := compareText(long+"a"+long, long+"b"+long, 0)
	if !strings.Contains(got, "xb") || !strings.Contains(got, "xa") || len(got) > 300 {
		t.Errorf("of long lines the part that differs is not shown: %s", got)
	}
}

func picture64(t *testing.T, c color.Color, w int) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, 20))
	for i := range w * 20 {
		img.Set(i%w, i/w, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()) + "\n"
}

func code(id, source string, outputs ...notebook.Output) *notebook.Cell {
	c := notebook.NewCode(source)
	c.ID, c.Outputs, c.ExecutionCount = id, outputs, 1
	return c
}

func value(t *testing.T, data map[string]any) notebook.Output {
	t.Helper()
	o, err := notebook.NewResult(1, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestCompare(t *testing.T) {
	grey, greyer, white := picture64(t, color.Gray{100}, 30), picture64(t, color.Gray{101}, 30), picture64(t, color.White, 30)
	out := func(s string) notebook.Output { return notebook.NewStream("stdout", s) }
	text := func(s string) notebook.Output { return value(t, map[string]any{"text/plain": s}) }
	type list = []notebook.Output
	for name, test := range map[string]struct {
		old, now list
		want     string
	}{
		"nothing":         {nil, nil, ""},
		"pieces":          {list{out("a"), out("b\n")}, list{out("ab\n")}, ""},
		"two streams":     {list{out("a\n"), notebook.NewStream("stderr", "e"), out("b\n")}, list{notebook.NewStream("stderr", "e"), out("a\nb\n")}, ""},
		"another stream":  {list{out("a\n")}, list{notebook.NewStream("stderr", "a\n")}, `the text "a" instead of the text "a"`},
		"gone":            {list{out("a")}, nil, `the text "a" is missing`},
		"new":             {nil, list{text("7")}, `the value "7" is new`},
		"a value":         {list{text("7")}, list{text("8")}, `line 1 is "8", but was "7"`},
		"an error":        {list{text("7")}, list{notebook.NewError("TypeError", "undefined: x", nil)}, `the error TypeError: undefined: x instead of the value "7"`},
		"the same error":  {list{notebook.NewError("Panic", "boom", []string{"a"})}, list{notebook.NewError("Panic", "boom", []string{"b"})}, ""},
		"another error":   {list{notebook.NewError("Panic", "boom", nil)}, list{notebook.NewError("Panic", "bang", nil)}, `line 1 is "Panic: bang", but was "Panic: boom"`},
		"beside HTML":     {list{value(t, map[string]any{"text/html": "7"})}, list{value(t, map[string]any{"text/html": "7", "text/markdown": "7"})}, ""},
		"beside text":     {list{text("7")}, list{value(t, map[string]any{"text/plain": "7", "text/markdown": "7"})}, "the output now has text/markdown"},
		"a type more":     {list{text("7")}, list{value(t, map[string]any{"text/plain": "7", "text/html": "7"})}, "the output now has text/html"},
		"a type less":     {list{value(t, map[string]any{"text/plain": "7", "image/png": grey})}, list{text("7")}, "the output no longer has image/png"},
		"a picture":       {list{value(t, map[string]any{"image/png": grey})}, list{value(t, map[string]any{"image/png": strings.TrimSpace(grey)})}, ""},
		"another picture": {list{value(t, map[string]any{"image/png": grey})}, list{value(t, map[string]any{"image/png": white})}, "image/png: the picture differs"},
		"a level of grey": {list{value(t, map[string]any{"image/png": grey})}, list{value(t, map[string]any{"image/png": greyer})}, "image/png: the picture differs"},
		"another size":    {list{value(t, map[string]any{"image/png": grey})}, list{value(t, map[string]any{"image/png": picture64(t, color.Gray{100}, 31)})}, "image/png: the size is 31 × 20"},
		"no picture":      {list{value(t, map[string]any{"image/png": grey})}, list{value(t, map[string]any{"image/png": "?"})}, "image/png: the picture differs, or is missing"},
		"a control":       {list{value(t, map[string]any{"text/plain": "s", "application/vnd.jupyter.widget-view+json": map[string]any{"model_id": "a"}})}, list{value(t, map[string]any{"text/plain": "s", "application/vnd.jupyter.widget-view+json": map[string]any{"model_id": "b"}})}, ""},
		"positions":       {list{value(t, map[string]any{"text/html": "<div><b>x</b></div>"})}, list{value(t, map[string]any{"text/html": `<div data-positions="1"><b>x</b>` + positions.Data{}.Elements() + "</div>"})}, ""},
		"order":           {list{out("a\nb\n")}, list{out("b\na\n")}, "order: the printed lines come in a different order"},
	} {
		saved := &notebook.Notebook{Cells: []*notebook.Cell{{Type: notebook.Markdown, ID: "m"}, code("a", "f()", test.old...)}}
		fresh := &notebook.Notebook{Cells: []*notebook.Cell{code("b", "g()", out("other")), code("a", "f()", test.now...)}}
		got := ""
		if list := Compare(saved, fresh, Tolerance); len(list) > 0 {
			if list[0].Cell != 1 || len(list) > 1 {
				t.Errorf("%s: %v", name, list)
			}
			if got = list[0].What; list[0].Order {
				got = "order: " + got
			}
		}
		if got != test.want && (test.want == "" || !strings.HasPrefix(got, test.want)) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Measured times, cells with the tag tagIgnore, and cells in only one notebook are ignored.
func TestIgnored(t *testing.T) {
	a, b := notebook.NewStream("stdout", "1"), notebook.NewStream("stdout", "2")
	saved, fresh := &notebook.Notebook{}, &notebook.Notebook{}
	for id, source := range map[string]string{"a": "%%time\nf()", "b": "x := 1\n  %timeit f()", "c": "f()", "d": "x",
		"e": "%%prof heap\nf()", "f": "%%test -v -bench .\nfunc BenchmarkF(b *testing.B) {}"} {
		saved.Cells = append(saved.Cells, code(id, source, a))
		if id != "d" {
			fresh.Cells = append(fresh.Cells, code(id, source, b))
		}
	}
	i := slices.IndexFunc(saved.Cells, func(c *notebook.Cell) bool { return c.ID == "c" })
	if list := Compare(saved, fresh, 0); len(list) != 1 || list[0].Cell != i {
		t.Errorf("%v, not cell %d", list, i)
	}
	source := saved.Cells[i].Source
	saved.Cells[i].Source = "%%test -run A\nfunc TestA(t *testing.T) {}" // the output is the same each time
	if list := Compare(saved, fresh, 0); len(list) != 1 {
		t.Errorf("%v, not the cell with tests", list)
	}
	saved.Cells[i].Source = source
	saved.Cells[i].SetTags(tagIgnore)
	if list := Compare(saved, fresh, 0); len(list) != 0 {
		t.Errorf("%v", list)
	}
	saved.Cells[i].SetTags()
	j := slices.IndexFunc(fresh.Cells, func(c *notebook.Cell) bool { return c.ID == "c" })
	kept := *fresh.Cells[j]
	fresh.Cells[j].Outputs, fresh.Cells[j].ExecutionCount = nil, 0
	if list := Compare(saved, fresh, 0); len(list) != 0 {
		t.Errorf("a cell that did not run: %v", list)
	}
	fresh.Cells[j] = &kept
	saved.Cells[i].Outputs, saved.Cells[i].ExecutionCount = nil, 0
	if list := Compare(saved, fresh, 0); len(list) != 1 || !strings.HasPrefix(list[0].What, "the cell has not run") {
		t.Errorf("%v", list)
	}
}

// A string equals itself, and comparisons are symmetric.
func FuzzText(f *testing.F) {
	f.Add("a 1.5 s\n0xc000012345", "b -3e7\n\n")
	f.Add("1.0000001\nb", "b\n1")
	f.Fuzz(func(t *testing.T, a, b string) {
		if what, _ := compareText(a, a, 0); what != "" {
			t.Errorf("%q differs from itself: %s", a, what)
		}
		x, p := compareText(a, b, Tolerance)
		y, q := compareText(b, a, Tolerance)
		if (x == "") != (y == "") || p != q {
			t.Errorf("%q, %q: %q and %q", a, b, x, y)
		}
	})
}
