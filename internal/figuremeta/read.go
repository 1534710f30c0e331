package figuremeta

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

// Limits of a figure's metadata.
const (
	mostEntries = 10_000
	mostData    = 16 << 20 // bytes of the CSV
	farthest    = 1e6      // largest distance from the corner, in SVG units
)

// ErrNone means that an SVG does not contain a figure's metadata.
var ErrNone = errors.New("figuremeta: the SVG has no metadata")

// Read returns the metadata of the figure in an SVG. The error is ErrNone if the SVG has no metadata; invalid metadata
// are an error too.
func Read(svg []byte) (*Figure, error) {
	_, rest, ok := bytes.Cut(svg, []byte(begin))
	text, _, closed := bytes.Cut(rest, []byte(strings.TrimSuffix(end, "\n")))
	if !ok || !closed {
		return nil, ErrNone
	}
	return Parse(text)
}

// Parse parses and checks metadata: text is the JSON inside the SVG's metadata element.
func Parse(text []byte) (*Figure, error) {
	f := &Figure{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("figuremeta: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("figuremeta: %w", err)
	}
	return f, nil
}

func (f *Figure) check() error {
	if f.Version != Version {
		return fmt.Errorf("version %d of a form of version %d", f.Version, Version)
	}
	if len(f.Panels) > mostEntries {
		return fmt.Errorf("%d panels", len(f.Panels))
	}
	if err := checkKeys(f.Keys); err != nil {
		return err
	}
	for i := range f.Panels {
		if err := f.Panels[i].check(); err != nil {
			return fmt.Errorf("panel %d: %w", i, err)
		}
	}
	return nil
}

func checkKeys(list []Key) error {
	if len(list) > mostEntries {
		return fmt.Errorf("%d entries of a legend", len(list))
	}
	for _, k := range list {
		if err := k.Shapes.check(); err != nil {
			return err
		}
	}
	return nil
}

func (r Range) check() error {
	if r[0] < 0 || r[1] < r[0] {
		return fmt.Errorf("shapes from %d to %d", r[0], r[1])
	}
	return nil
}

func (b Box) check() error {
	for _, x := range b {
		if !(x > -farthest && x < farthest) {
			return fmt.Errorf("a box %v", b)
		}
	}
	if b[2] < b[0] || b[3] < b[1] {
		return fmt.Errorf("a box %v", b)
	}
	return nil
}

func (a Axis) check() error {
	ok := false
	switch a.Scale {
	case Linear, Names:
		w := a.Max - a.Min
		ok = w != 0 && w-w == 0
	case Log:
		ok = a.Min > 0 && a.Max > 0 && a.Min != a.Max
	case None:
		ok = a.Min-a.Min == 0 && a.Max-a.Max == 0
	}
	if !ok {
		return fmt.Errorf("a scale %q from %v to %v", a.Scale, a.Min, a.Max)
	}
	return nil
}

func (p *Panel) check() error {
	if len(p.Gaps) > mostEntries {
		return fmt.Errorf("%d gaps", len(p.Gaps))
	}
	for _, b := range p.Gaps {
		if err := b.check(); err != nil {
			return err
		}
	}
	return errors.Join(p.Box.check(), p.Area.check(), p.X.check(), p.Y.check(), p.Shapes.check(), p.Heading.check(), checkKeys(p.Keys))
}

// Data returns the data of f as a CSV, or nil if f has none. It returns an error if the data cannot be unpacked or
// are larger than 16 MiB.
func (f *Figure) Data() ([]byte, error) {
	b, err := f.unpacked()
	if err == nil {
		b, err = transposed(b)
	}
	if err != nil {
		return nil, fmt.Errorf("figuremeta: the data: %w", err)
	}
	return b, nil
}

// unpacked returns the data of f with rows and columns exchanged, or nil if f has none.
func (f *Figure) unpacked() ([]byte, error) {
	packed := func(text string) io.Reader { return base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)) }
	var z io.Reader
	switch {
	case f.Table != "":
		z = brotli.NewReader(packed(f.Table))
	case f.Deflated != "":
		z = flate.NewReader(packed(f.Deflated))
	default:
		return nil, nil
	}
	b, err := io.ReadAll(io.LimitReader(z, mostData+1))
	if err == nil && len(b) > mostData {
		err = fmt.Errorf("more than %d bytes", mostData)
	}
	return b, err
}
