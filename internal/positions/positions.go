package positions

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

const (
	// Variable names the environment variable with the number of positions for which Interact calls
	// its function, so that its controls move in the saved notebook. If it is not set, the number
	// is 0.
	Variable = "OVERCOMPLETE_POSITIONS"
	// Usual is this number when a notebook is run to be saved.
	Usual = 200
	// Most is the largest number of positions that a page keeps for one call of Interact.
	Most = 1000
	// Type is the type of the script element with the data.
	Type = "application/x-overcomplete-positions+json"
	// mostBytes bounds the size of the unpacked frames.
	mostBytes = 64 << 20
)

// Script finds the output of Interact in the page and moves its controls. Each output contains it,
// because an output is all that a front end keeps.
//
//go:embed positions.js
var Script string

// Data is the input of the script.
type Data struct {
	Controls []Control `json:"controls"`
	// At holds the frame number of each combination of positions; the last control runs fastest.
	At []int `json:"at"`
	// Note says which positions were saved, if not all were.
	Note string `json:"note,omitempty"`
	// Frames is the result of Pack.
	Frames string `json:"frames"`
}

// A Control holds the names of its positions, and the one that is shown first.
type Control struct {
	Values []string `json:"values"`
	Start  int      `json:"start"`
}

// A Frame is the content below the controls at a position.
type Frame []Part

// A Part is a text, a piece of HTML, or a picture: SVG, or a data URI of another type.
type Part struct {
	Text   string `json:"text,omitempty"`
	HTML   string `json:"html,omitempty"`
	SVG    string `json:"svg,omitempty"`
	Image  string `json:"image,omitempty"`
	Alt    string `json:"alt,omitempty"`
	Width  int    `json:"width,omitempty"` // in pixels of the page, 0 for its own
	Height int    `json:"height,omitempty"`
	Plot   bool   `json:"plot,omitempty"` // dark ink on white, which a dark page may invert
}

// Pack compresses frames.
func Pack(frames []Frame) string {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		err = errors.Join(json.NewEncoder(z).Encode(frames), z.Close())
	}
	if err != nil {
		panic(fmt.Sprintf("positions: %v", err)) // strings and a bytes.Buffer do not fail
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Unpack reverses Pack. It does not trust its input.
func Unpack(packed string) (frames []Frame, err error) {
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(z, mostBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > mostBytes {
		return nil, fmt.Errorf("the frames have more than %d bytes", mostBytes)
	}
	return frames, strictly(b, &frames)
}

// strictly parses JSON that has only the fields of v, and nothing after it.
func strictly(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the data")
	}
	return nil
}

// Elements returns the two script elements. They belong into an element with the attribute
// data-positions, next to the parts controls and result; each control needs an attribute
// data-position.
func (d Data) Elements() string {
	b, err := json.Marshal(d) // which escapes <, > and &: nothing in it ends the element
	if err != nil {
		panic(fmt.Sprintf("positions: %v", err)) // strings and numbers do not fail
	}
	return Elements(string(b)) + "\n"
}

// Elements returns the two elements for data that Clean has returned.
func Elements(data string) string {
	return "<script type=\"" + Type + "\">" + data + "</script>\n<script>\n" + Script + "</script>"
}

// picture matches the data URIs that an image may have. SVG has a field of its own.
var picture = regexp.MustCompile(`^data:image/(?:png|jpeg|gif);base64,[A-Za-z0-9+/=]*$`)

// Clean returns data of unknown origin with its HTML sanitized by html, and a list of what html has
// removed. ok is false if text is not data of this format.
func Clean(text string, html func(string) (string, []string)) (cleaned string, left []string, ok bool) {
	var d Data
	if strings.Contains(text, "<") || strictly([]byte(text), &d) != nil {
		return "", nil, false
	}
	frames, err := Unpack(d.Frames)
	if err != nil || d.fits(frames) != nil {
		return "", nil, false
	}
	for _, f := range frames {
		for i := range f {
			p := &f[i]
			if p.Image != "" && !picture.MatchString(p.Image) {
				return "", nil, false
			}
			if p.HTML != "" {
				var names []string
				p.HTML, names = html(p.HTML)
				left = append(left, names...)
			}
		}
	}
	d.Frames = Pack(frames)
	b, err := json.Marshal(d)
	return string(b), left, err == nil
}

// fits returns an error if the script could not work with d.
func (d Data) fits(frames []Frame) error {
	n := 1
	for _, c := range d.Controls {
		if n *= len(c.Values); n == 0 || n > Most {
			return fmt.Errorf("the controls have no positions, or more than %d", Most)
		}
		if c.Start < 0 || c.Start >= len(c.Values) {
			return fmt.Errorf("there is no position %d to begin with", c.Start)
		}
	}
	if len(d.At) != n || len(frames) > n {
		return fmt.Errorf("there are %d places and %d frames for %d positions", len(d.At), len(frames), n)
	}
	for _, at := range d.At {
		if at < 0 || at >= len(frames) {
			return fmt.Errorf("there is no frame %d", at)
		}
	}
	return nil
}

// NotSaved returns the note below controls for which a limit allowed only the current position.
func NotSaved(limit string) string {
	return " Other positions are not saved (limit: " + limit + ")."
}

var (
	notSaved   = regexp.MustCompile(` Other positions are not saved \(limit: [^<)]*\)\.`)
	elements   = regexp.MustCompile(`(?s)<script type="` + regexp.QuoteMeta(Type) + `">.*?</script>\n<script>.*?</script>\n`)
	attributes = regexp.MustCompile(` data-positions?="[0-9]+"`)
)

// Without returns HTML without its positions, because two runs may save different ones.
func Without(html string) string {
	return attributes.ReplaceAllString(notSaved.ReplaceAllString(elements.ReplaceAllString(html, ""), ""), "")
}
