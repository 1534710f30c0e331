// Package positions defines the format in which a notebook file keeps the results of widget.Interact for each position
// of its controls. It also contains the script that reads these results and makes the controls of a page work without
// a kernel and without a network. Package widget writes the format; package clean recognizes it in notebooks of
// unknown origin.
//
// # The form
//
// Every viewer of the file shows the controls and the last result. Beside them, the file has two more elements: the
// data, as JSON in a script element of a special type that browsers do not execute, and the script. The data contain
// one frame for each distinct result. All frames are compressed together, because pictures of a moving line have
// nearly everything in common. Viewers that drop scripts drop both elements.
//
// # Why the script is harmless
//
// The script shows the data as text, as HTML, or as a picture in an img element, where SVG neither runs scripts nor
// fetches anything. Clean sanitizes the HTML in the same way as the page's own HTML, and accepts only data of this
// format. In a cleaned page the current script replaces the script in the file, so sliders in files of older versions
// keep working.
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
	// Variable is the environment variable with the number of positions for which Interact calls its
	// function, so that the controls move in the saved notebook. If it is not set, the number is 0.
	Variable = "OVERCOMPLETE_POSITIONS"
	// Usual is the number of positions when a notebook is run in order to save it.
	Usual = 200
	// Most limits the number of positions that a page keeps for one call to Interact.
	Most = 1000
	// Type is the type of the script element with the data.
	Type = "application/x-overcomplete-positions+json"
	// mostBytes bounds the size of the unpacked frames.
	mostBytes = 64 << 20
)

// Script finds the output of Interact in the page and makes its controls work. Each output contains the script,
// because a notebook that is saved and opened again has nothing but its outputs.
var Script = WithPlay(script)

//go:embed positions.js
var script string

//go:embed play.js
var play string

// WithPlay returns the script with its line /* play.js */ replaced by a JavaScript function, called play, that makes
// the button of widget.Play move a slider. It works with any script that responds to the slider's input events.
func WithPlay(script string) string { return strings.Replace(script, "/* play.js */\n", play, 1) }

// Data is the input of the script that makes the controls of a page work.
type Data struct {
	Controls []Control `json:"controls"`
	// At holds the frame number for each combination of positions; the last control varies fastest.
	At []int `json:"at"`
	// Note says which positions were saved, if not all of them were.
	Note string `json:"note,omitempty"`
	// Frames is the result of Pack.
	Frames string `json:"frames"`
}

// A Control holds the names of its positions, and the index of the position that is shown first.
type Control struct {
	Values []string `json:"values"`
	Start  int      `json:"start"`
}

// A Frame is what is shown below the controls for one or more combinations of their positions.
type Frame []Part

// A Part is a piece of text or HTML, or a picture. A picture is either an SVG, or a PNG, JPEG or GIF as a data URI in
// Image.
type Part struct {
	Text   string `json:"text,omitempty"`
	HTML   string `json:"html,omitempty"`
	SVG    string `json:"svg,omitempty"`
	Image  string `json:"image,omitempty"`
	Alt    string `json:"alt,omitempty"`
	Width  int    `json:"width,omitempty"` // in CSS pixels, 0 for the picture's own width
	Height int    `json:"height,omitempty"`
	Plot   bool   `json:"plot,omitempty"` // dark ink on white, which a dark page may invert
}

// Pack compresses frames for the field Frames of Data.
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

// Unpack reverses Pack. The input may come from an untrusted source: Unpack returns an error if it is invalid or
// unpacks to more than 64 MiB.
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
	return frames, unmarshalStrict(b, &frames)
}

// unmarshalStrict parses JSON. It returns an error if the JSON has fields that v lacks, or if text follows the JSON.
func unmarshalStrict(b []byte, v any) error {
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

// Elements returns two script elements, one with d as JSON and one with Script. They belong in an element with the
// attribute data-positions, which also contains the elements with data-part="controls" and data-part="result". Each
// control needs an attribute data-position.
func (d Data) Elements() string {
	b, err := json.Marshal(d) // Marshal escapes <, > and &, so no string can end the element
	if err != nil {
		panic(fmt.Sprintf("positions: %v", err)) // strings and numbers cannot fail
	}
	return Elements(string(b)) + "\n"
}

// Elements returns the same two script elements as Data.Elements, for data in the JSON form that Clean returns.
func Elements(data string) string {
	return "<script type=\"" + Type + "\">" + data + "</script>\n<script>\n" + Script + "</script>"
}

// picture matches the data URIs that a picture may have. SVG is in a separate field.
var picture = regexp.MustCompile(`^data:image/(?:png|jpeg|gif);base64,[A-Za-z0-9+/=]*$`)

// Clean checks the JSON of a Data from a notebook of unknown origin. It returns the JSON with all HTML sanitized by the
// given function (html), and a list of what this function removed. ok is false if text is not valid data of this
// format.
func Clean(text string, html func(string) (string, []string)) (cleaned string, left []string, ok bool) {
	var d Data
	if strings.Contains(text, "<") || unmarshalStrict([]byte(text), &d) != nil {
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

// fits returns an error if d is internally inconsistent or does not fit the unpacked frames, so that the script could
// not work with it.
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

// NotSaved returns the note that is shown below controls if, because of the given limit, only their current position
// was saved.
func NotSaved(limit string) string {
	return " Other positions are not saved (limit: " + limit + ")."
}

var (
	notSaved   = regexp.MustCompile(` Other positions are not saved \(limit: [^<)]*\)\.`)
	elements   = regexp.MustCompile(`(?s)<script type="` + regexp.QuoteMeta(Type) + `">.*?</script>\n<script>.*?</script>\n`)
	attributes = regexp.MustCompile(` data-positions?="[0-9]+"`)
)

// Without returns the HTML of an output without everything that depends on the saved positions: the two script
// elements, the note of NotSaved, and the attributes data-positions and data-position. So the outputs of two runs can
// be compared even if the runs saved different positions.
func Without(html string) string {
	return attributes.ReplaceAllString(notSaved.ReplaceAllString(elements.ReplaceAllString(html, ""), ""), "")
}
