// Package slider shows one of several pictures, chosen with a slider, in a notebook and in web pages exported
// from the notebook. Once shown, a slider needs no kernel, and it loads nothing from elsewhere.
//
//	slider.New("Reconstruction from k axes", []string{"k = 1", "k = 10"}, frames)
//
// All pictures go into ONE image, one below the other, which is embedded in the page as a data URI; the
// slider moves this image behind a window the size of one frame. Pictures may be small: Zoom enlarges
// their pixels in the browser, not in the file.
//
// If scripts do not run (the notebook is not trusted, or a site strips scripts), the slider stays hidden.
// Then readers scroll through the pictures in the window; below, the labels are listed in order, with
// advice to trust the notebook.
//
// For a slider that calls a Go function, see package widget.
package slider

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/draw"
	"image/png"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"overcomplete/ui/display"
)

// A Slider shows one of several pictures of the same size, each with a label.
type Slider struct {
	Title   string
	Labels  []string
	Caption string // shown below; may be empty
	// Start is the index of the frame that is shown first.
	Start int
	// Zoom enlarges pictures in the browser by a whole number, without smoothing.
	// 0 means 1.
	Zoom int

	sprite []byte // PNG, all frames one below the other
	frames []image.Image
	w, h   int
}

// New returns a slider for frames and their labels. It panics if there are no frames, if a frame is nil, if
// the frames differ in size, or if the number of labels differs from the number of frames.
func New(title string, labels []string, frames []image.Image) *Slider {
	if len(frames) == 0 || len(labels) != len(frames) {
		panic(fmt.Sprintf("slider: New: %d labels for %d frames", len(labels), len(frames)))
	}
	for i, f := range frames {
		if isNil(f) {
			panic(fmt.Sprintf("slider: New: frame %d is nil", i))
		}
	}
	size := frames[0].Bounds().Size()
	if size.X <= 0 || size.Y <= 0 {
		panic("slider: New: frame 0 is empty")
	}
	grey := true
	for i, f := range frames {
		if f.Bounds().Size() != size {
			panic(fmt.Sprintf("slider: New: frame %d has %v pixels, frame 0 has %v", i, f.Bounds().Size(), size))
		}
		_, ok := f.(*image.Gray)
		grey = grey && ok
	}
	all := image.Rect(0, 0, size.X, size.Y*len(frames))
	var sheet draw.Image = image.NewNRGBA(all)
	if grey {
		sheet = image.NewGray(all)
	}
	for i, f := range frames {
		draw.Draw(sheet, image.Rect(0, i*size.Y, size.X, (i+1)*size.Y), f, f.Bounds().Min, draw.Src)
	}
	return &Slider{Title: title, Labels: append([]string(nil), labels...), sprite: encode(sheet), frames: append([]image.Image(nil), frames...), w: size.X, h: size.Y}
}

// isNil reports whether f is nil or an interface with a nil pointer.
func isNil(f image.Image) bool {
	v := reflect.ValueOf(f)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// Note sets the caption and returns s.
func (s *Slider) Note(caption string) *Slider { s.Caption = caption; return s }

// At sets the index of the frame that is shown first. It panics if there is no such frame. It returns s.
func (s *Slider) At(frame int) *Slider {
	if frame < 0 || frame >= len(s.Labels) {
		panic(fmt.Sprintf("slider: At: there is no frame %d, there are %d", frame, len(s.Labels)))
	}
	s.Start = frame
	return s
}

// Scale sets s.Zoom, the factor by which the browser enlarges the pictures, and returns s. It panics unless zoom is
// between 1 and 64.
func (s *Slider) Scale(zoom int) *Slider {
	if zoom < 1 || zoom > 64 {
		panic(fmt.Sprintf("slider: Scale: %d", zoom))
	}
	s.Zoom = zoom
	return s
}

func encode(img image.Image) []byte {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("slider: %v", err)) // a bytes.Buffer does not fail, and the size is already checked
	}
	return b.Bytes()
}

// scrollBar is the space for a scroll bar, in pixels.
const scrollBar = 18

// shownCount counts the sliders shown so far, so that two sliders on a page have different ids.
var shownCount atomic.Int64

// HTML returns the slider as part of a web page. The HTML is about 4/3 as large as the PNG file with all frames. Each
// call uses a new element id.
func (s *Slider) HTML() string {
	sum := sha256.Sum256(append([]byte(s.Title), s.sprite...))
	return s.page(fmt.Sprintf("slider-%s-%d", hex.EncodeToString(sum[:4]), shownCount.Add(1)))
}

func (s *Slider) page(id string) string {
	zoom := max(1, s.Zoom)
	w, h, n := s.w*zoom, s.h*zoom, len(s.Labels)
	start := min(max(0, s.Start), n-1)
	var b strings.Builder
	esc := html.EscapeString
	fmt.Fprintf(&b, "<div data-slider=\"%s\" style=\"max-width:100%%\">\n", id)
	if s.Title != "" {
		fmt.Fprintf(&b, "<p style=\"margin:0 0 4px 0\"><b>%s</b></p>\n", esc(s.Title))
	}
	fmt.Fprintf(&b, "<div data-part=\"bar\" style=\"display:none;margin:0 0 4px 0\"><input type=\"range\" id=\"%s\" min=\"0\" max=\"%d\" value=\"%d\" step=\"1\" aria-label=\"%s\" style=\"width:%dpx;max-width:70%%;vertical-align:middle\"> <output for=\"%s\" style=\"display:block;font-family:monospace\">%s</output></div>\n",
		id, n-1, start, esc(s.Title), max(160, min(w, 420)), id, esc(s.Labels[start]))
	// Without scripts a scroll bar appears next to the pictures.
	fmt.Fprintf(&b, "<div data-part=\"window\" style=\"width:%dpx;max-width:100%%;height:%dpx;overflow-x:auto;overflow-y:scroll\">", w+scrollBar, h)
	fmt.Fprintf(&b, "<img alt=\"%s: %s\" src=\"data:image/png;base64,%s\" style=\"display:block;width:%dpx;height:%dpx;max-width:none;margin:0;padding:0;image-rendering:pixelated\">",
		esc(s.Title), esc(strings.Join(s.Labels, "; ")), base64.StdEncoding.EncodeToString(s.sprite), w, h*n)
	b.WriteString("</div>\n")
	fmt.Fprintf(&b, "<p data-part=\"list\" style=\"font-size:85%%;margin:4px 0\"><b>Scripts do not run here, and so there is no slider: trust this notebook, or run the cell.</b> Until then scroll through the %d pictures, from top to bottom: %s</p>\n", n, esc(strings.Join(s.Labels, "; ")))
	if s.Caption != "" {
		fmt.Fprintf(&b, "<p style=\"font-size:85%%;margin:4px 0;max-width:%dpx\">%s</p>\n", max(w, 480), esc(s.Caption))
	}
	// json.Marshal escapes <, > and &, so that no label can end the script.
	labels, err := json.Marshal(s.Labels)
	if err != nil {
		panic(fmt.Sprintf("slider: %v", err)) // strings cannot fail
	}
	fmt.Fprintf(&b, script, id, labels, w, h)
	b.WriteString("</div>\n")
	return b.String()
}

// script starts each slider that has the given id and does not work yet. There may be several, because a page may
// contain the same output twice.
const script = `<script>
(function () {
  var id = %q, labels = %s, width = %d, height = %d;
  document.querySelectorAll('[data-slider="' + id + '"]').forEach(function (root) {
    if (root.dataset.ready) { return; }
    root.dataset.ready = "1";
    function part(name) { return root.querySelector('[data-part="' + name + '"]'); }
    var bar = part("bar"), win = part("window"), img = win.querySelector("img");
    var input = bar.querySelector("input"), out = bar.querySelector("output");
    function show() {
      var i = Number(input.value);
      img.style.marginTop = (-i * height) + "px";
      out.textContent = labels[i];
      input.setAttribute("aria-valuetext", labels[i]);
    }
    bar.style.display = "block";
    part("list").style.display = "none";
    win.style.overflowY = "hidden";
    win.style.width = width + "px";
    input.addEventListener("input", show);
    input.addEventListener("change", show);
    show();
  });
})();
</script>
`

// PNG returns the frame shown first, for front ends that show no HTML.
func (s *Slider) PNG() []byte { return encode(s.frames[min(max(0, s.Start), len(s.frames)-1)]) }

// Render returns the slider as HTML, and as a single picture for front ends without HTML.
func (s *Slider) Render() display.Data {
	d := display.HTML(s.HTML())
	d.Data[display.MIMETypePNG] = s.PNG()
	d.Data[display.MIMETypeText] = s.String()
	return d
}

// String returns the title and the labels.
func (s *Slider) String() string {
	return fmt.Sprintf("slider: %s: %s", s.Title, strings.Join(s.Labels, "; "))
}

// SpritePNG returns all frames, one below the other, as a PNG file.
func (s *Slider) SpritePNG() []byte { return append([]byte(nil), s.sprite...) }

// values matches the values that a slider inserts into its script.
var values = regexp.MustCompile(`var id = "(slider-[0-9a-f]{8}-[0-9]+)", labels = (\[.*\]), width = ([0-9]{1,6}), height = ([0-9]{1,6});`)

// OwnScript reports whether text is, byte for byte, a script that this package writes for a slider. Such a
// script is harmless, whoever wrote it: it only moves pictures and shows its labels as text.
func OwnScript(text string) bool {
	m := values.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	var labels []string
	if json.Unmarshal([]byte(m[2]), &labels) != nil {
		return false
	}
	again, err := json.Marshal(labels)
	if err != nil {
		return false
	}
	width, err1 := strconv.Atoi(m[3])
	height, err2 := strconv.Atoi(m[4])
	if err1 != nil || err2 != nil {
		return false
	}
	own := fmt.Sprintf(script, m[1], again, width, height)
	return strings.TrimSuffix(strings.TrimPrefix(own, "<script>"), "</script>\n") == text
}
