package klcoding

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Parts returns the coefficients on the doubled basis [−B B] that the signed codes W (n×N) stand for. The first n rows
// are w⁻ and the last n rows are w⁺. All are positive, with w⁺ − w⁻ = w and w⁺w⁻ = p² (appendix B). The result is the
// w̃ (2n×N) that the paper's classifiers take as input, so they can weight an atom and its negative differently. Parts
// panics unless the Coder is Doubled.
func (c *Coder) Parts(W mat.Matrix) *mat.Dense {
	n, N := c.parts("Parts", W)
	out := mat.NewDense(2*n, N, nil)
	for j := range n {
		p, neg, pos := c.opt.PVec[j], out.RawRowView(j), out.RawRowView(n+j)
		for i := range N {
			pos[i], neg[i] = bothParts(W.At(j, i), p)
		}
	}
	return out
}

// PartsVJP carries G = dl/dw̃ (2n×N) back to dl/dW (n×N) at the codes W. With
// w = 2p sinh v, w⁺ and w⁻ are p e^v and p e^−v, so that
// dw⁺/dw = w⁺/(w⁺ + w⁻) and dw⁻/dw = −w⁻/(w⁺ + w⁻).
func (c *Coder) PartsVJP(W, G mat.Matrix) *mat.Dense {
	n, N := c.parts("PartsVJP", W)
	if r, k := dims("PartsVJP", "G", G); r != 2*n || k != N {
		panic(fmt.Sprintf("klcoding: PartsVJP: G is %d×%d, must be %d×%d", r, k, 2*n, N))
	}
	out := mat.NewDense(n, N, nil)
	for j := range n {
		p, row := c.opt.PVec[j], out.RawRowView(j)
		for i := range N {
			pos, neg := bothParts(W.At(j, i), p)
			row[i] = (G.At(n+j, i)*pos - G.At(j, i)*neg) / (pos + neg)
		}
	}
	return out
}

func (c *Coder) parts(fn string, W mat.Matrix) (n, N int) {
	n, N = dims(fn, "W", W)
	if !c.opt.Doubled {
		panic("klcoding: " + fn + ": the coder is not Doubled")
	}
	if n != c.n {
		panic(fmt.Sprintf("klcoding: %s: W has %d rows, B has %d columns", fn, n, c.n))
	}
	return n, N
}

// bothParts returns w⁺ and w⁻, the positive solutions of w⁺ − w⁻ = w and w⁺w⁻ = p². It computes them without
// cancellation.
func bothParts(w, p float64) (pos, neg float64) {
	larger := math.Abs(w)/2 + math.Hypot(w/2, p)
	if w >= 0 {
		return larger, p / larger * p
	}
	return p / larger * p, larger
}
