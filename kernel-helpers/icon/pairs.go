package icon

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/tape"
)

// fewColumns is the largest number of coordinates for which distances are computed as sums of squared
// differences. With more coordinates, distances are computed with one matrix product.
const fewColumns = 16

// storeDistances stores ‖x_i − x_j‖² for the rows of X (n×k) in D (n×n).
func storeDistances(D, X *mat.Dense) {
	n, k := X.Dims()
	if k <= fewColumns {
		T := mat.DenseCopyOf(X.T()) // k×n
		eachRow(n, func(i int) {
			row := D.RawRowView(i)
			clear(row)
			for c := range k {
				t := T.RawRowView(c)
				v := t[i]
				for j, u := range t {
					row[j] += (u - v) * (u - v)
				}
			}
		})
		return
	}
	C := centered(X)
	blas64.Gemm(blas.NoTrans, blas.Trans, -2, C.RawMatrix(), C.RawMatrix(), 0, D.RawMatrix()) // n×k · k×n
	s := make([]float64, n)
	for i := range n {
		s[i] = vector.Dot(C.RawRowView(i), C.RawRowView(i))
	}
	eachRow(n, func(i int) {
		row := D.RawRowView(i)
		for j, v := range row {
			row[j] = max(0, v+s[i]+s[j])
		}
		row[i] = 0
	})
}

// centered returns X minus the mean of its rows. This does not change distances and reduces rounding errors.
func centered(X *mat.Dense) *mat.Dense {
	n, k := X.Dims()
	C := mat.DenseCopyOf(X)
	mean := make([]float64, k)
	for i := range n {
		vector.Axpy(1/float64(n), X.RawRowView(i), mean)
	}
	for i := range n {
		vector.Axpy(-1, mean, C.RawRowView(i))
	}
	return C
}

// squaredDistances records d_ij = ‖z_i − z_j‖² (n×n). With G = ∂L/∂d,
//
//	∂L/∂z_i = 2 Σ_j (g_ij + g_ji)(z_i − z_j).
//
// Two matrix products, G[Z 1] and G'[Z 1], give all sums over j.
func squaredDistances(t *tape.Tape, z *tape.Value) *tape.Value {
	n, k := z.Dims()
	d := t.Matrix(n, n)
	storeDistances(d, z.X)
	return t.Op(d, func(g *mat.Dense) {
		dz := z.Accumulate()
		if dz == nil {
			return
		}
		C := centered(z.X)
		Z1 := mat.NewDense(n, k+1, nil)
		for i := range n {
			row := Z1.RawRowView(i)
			copy(row, C.RawRowView(i))
			row[k] = 1
		}
		S := mat.NewDense(n, k+1, nil)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, g.RawMatrix(), Z1.RawMatrix(), 0, S.RawMatrix()) // n×n · n×(k+1)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, g.RawMatrix(), Z1.RawMatrix(), 1, S.RawMatrix())
		for i := range n {
			s, c, out := S.RawRowView(i), C.RawRowView(i), dz.RawRowView(i)
			for a := range out {
				out[a] += 2 * (s[k]*c[a] - s[a])
			}
		}
	}, z)
}

// unitRows records u_i = z_i/‖z_i‖ for each row of z; a row of zeros stays 0. Its backward pass is ∂L/∂z_i = (g_i −
// u_i (u_i·g_i))/‖z_i‖ with g_i = ∂L/∂u_i.
func unitRows(t *tape.Tape, z *tape.Value) *tape.Value {
	n, k := z.Dims()
	u := t.Matrix(n, k)
	norm := make([]float64, n)
	for i := range n {
		row := u.RawRowView(i)
		copy(row, z.X.RawRowView(i))
		if norm[i] = math.Sqrt(vector.Dot(row, row)); norm[i] > 0 {
			blas64.Scal(1/norm[i], blas64.Vector{N: k, Inc: 1, Data: row})
		}
	}
	return t.Op(u, func(g *mat.Dense) {
		dz := z.Accumulate()
		if dz == nil {
			return
		}
		for i := range n {
			if norm[i] == 0 {
				continue
			}
			gi, ui := g.RawRowView(i), u.RawRowView(i)
			s := vector.Dot(gi, ui)
			for a, out := 0, dz.RawRowView(i); a < k; a++ {
				out[a] += (gi[a] - s*ui[a]) / norm[i]
			}
		}
	}, z)
}
