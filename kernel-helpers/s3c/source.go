package s3c

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// A Source supplies patches by number, so that millions of them need not be in memory. It never ends: when all its
// patches have been used, a source starts again, in another order.
type Source interface {
	// Dim returns D.
	Dim() int
	// Patches stores the n patches with the numbers first, first+1, ... in the rows of dst (n×D). A number always means
	// the same patch, regardless of the order of requests, and the same range always has the same bits. Patches is
	// called by only one goroutine at a time.
	Patches(dst []float32, first, n int) error
	// Fingerprint returns a number that differs between different sources. A run can be resumed only with a source that
	// has the same fingerprint.
	Fingerprint() uint64
}

// Rows returns a source whose patches are the rows of X (n×D). The rows are shuffled again before each pass; the seed
// determines their order. Rows copies X, in float32. It returns an error if X has NaN or Inf.
func Rows(X mat.Matrix, seed uint64) (*RowSource, error) {
	if d, ok := X.(*mat.Dense); X == nil || ok && (d == nil || d.IsEmpty()) {
		panic("s3c: Rows: X is empty")
	}
	n, d := X.Dims()
	x := make([]float32, n*d)
	for k := range n {
		for i := range d {
			v := float32(X.At(k, i))
			if !finite.Is(v) {
				return nil, fmt.Errorf("s3c: Rows: X is %v in row %d, column %d", X.At(k, i), k, i)
			}
			x[k*d+i] = v
		}
	}
	return Rows32(x, d, seed)
}

// Rows32 is like Rows, but X holds the rows in float32, one after the other: len(X)/d patches of d numbers each. X is
// not copied.
func Rows32(X []float32, d int, seed uint64) (*RowSource, error) {
	if d <= 0 || len(X) == 0 || len(X)%d != 0 {
		panic(fmt.Sprintf("s3c: Rows32: %d numbers do not divide into patches of %d", len(X), d))
	}
	s := &RowSource{x: X, d: d, n: len(X) / d, seed: seed, pass: -1}
	crc := crc64.New(crcTable)
	buf := make([]byte, 4*d)
	for k := range s.n {
		for i, v := range X[k*d : (k+1)*d] {
			if !finite.Is(v) {
				return nil, fmt.Errorf("s3c: Rows32: X is %v in row %d, column %d", v, k, i)
			}
			binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(v))
		}
		crc.Write(buf)
	}
	crc.Write(binary.LittleEndian.AppendUint64(nil, seed))
	s.print = crc.Sum64()
	return s, nil
}

// A RowSource is the Source that Rows and Rows32 return.
type RowSource struct {
	x     []float32
	d, n  int
	seed  uint64
	print uint64
	pass  int
	order []int
}

// Dim implements Source.
func (s *RowSource) Dim() int { return s.d }

// Fingerprint implements Source.
func (s *RowSource) Fingerprint() uint64 { return s.print }

// Patches implements Source.
func (s *RowSource) Patches(dst []float32, first, n int) error {
	if first < 0 || len(dst) != n*s.d {
		panic(fmt.Sprintf("s3c: Patches: %d patches from %d on, of %d numbers, into %d", n, first, s.d, len(dst)))
	}
	for k := range n {
		pass, at := (first+k)/s.n, (first+k)%s.n
		if pass != s.pass { // the order of a pass depends only on its number and the seed
			s.pass, s.order = pass, rand.New(rand.NewPCG(s.seed, uint64(pass))).Perm(s.n)
		}
		from := s.order[at] * s.d
		copy(dst[k*s.d:(k+1)*s.d], s.x[from:from+s.d])
	}
	return nil
}
