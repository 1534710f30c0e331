package headless

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"overcomplete/internal/smallpng"
	"overcomplete/kernel/notebook"
)

// TestSmallOutputs: the picture in one output is reduced, in a copy of the output. The other outputs are left
// alone.
func TestSmallOutputs(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 200, 100))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 * 100 {
		m.Set(i%200, i/200, color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), 90, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString(b.Bytes()) + "\n"
	old := []notebook.Output{
		notebook.NewStream("stdout", "hello"),
		{"output_type": "display_data", "data": map[string]any{"image/png": text, "text/plain": "a figure"}, "metadata": map[string]any{}},
		{"output_type": "display_data", "data": map[string]any{"image/png": "no picture"}},
		{"output_type": "display_data", "data": map[string]any{"text/html": `<img src="data:image/png;base64,` + strings.TrimSpace(text) + `">`}},
		{"output_type": "display_data", "data": map[string]any{"text/html": "<table></table>", "text/markdown": "| |", "text/plain": "table"}},
		{"output_type": "display_data", "data": map[string]any{"text/markdown": "*text*", "text/plain": "text"}},
	}
	now := smallOutputs(old)
	if got := old[1]["data"].(map[string]any)["image/png"]; got != text {
		t.Error("the output itself has changed")
	}
	data := now[1]["data"].(map[string]any)
	want := base64.StdEncoding.EncodeToString(smallpng.Recompress(smallpng.Reduce(b.Bytes()))) + "\n"
	if data["image/png"] != want || len(want) >= len(text) || data["text/plain"] != "a figure" {
		t.Errorf("%d letters, of %d", len(data["image/png"].(string)), len(text))
	}
	if got := now[3]["data"].(map[string]any)["text/html"]; got != `<img src="data:image/png;base64,`+strings.TrimSpace(want)+`">` {
		t.Errorf("%.100s", got)
	}
	if got := now[4]["data"]; !reflect.DeepEqual(got, map[string]any{"text/html": "<table></table>", "text/plain": "table"}) || len(old[4]["data"].(map[string]any)) != 3 {
		t.Errorf("a table: %v", got)
	}
	if !reflect.DeepEqual(now[5], old[5]) {
		t.Errorf("Markdown alone: %v", now[5])
	}
	if now[0].Text() != "hello" || now[2]["data"].(map[string]any)["image/png"] != "no picture" {
		t.Errorf("%v", now)
	}
}
