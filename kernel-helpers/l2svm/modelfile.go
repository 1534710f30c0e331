package l2svm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/atomicfile"
)

// ErrFile identifies errors about the content of a file: they wrap it.
var ErrFile = errors.New("not a usable support vector machine")

// A model file is sealed with a checksum. Its content, little-endian, is K and d as uint64, then C, W, B,
// mean and scale as float64.
const modelMagic = "overcomplete l2svm 1\n"

// Save writes weights, scale and C to a file, atomically. The training history is not saved.
func (m *Model) Save(path string) error {
	K, d := m.W.Dims()
	b := binary.LittleEndian.AppendUint64(nil, uint64(K))
	b = binary.LittleEndian.AppendUint64(b, uint64(d))
	put := func(x ...float64) {
		for _, v := range x {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	put(m.C)
	for k := range K {
		put(m.W.RawRowView(k)...)
	}
	put(m.B...)
	put(m.Scale.Mean...)
	put(m.Scale.SD...)
	if err := atomicfile.WriteSealed(path, modelMagic, b, 0o644); err != nil {
		return fmt.Errorf("l2svm: Save: %w", err)
	}
	return nil
}

// LoadModel reads a file that Save wrote. If the file was not written by Save, or is
// damaged, the error wraps ErrFile.
func LoadModel(path string) (*Model, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("l2svm: LoadModel: %w", err)
	}
	m, err := parseModel(b)
	if err != nil {
		return nil, fmt.Errorf("l2svm: LoadModel: %s: %w: %w; remove it and train anew", path, ErrFile, err)
	}
	return m, nil
}

func parseModel(b []byte) (*Model, error) {
	rest, err := atomicfile.Unseal(modelMagic, b)
	if err != nil {
		return nil, err
	}
	if len(rest) < 16 {
		return nil, errors.New("it has no shape")
	}
	k64, d64 := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
	rest = rest[16:]
	if n := uint64(len(rest)) / 8; k64 == 0 || d64 == 0 || k64 > n || d64 > n/k64 || 8*(1+k64*d64+k64+2*d64) != uint64(len(rest)) {
		return nil, fmt.Errorf("%d classes of %d features do not fit its length", k64, d64)
	}
	K, d := int(k64), int(d64)
	take := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
		}
		rest = rest[8*n:]
		return x
	}
	m := &Model{C: take(1)[0]}
	m.W, m.B = mat.NewDense(K, d, take(K*d)), take(K)
	m.Scale = &Scale{Mean: take(d), SD: take(d)}
	return m, m.Scale.check(d)
}
