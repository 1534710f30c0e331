package s3c

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/cifar"
	"overcomplete/data/synth"
)

// whitened returns n whitened patches of D = 108 numbers, one per row, and a description of their source: 6×6×3 patches
// of CIFAR-10 if available, otherwise 12×9 patches of dead leaves. The constants are those of the published experiment,
// for pixels 0 to 255.
func whitened(t testing.TB, n int) (*mat.Dense, string) {
	t.Helper()
	const side, D = 6, 108
	X := mat.NewDense(n, D, nil)
	from := "CIFAR-10"
	rng := rand.New(rand.NewPCG(5, 3))
	if d, err := cifar.Load(); err == nil {
		for k := range n {
			img, y, x := rng.IntN(d.Train.Len()), rng.IntN(cifar.Side-side+1), rng.IntN(cifar.Side-side+1)
			pixels, row := d.Train.Pixels[img*cifar.Size:], X.RawRowView(k)
			for i := range row {
				plane, at := i/(side*side), i%(side*side)
				row[i] = float64(pixels[plane*cifar.Side*cifar.Side+(y+at/side)*cifar.Side+x+at%side])
			}
		}
	} else {
		from = "dead leaves"
		l, err := synth.DeadLeaves(synth.LeavesOptions{Size: 512, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			y, x := rng.IntN(512-12+1), rng.IntN(512-9+1)
			row := X.RawRowView(k)
			for i := range row {
				row[i] = 255 * l.Image.At(y+i/9, x+i%9)
			}
		}
	}
	mean := make([]float64, D)
	for k := range n {
		row := X.RawRowView(k)
		var m, s float64
		for _, v := range row {
			m += v / D
		}
		for _, v := range row {
			s += (v - m) * (v - m) / D
		}
		for i := range row {
			row[i] = (row[i] - m) / math.Sqrt(s+10)
			mean[i] += row[i] / float64(n)
		}
	}
	for k := range n {
		for i := range mean {
			X.Set(k, i, X.At(k, i)-mean[i])
		}
	}
	var C mat.SymDense
	C.SymOuterK(1/float64(n), X.T())
	var e mat.EigenSym
	if !e.Factorize(&C, true) {
		t.Fatal("no eigenvectors")
	}
	var U, S mat.Dense
	e.VectorsTo(&U)
	S.CloneFrom(&U)
	for i, v := range e.Values(nil) {
		for k := range D {
			S.Set(k, i, U.At(k, i)/math.Sqrt(v+0.1))
		}
	}
	var P, Z mat.Dense
	P.Mul(&S, U.T())
	Z.Mul(X, &P)
	return &Z, from
}
