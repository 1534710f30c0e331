// Package figuremeta defines the metadata by which a figure describes itself inside its SVG: a JSON document in the
// SVG's <metadata> element. Package figure writes it. Pages, reports and checks read it, so they need not parse the
// drawing.
//
// figuremeta.go has the types, among them Name, by which a notebook's output says which saved figure it shows; write.go
// writes the metadata into an SVG, read.go reads the metadata back.
//
// # Traps
//
// An SVG may come from an untrusted source. Read checks the metadata that it returns: numbers are finite, ranges
// ascend, lists are bounded. Data unpacks only a bounded number of bytes. A Range holds indices of shapes: callers
// must check them against the number of shapes in the SVG.
package figuremeta

import (
	"math"
	"regexp"
)

// Version is the version of the format.
const Version = 1

// A Figure holds a figure's description of itself.
type Figure struct {
	Version int     `json:"version"`
	Title   string  `json:"title,omitempty"`
	Caption string  `json:"caption,omitempty"`
	Colors  Colors  `json:"colors"`
	Keys    []Key   `json:"keys,omitempty"` // entries of the legend that all panels share
	Panels  []Panel `json:"panels"`
	// Table holds the data in packed form, which Data unpacks: a CSV with rows and columns exchanged, compressed
	// with Brotli, in base64.
	Table string `json:"csv,omitempty"`
	// Deflated is the Table of an older figure. It is compressed with deflate.
	Deflated string `json:"table,omitempty"`
}

// Colors holds the colors, such as "#262626", of all parts of the figure other than data and legend. A dark
// page replaces them.
type Colors struct {
	Ground string `json:"ground"`
	Ink    string `json:"ink"`
	Quiet  string `json:"quiet"` // captions
	Axis   string `json:"axis"`
	Grid   string `json:"grid"`
}

// A Range is a half-open range of shapes. A shape is a path, a text or an image. Shapes are numbered from 0
// in the order of the SVG.
type Range [2]int

// Has reports whether shape i is in the range.
func (r Range) Has(i int) bool { return r[0] <= i && i < r[1] }

// A Key is an entry of a legend.
type Key struct {
	Name   string `json:"name"`
	Color  string `json:"color"`
	Shapes Range  `json:"shapes"` // the symbol in front of the name
}

// A Box holds left, top, right and bottom in SVG units, measured from the upper left corner.
type Box [4]float64

// A Panel is a part of a figure with its own axes.
type Panel struct {
	Title   string  `json:"title,omitempty"`
	Data    string  `json:"data"` // name of its data in the CSV
	Row     int     `json:"row,omitempty"`
	Box     Box     `json:"box"`  // the whole panel, without title and legend
	Area    Box     `json:"area"` // the part that shows the data
	X       Axis    `json:"x"`
	Y       Axis    `json:"y"`
	Bars    float64 `json:"bars,omitempty"` // total width of the bars at a place, as a fraction of the distance between places
	Keys    []Key   `json:"keys,omitempty"`
	Shapes  Range   `json:"shapes"`           // without the background
	Heading Range   `json:"heading"`          // title and legend, a subrange of Shapes
	Pixels  bool    `json:"pixels,omitempty"` // the panel shows a picture, so its colors are data
	Gaps    []Box   `json:"gaps,omitempty"`   // parts of the panel's images that show the background: lines between tiles, places without a tile
}

// The scales of an axis.
const (
	Linear = "linear"
	Log    = "log"
	Names  = "names" // linear, with words instead of numbers
	None   = "none"  // no scale
)

// An Axis has Min at the left or bottom end, and Max at the other end.
type Axis struct {
	Label string  `json:"label,omitempty"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Scale string  `json:"scale"`
}

// share returns where v lies on the axis, as a fraction: 0 at Min, 1 at Max. On an axis with a logarithmic scale, it
// uses logarithms.
func (a Axis) share(v float64) float64 {
	if a.Scale == Log {
		return math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// Place converts the point (x, y), in the units of the axes, to SVG units, measured from the upper left corner of the
// figure. ok is false if an axis has no scale, or if the point is outside the panel's area.
func (p *Panel) Place(x, y float64) (left, top float64, ok bool) {
	u, v := p.X.share(x), p.Y.share(y)
	const edge = 1e-4
	ok = p.X.Scale != None && p.Y.Scale != None && u >= -edge && u <= 1+edge && v >= -edge && v <= 1+edge
	return p.Area[0] + u*(p.Area[2]-p.Area[0]), p.Area[3] - v*(p.Area[3]-p.Area[1]), ok
}

// outputKey is the key of this project's metadata in a notebook's output.
const outputKey = "overcomplete"

// A Name identifies the saved figure that an output shows.
type Name struct {
	Figure string // folder and file name without extension: "lecture-pca/ppca"
	Sum    string // checksum of the figure's SVG
}

// Put writes the name into the metadata of an output.
func (n Name) Put(metadata map[string]any) {
	metadata[outputKey] = map[string]any{"figure": n.Figure, "sum": n.Sum}
}

// named matches valid names, which cannot lead out of the folder with the figures.
var named = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// NameIn returns the name in the metadata of an output; ok is false if there is no valid name.
func NameIn(metadata map[string]any) (n Name, ok bool) {
	own, _ := metadata[outputKey].(map[string]any)
	n.Figure, _ = own["figure"].(string)
	n.Sum, _ = own["sum"].(string)
	return n, named.MatchString(n.Figure) && n.Sum != ""
}
