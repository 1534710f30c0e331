package attention

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
)

// A Layer is a function that maps a sequence (n×d) to a sequence (n×d').
type Layer func(H *mat.Dense) *mat.Dense

// Permute returns H with its rows permuted: row i of the result is row perm[i] of H. It panics unless perm is
// a permutation of the row numbers.
func Permute(H mat.Matrix, perm []int) *mat.Dense {
	h := dense("Permute", "H", H)
	n, d := h.Dims()
	seen := make([]bool, n)
	for _, p := range perm {
		if p >= 0 && p < n {
			seen[p] = true
		}
	}
	if len(perm) != n || slices.Contains(seen, false) {
		panic(fmt.Sprintf("attention: Permute: %v is not a permutation of %d rows", perm, n))
	}
	out := mat.NewDense(n, d, nil)
	for i, p := range perm {
		copy(out.RawRowView(i), h.RawRowView(p))
	}
	return out
}

// PermutationGap returns the largest element of |f(PH) − P f(H)|, where P permutes rows by perm as Permute does. It is
// 0 up to rounding if f is permutation equivariant, that is, if permuting the rows of H only permutes the rows of
// f(H).
func PermutationGap(f Layer, H mat.Matrix, perm []int) float64 {
	h := dense("PermutationGap", "H", H)
	return maxDiff(f(Permute(h, perm)), Permute(f(h), perm))
}

// Influence changes one row of H (n×d) at a time, by adding delta to each of its elements, and returns how much each
// output changes: element (l, t) is max_j |Δ f(H)_{l,j}| when row t of H changes. The elements above the diagonal (t >
// l) are effects of later inputs.
func Influence(f Layer, H mat.Matrix, delta float64) *mat.Dense {
	given.Args("attention: Influence", "f", f)
	h := dense("Influence", "H", H)
	n, d := h.Dims()
	base := f(h)
	rows, _ := base.Dims()
	if err := ram.Check(fmt.Sprintf("the influence of %d inputs on %d outputs", n, rows), 8*float64(n)*float64(rows)); err != nil {
		panic("attention: Influence: " + err.Error())
	}
	out := mat.NewDense(rows, n, nil)
	for t := range n {
		changed := mat.DenseCopyOf(h)
		for j := range d {
			changed.Set(t, j, h.At(t, j)+delta)
		}
		y := f(changed)
		for l := range rows {
			for j, v := range y.RawRowView(l) {
				out.Set(l, t, max(out.At(l, t), math.Abs(v-base.At(l, j))))
			}
		}
	}
	return out
}

// FutureLeak returns the largest element of Influence above the diagonal: 0 if no
// output depends on a later input.
func FutureLeak(f Layer, H mat.Matrix, delta float64) float64 {
	given.Args("attention: FutureLeak", "f", f)
	m := Influence(f, H, delta)
	rows, n := m.Dims()
	leak := 0.0
	for l := range rows {
		for t := l + 1; t < n; t++ {
			leak = max(leak, m.At(l, t))
		}
	}
	return leak
}

func maxDiff(A, B *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(A, B)
	worst := 0.0
	r, _ := d.Dims()
	for i := range r {
		for _, v := range d.RawRowView(i) {
			worst = max(worst, math.Abs(v))
		}
	}
	return worst
}
