package export

import (
	"encoding/json"
	"strings"
	"testing"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/positions"
	"overcomplete/kernel/notebook"
)

// The texts of drawings fit at every position; everything else stays.
func TestSavedPositions(t *testing.T) {
	const svg = "<svg><text style=\"font-size:8px;fill:#262626\">abc</text></svg>"
	const png = "data:image/png;base64,AAAA"
	d := positions.Data{Controls: []positions.Control{{Values: []string{"1", "2", "3"}}}, At: []int{0, 1, 2},
		Frames: positions.Pack([]positions.Frame{{{SVG: svg}}, {{Image: png}}, {{SVG: svg, Plot: true}, {Text: "t"}}})}
	page := `<div data-positions="1"><img src="` + png + `"/>` + d.Elements() + "</div>"
	got := withFittedText(page)
	if !strings.Contains(got, png) || !strings.HasSuffix(got, positions.Script+"</script>\n</div>") {
		t.Error("the first picture or the script has changed")
	}
	m := savedPositions.FindStringSubmatch(got)
	if m == nil {
		t.Fatal(got)
	}
	if err := json.Unmarshal([]byte(m[2]), &d); err != nil {
		t.Fatal(err)
	}
	frames, err := positions.Unpack(d.Frames)
	if err != nil || len(frames) != 3 || len(frames[2]) != 2 || frames[1][0].Image != png || frames[2][1].Text != "t" {
		t.Fatal(frames, err)
	}
	for _, p := range []positions.Part{frames[0][0], frames[2][0]} {
		if !strings.HasPrefix(p.SVG, `<svg><text textLength="`) {
			t.Error(p.SVG)
		}
	}
	if plain := `<p data-positions="1">x</p>`; withFittedText(plain) != plain {
		t.Error("HTML without positions has changed")
	}
}

// A figure with an address is not embedded.
func TestFigureAddress(t *testing.T) {
	meta := map[string]any{}
	figuremeta.Name{Figure: "a/b", Sum: "1"}.Put(meta)
	o := notebook.Output{"output_type": "display_data", "data": map[string]any{"image/png": "AAAA"}, "metadata": meta}
	c := &converter{address: func(n figuremeta.Name) string { return "../" + n.Figure + ".svg" }}
	if s := c.pictureHTML(o, "image/png", "AAAA"); !strings.Contains(s, ` src="../a/b.svg"`) || strings.Contains(s, "base64") {
		t.Error(s)
	}
}
