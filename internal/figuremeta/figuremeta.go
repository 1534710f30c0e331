package figuremeta

import "math"

// Version is the version of the format.
const Version = 1

// A Figure holds a figure's description of itself.
type Figure struct {
	Version int     `json:"version"`
	Title   string  `json:"title,omitempty"`
	Caption string  `json:"caption,omitempty"`
	Colors  Colors  `json:"colors"`
	Keys    []Key   `json:"keys,omitempty"` // of the legend that all panels share
	Panels  []Panel `json:"panels"`
	CSV     string  `json:"csv,omitempty"` // the data: deflated, in base64
}

// Colors are the colors, such as "#262626", of everything that is neither data nor legend. A dark
// page replaces them.
type Colors struct {
	Ground string `json:"ground"`
	Ink    string `json:"ink"`
	Quiet  string `json:"quiet"` // captions
	Axis   string `json:"axis"`
	Grid   string `json:"grid"`
}

// A Range is a half-open range of shapes. A shape is a path, a text or an image; the first in the
// SVG has number 0.
type Range [2]int

// Has reports whether shape i is in the range.
func (r Range) Has(i int) bool { return r[0] <= i && i < r[1] }

// A Key is an entry of a legend.
type Key struct {
	Name   string `json:"name"`
	Color  string `json:"color"`
	Shapes Range  `json:"shapes"` // the symbol before the name
}

// A Box holds left, top, right and bottom in units of the SVG, from its upper left corner.
type Box [4]float64

// A Panel is a part of a figure with axes of its own.
type Panel struct {
	Title   string  `json:"title,omitempty"`
	Data    string  `json:"data"` // its name in the CSV
	Row     int     `json:"row,omitempty"`
	Box     Box     `json:"box"`  // the whole panel, without title and legend
	Area    Box     `json:"area"` // where the data are
	X       Axis    `json:"x"`
	Y       Axis    `json:"y"`
	Bars    float64 `json:"bars,omitempty"` // width of all bars at a place, as a fraction of the distance between places
	Keys    []Key   `json:"keys,omitempty"`
	Shapes  Range   `json:"shapes"`           // without the background
	Heading Range   `json:"heading"`          // title and legend, a part of Shapes
	Pixels  bool    `json:"pixels,omitempty"` // it shows a picture, so its colors are data
}

// The scales of an axis.
const (
	Linear = "linear"
	Log    = "log"
	Names  = "names" // linear, with words in place of numbers
	None   = "none"  // no scale
)

// An Axis has Min at the left or at the bottom, and Max at the other end.
type Axis struct {
	Label string  `json:"label,omitempty"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Scale string  `json:"scale"`
}

// share returns the position of a value between Min (0) and Max (1).
func (a Axis) share(v float64) float64 {
	if a.Scale == Log {
		return math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// Place returns the position of a point in the SVG. ok is false if an axis has no scale, or the
// point is outside the area.
func (p *Panel) Place(x, y float64) (left, top float64, ok bool) {
	u, v := p.X.share(x), p.Y.share(y)
	const edge = 1e-4
	ok = p.X.Scale != None && p.Y.Scale != None && u >= -edge && u <= 1+edge && v >= -edge && v <= 1+edge
	return p.Area[0] + u*(p.Area[2]-p.Area[0]), p.Area[3] - v*(p.Area[3]-p.Area[1]), ok
}
