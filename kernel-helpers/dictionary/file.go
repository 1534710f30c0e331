package dictionary

import (
	"encoding/binary"
	"errors"
	"math"

	"overcomplete/kernel-helpers/internal/statefile"
)

const (
	basisFile uint64 = 1 + iota
	stateFile
)

// ErrFile is wrapped by all errors about the content of a file.
var ErrFile = errors.New("not a usable dictionary file")

var format = &statefile.Format{
	Package: "dictionary", Magic: "OCDICT", Err: ErrFile, Again: "learn again",
	Kinds: []string{
		"it has a basis and no state: read it with Load and give it as Options.Init",
		"it has a state and no basis alone: read it with LoadState",
	},
}

// An encoder appends encoded values to b.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) int(v int)       { e.uint(uint64(v)) }
func (e *encoder) float(v float64) { e.uint(math.Float64bits(v)) }

func (e *encoder) floats(v []float64) {
	e.int(len(v))
	for _, x := range v {
		e.float(x)
	}
}

// A decoder reads values that an encoder wrote.
type decoder struct{ statefile.Decoder }

func newDecoder(b []byte) *decoder { return &decoder{statefile.Decoder{B: b}} }

// count reads the length of a list; size is the least number of bytes that an element takes. It rejects a length for
// which too few bytes are left, so that a corrupt length does not lead to a huge allocation.
func (d *decoder) count(size int) int {
	n := d.Int()
	if n > len(d.B)/size {
		d.Fail()
		return 0
	}
	return n
}

// floats reads a list of numbers. Its length must be one of the allowed lengths.
func (d *decoder) floats(allowed ...int) []float64 {
	n := d.count(8)
	ok := false
	for _, a := range allowed {
		ok = ok || n == a
	}
	if !ok {
		d.Fail()
	}
	if n == 0 || d.Bad {
		return nil
	}
	return d.Floats(n)
}
