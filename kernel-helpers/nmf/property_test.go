package nmf

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/ended"
)

// stationarity returns how far U is from the optimum for A and W, computed from UW' − A itself: the largest |min(‖w_t‖
// u_it, ((UW' − A)W)_it/‖w_t‖)|, relative to the norm of A's row i, or of A's largest row if row i is 0.
func stationarity(A, U, W *mat.Dense) float64 {
	var R, Z mat.Dense
	R.Mul(U, W.T())
	R.Sub(&R, A)
	Z.Mul(&R, W)
	n, k := U.Dims()
	most := 0.0
	for i := range n {
		most = max(most, floats.Norm(A.RawRowView(i), 2))
	}
	worst := 0.0
	for i := range n {
		size := floats.Norm(A.RawRowView(i), 2)
		if size == 0 {
			size = most
		}
		for t := range k {
			if w := floats.Norm(mat.Col(nil, t, W), 2); w > 0 {
				worst = max(worst, math.Abs(min(w*U.At(i, t)/size, Z.At(i, t)/w/size)))
			}
		}
	}
	return worst
}

// A fit that ends by Options.KKT is at a stationary point, as computed from the data themselves. This holds for any
// scale, and with equal, constant and zero columns and rows.
func TestSuccessIsStationary(t *testing.T) {
	patience.SkipShort(t, "it fits until nothing moves, many times")
	converged, all := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n, d, k := 6+rng.IntN(20), 5+rng.IntN(15), 1+rng.IntN(4)
		A := lowRank(n, d, k, 0.2, 0.3, seed)
		switch seed % 6 {
		case 1:
			A.Scale(math.Pow(10, 16*rng.Float64()-8), A)
		case 2:
			A.SetCol(0, mat.Col(nil, 1, A))
			A.SetRow(0, make([]float64, d))
		case 3:
			for i := range n {
				A.Set(i, d-1, 100)
			}
		case 4:
			for i := range n {
				floats.Scale(math.Pow(10, 4*rng.Float64()-2), A.RawRowView(i))
			}
		case 5:
			A.SetCol(2, make([]float64, n))
		}
		for _, m := range []Method{CoordinateDescent, ADMM} {
			all++
			r, err := Fit(context.Background(), A, &Options{Components: k, Method: m, KKT: 1e-6, Tolerance: -1, MaxIterations: 3000, Seed: seed})
			if ended.Accept(err) != nil {
				t.Errorf("seed %d, %v: %v", seed, m, err)
				continue
			}
			if r.Status != ended.Converged {
				continue
			}
			converged++
			if s := max(stationarity(A, r.U, r.W), stationarity(mat.DenseCopyOf(A.T()), r.W, r.U)); !(s <= 1e-5) {
				t.Errorf("seed %d, %v, A %d×%d: Converged with KKT residual %.2g, but it is %.2g of the data", seed, m, n, d, r.KKT, s)
			}
		}
	}
	t.Logf("%d of %d fits converged", converged, all)
	if converged < all/2 {
		t.Errorf("%d of %d fits converged", converged, all)
	}
}
