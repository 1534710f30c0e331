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
	// Variable names the environment variable that says for how many positions Interact calls its
	// function, so that its controls move in what is saved. Not set is none.
	Variable = "OVERCOMPLETE_POSITIONS"
	// Usual is how many these are where a notebook is run to be saved.
	Usual = 200
	// Most is how many positions a page carries at most for a call of Interact.
	Most = 1000
	// Type is the type of the script element that has the data.
	Type = "application/x-overcomplete-positions+json"
	// mostBytes is how large the frames may become when they are unpacked.
	mostBytes = 64 << 20
)

// Script finds what Interact has left in the page and moves its controls. It is part of each output,
// since an output is all that a front end keeps.
//
//go:embed positions.js
var Script string

// Data is what the script reads.
type Data struct {
	Controls []Control `json:"controls"`
	// At has the frame of each combination of positions; those of the last control follow each other.
	At []int `json:"at"`
	// Note says which positions there are, where those are not all.
	Note string `json:"note,omitempty"`
	// Frames is what Pack returns.
	Frames string `json:"frames"`
}

// A Control has its positions, as they are called, and the one that comes first.
type Control struct {
	Values []string `json:"values"`
	Start  int      `json:"start"`
}

// A Frame is what stands below the controls at a position.
type Frame []Part

// A Part is a text, a piece of HTML, or a picture: SVG, or a data URI of another kind.
type Part struct {
	Text   string `json:"text,omitempty"`
	HTML   string `json:"html,omitempty"`
	SVG    string `json:"svg,omitempty"`
	Image  string `json:"image,omitempty"`
	Alt    string `json:"alt,omitempty"`
	Width  int    `json:"width,omitempty"` // in pixels of the page, 0 for its own
	Height int    `json:"height,omitempty"`
	Plot   bool   `json:"plot,omitempty"` // ink on white, which a dark page may turn over
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

// Unpack reads what Pack has written. It does not trust it.
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

// strictly reads JSON that has nothing but the fields of v.
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

// Elements returns the two elements that go into an element with the attribute data-positions,
// beside the parts controls, with an attribute data-position in each control, and result.
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

// picture is what an image may be. SVG has a field of its own.
var picture = regexp.MustCompile(`^data:image/(?:png|jpeg|gif);base64,[A-Za-z0-9+/=]*$`)

// Clean returns data of unknown origin with its HTML cleaned by html, and what that has left out. ok is false
// if text is no such data.
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

// fits says what of d the script could not work with.
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

// NotSaved says below the controls, after the sentence about how to move them, that a limit left nothing but what
// stands there.
func NotSaved(limit string) string {
	return " Other positions are not saved (limit: " + limit + ")."
}

var (
	notSaved   = regexp.MustCompile(` Other positions are not saved \(limit: [^<)]*\)\.`)
	elements   = regexp.MustCompile(`(?s)<script type="` + regexp.QuoteMeta(Type) + `">.*?</script>\n<script>.*?</script>\n`)
	attributes = regexp.MustCompile(` data-positions?="[0-9]+"`)
)

// Without returns HTML without its positions, of which two runs may keep different ones.
func Without(html string) string {
	return attributes.ReplaceAllString(notSaved.ReplaceAllString(elements.ReplaceAllString(html, ""), ""), "")
}
