package classify

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
)

// scatters returns S_W and S_B, computed by definition.
func scatters(X *mat.Dense, y []int, K int) (SW, SB *mat.Dense) {
	n, d := X.Dims()
	M, mean, size := mat.NewDense(K, d, nil), mat.NewVecDense(d, nil), make([]float64, K)
	for _, c := range y {
		size[c]++
	}
	for i, c := range y {
		for j := range d {
			M.Set(c, j, M.At(c, j)+X.At(i, j)/size[c])
			mean.SetVec(j, mean.AtVec(j)+X.At(i, j)/float64(n))
		}
	}
	SW, SB = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	var r mat.VecDense
	for i, c := range y {
		r.SubVec(X.RowView(i), M.RowView(c))
		SW.RankOne(SW, 1, &r, &r)
	}
	for k := range K {
		r.SubVec(M.RowView(k), mean)
		SB.RankOne(SB, size[k], &r, &r)
	}
	return SW, SB
}

// criterion returns |V'S_B V|/|V'S_W V|.
func criterion(V mat.Matrix, SW, SB *mat.Dense) float64 {
	var a, b mat.Dense
	a.Product(V.T(), SB, V)
	b.Product(V.T(), SW, V)
	return mat.Det(&a) / mat.Det(&b)
}

func TestMDA(t *testing.T) {
	X, y := blobs(300, 6, 4, 1, 3)
	m, err := FitMDA(t.Context(), X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	SW, SB := scatters(X, y, 4)
	best := criterion(m.V, SW, SB)
	near(t, "criterion", best, m.Ratio[0]*m.Ratio[1], 1e-9)
	for seed := range uint64(200) {
		R := random(6, 2, 1, seed)
		if c := criterion(R, SW, SB); c > best {
			t.Errorf("a random projection has %g, the solution %g", c, best)
		}
		R.Scale(0.01, R)
		R.Add(R, m.V)
		if c := criterion(R, SW, SB); c > best*(1+1e-12) {
			t.Errorf("a neighbour has %g, the solution %g", c, best)
		}
	}
	// Check that S_B v = λ S_W v and V'S_W V = (n − K) I.
	var left, right, G mat.Dense
	left.Mul(SB, m.V)
	right.Mul(SW, m.V)
	right.Apply(func(_, j int, v float64) float64 { return m.Ratio[j] * v }, &right)
	if !mat.EqualApprox(&left, &right, 1e-8*mat.Norm(&left, 2)) {
		t.Error("not generalised eigenvectors")
	}
	G.Product(m.V.T(), SW, m.V)
	if !mat.EqualApprox(&G, mat.NewDense(2, 2, []float64{296, 0, 0, 296}), 1e-8) {
		t.Errorf("V'S_W V = %v", mat.Formatted(&G))
	}
	// The projections are centered, and separate the classes.
	Z := m.Transform(X)
	for j := range 2 {
		near(t, "mean of the projection", mat.Sum(Z.ColView(j)), 0, 1e-9)
	}
	if a := Accuracy(m.Predict(X), y); a < 0.8 {
		t.Errorf("accuracy %v", a)
	}
}

// TestMDAInvariance checks that an invertible linear map of the features does not change the projections.
func TestMDAInvariance(t *testing.T) {
	X, y := blobs(200, 5, 3, 1, 7)
	var XA mat.Dense
	XA.Mul(X, random(5, 5, 1, 11))
	a, err := FitMDA(t.Context(), X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitMDA(t.Context(), &XA, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	Z, ZA := a.Transform(X), b.Transform(&XA)
	for j := range 2 {
		near(t, "λ", b.Ratio[j], a.Ratio[j], 1e-8)
		s := math.Copysign(1, Z.At(0, j)*ZA.At(0, j))
		for i := range 200 {
			near(t, "projection", s*ZA.At(i, j), Z.At(i, j), 1e-7)
		}
	}
}

func TestMDASingular(t *testing.T) {
	X, y := blobs(20, 30, 3, 1, 1)
	if _, err := FitMDA(t.Context(), X, y, nil); err == nil || !strings.Contains(err.Error(), "set Shrinkage") {
		t.Error(err)
	}
	m, err := FitMDA(t.Context(), X, y, &MDAOptions{Shrinkage: 0.1})
	if err != nil || Accuracy(m.Predict(X), y) < 1 {
		t.Errorf("%v", err)
	}
	if _, err := FitMDA(t.Context(), X, y, &MDAOptions{Shrinkage: 0.1, Dimensions: 3}); err == nil {
		t.Error("3 directions of 3 classes accepted")
	}
}

// TestMDAPeer compares with scikit-learn's LinearDiscriminantAnalysis, which returns each λ divided by the sum of all
// λ.
func TestMDAPeer(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA", "numpy", "sklearn")
	X, y := blobs(400, 8, 5, 1, 3)
	send(t, py, X, y)
	m, err := FitMDA(t.Context(), X, y, &MDAOptions{Dimensions: 4})
	if err != nil {
		t.Fatal(err)
	}
	py.Do("m = LDA(solver='svd').fit(X, y)\nZ = m.transform(X)")
	Z := m.Transform(X)
	share := py.Floats("m.explained_variance_ratio_")
	// Old versions of scikit-learn divide the scatter by 400-5, as FitMDA does; scikit-learn 1.9 divides by
	// 400.
	scale := 1.0
	if z := py.Float("Z[0, 0]"); math.Abs(z)/math.Abs(Z.At(0, 0)) > 1.003 {
		scale = math.Sqrt(400. / 395)
	}
	sum := m.Ratio[0] + m.Ratio[1] + m.Ratio[2] + m.Ratio[3]
	for j := range 4 {
		near(t, "share", m.Ratio[j]/sum, share[j], 1e-9)
		z := py.Floats(fmt.Sprintf("Z[:, %d]", j))
		s := math.Copysign(1, z[0]*Z.At(0, j))
		for i := range z {
			near(t, "projection", s*scale*Z.At(i, j), z[i], 1e-8)
		}
	}
}

// TestMDAUnits: multiplying features by powers of two leaves the projections exactly the same, because such a
// multiplication does not round. Other factors, and shifts, change the projections only by rounding.
func TestMDAUnits(t *testing.T) {
	X, y := blobs(150, 4, 3, 1, 5)
	a, err := FitMDA(t.Context(), X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	Z := a.Transform(X)
	for _, c := range []struct {
		factor, shift float64
		tolerance     float64
	}{{0x1p27, 0, 0}, {0x1p-27, 0, 0}, {0x1p600, 0, 0}, {0x1p-600, 0, 0}, {1e8, 0, 1e-12}, {1e-8, 0, 1e-12}, {1, 1e6, 1e-7}} {
		far := scaled(X, func(_, j int, v float64) float64 {
			if j == 2 {
				return v*c.factor + c.shift
			}
			return v
		})
		b, err := FitMDA(t.Context(), far, y, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		ZA := b.Transform(far)
		for j := range 2 {
			near(t, fmt.Sprintf("%+v: λ", c), b.Ratio[j], a.Ratio[j], c.tolerance)
			s := math.Copysign(1, Z.At(0, j)*ZA.At(0, j)) // the sign depends on the largest element of V
			for i := range 150 {
				if e := math.Abs(s*ZA.At(i, j) - Z.At(i, j)); e > c.tolerance {
					t.Fatalf("%+v: projection off by %g", c, e)
				}
			}
		}
	}
}

// TestMDAConstant: a feature that is constant within each class has no scatter, no matter how its means are rounded.
func TestMDAConstant(t *testing.T) {
	X, y := blobs(3000, 3, 3, 1, 5)
	for name, c := range map[string]func(class int) float64{
		"constant":            func(int) float64 { return 0.1 },
		"constant in a class": func(k int) float64 { return []float64{0.1, 1.0 / 3, 1e8 + 0.1}[k] },
	} {
		flat := scaled(X, func(i, j int, v float64) float64 {
			if j == 1 {
				return c(y[i])
			}
			return v
		})
		if m, err := FitMDA(t.Context(), flat, y, nil); err == nil || !strings.Contains(err.Error(), "feature 1 is constant within each class: leave it out, or set Shrinkage") {
			t.Errorf("%s: %v, %v", name, m, err)
		}
		if _, err := FitMDA(t.Context(), flat, y, &MDAOptions{Shrinkage: 0.1}); err != nil {
			t.Errorf("%s, shrunk: %v", name, err)
		}
	}
	wide := scaled(X, func(_, j int, v float64) float64 { return v * math.Pow(1e3, float64(j-1)) })
	if _, err := FitMDA(t.Context(), wide, y, &MDAOptions{Shrinkage: 1e-3}); err != nil {
		t.Error(err)
	}
}
