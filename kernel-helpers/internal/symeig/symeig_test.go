package symeig

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/internal/vector"
)

// spectrum returns a symmetric matrix with the given eigenvalues.
func spectrum(values []float64, seed uint64) *mat.SymDense {
	n := len(values)
	var qr mat.QR
	qr.Factorize(trial.Normal(rand.New(rand.NewPCG(seed, 1)), n, n, 1))
	var q, qd, m mat.Dense
	qr.QTo(&q)
	qd.Mul(&q, mat.NewDiagDense(n, values))
	m.Mul(&qd, q.T())
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

func spectra(n int) map[string][]float64 {
	m := map[string][]float64{}
	for name, f := range map[string]func(i int) float64{
		"power":      func(i int) float64 { return math.Pow(float64(i+1), -1.5) },
		"linear":     func(i int) float64 { return float64(n - i) },
		"identity":   func(int) float64 { return 1 },
		"two steps":  func(i int) float64 { return []float64{3, 1}[min(1, 2*i/n)] },
		"geometric":  func(i int) float64 { return math.Pow(10, -float64(i)/4) },
		"rank one":   func(i int) float64 { return []float64{1, 0}[min(1, i)] },
		"zero":       func(int) float64 { return 0 },
		"flat noise": func(i int) float64 { return 1 - 1e-4*float64(i)/float64(n) },
	} {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		m[name] = v
	}
	return m
}

// check requires that values are descending and equal to want, that residuals are small, and that the vectors are
// orthonormal.
func check(t *testing.T, C *mat.SymDense, want, values []float64, V *mat.Dense, tol float64) {
	t.Helper()
	n, k := C.SymmetricDim(), len(values)
	scale := math.Max(math.Abs(want[0]), math.Abs(want[len(want)-1]))
	if scale == 0 {
		scale = 1
	}
	for i, v := range values {
		if math.Abs(v-want[i]) > 1e-13*float64(n)*scale {
			t.Errorf("eigenvalue %d is %v, want %v", i, v, want[i])
			break
		}
		if i > 0 && v > values[i-1]+1e-14*scale {
			t.Errorf("eigenvalue %d is larger than the one before", i)
			break
		}
	}
	var W mat.Dense
	W.Mul(V, C)
	if r := misfit(values, V.RawMatrix(), W.RawMatrix()); r*values[0] > tol*scale {
		t.Errorf("residual %.2g", r)
	}
	var g mat.Dense
	g.Mul(V, V.T())
	for i := range k {
		g.Set(i, i, g.At(i, i)-1)
	}
	if e := mat.Max(abs(&g)); e > 1e-13 {
		t.Errorf("vectors are orthonormal to %.2g", e)
	}
}

func abs(m *mat.Dense) *mat.Dense {
	var a mat.Dense
	a.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return &a
}

func TestFull(t *testing.T) {
	for _, n := range []int{1, 2, 3, 33, 64, 65, 161} {
		for name, want := range spectra(n) {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				C := spectrum(want, uint64(n))
				values, V, err := Full(C, n)
				if err != nil {
					t.Fatal(err)
				}
				check(t, C, want, values, V, 1e-13)
				only, err := Values(C)
				if err != nil {
					t.Fatal(err)
				}
				for i := range only {
					if math.Abs(only[i]-values[i]) > 1e-13*math.Max(1, want[0])*float64(n) {
						t.Errorf("Values has %v at %d, Full %v", only[i], i, values[i])
					}
				}
			})
		}
	}
}

// The matrix with 2 on the diagonal and −1 next to it has the eigenvalues 2 − 2cos(jπ/(n+1)).
func TestFullClosedForm(t *testing.T) {
	n := 150
	C := mat.NewSymDense(n, nil)
	want := make([]float64, n)
	for i := range n {
		C.SetSym(i, i, 2)
		if i > 0 {
			C.SetSym(i-1, i, -1)
		}
		want[i] = 2 - 2*math.Cos(float64(n-i)*math.Pi/float64(n+1))
	}
	values, V, err := Full(C, n)
	if err != nil {
		t.Fatal(err)
	}
	check(t, C, want, values, V, 1e-13)
}

// If the matrix is scaled, the relative accuracy must not change.
func TestScale(t *testing.T) {
	n := 130
	base := spectra(n)["power"]
	for _, scale := range []float64{1e-120, 1e-12, 1e12, 1e120} {
		want := make([]float64, n)
		for i, v := range base {
			want[i] = scale * v
		}
		C := spectrum(base, 5)
		C.ScaleSym(scale, C)
		values, V, err := Full(C, n)
		if err != nil {
			t.Fatal(err)
		}
		check(t, C, want, values, V, 1e-13)
		values, V, st, err := Top(context.Background(), C, 6, 1, nil)
		if err != nil || st.Full {
			t.Fatalf("scale %g: %v, %+v", scale, err, st)
		}
		check(t, C, want, values, V, Tolerance)
	}
}

// Wilkinson's matrix has pairs of eigenvalues that agree to many digits.
func TestFullWilkinson(t *testing.T) {
	n := 201
	C := mat.NewSymDense(n, nil)
	for i := range n {
		C.SetSym(i, i, math.Abs(float64(i-n/2)))
		if i > 0 {
			C.SetSym(i-1, i, 1)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(C, false) {
		t.Fatal("gonum")
	}
	want := e.Values(nil)
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		want[i], want[j] = want[j], want[i]
	}
	values, V, err := Full(C, n)
	if err != nil {
		t.Fatal(err)
	}
	check(t, C, want, values, V, 1e-13)
}

func TestTop(t *testing.T) {
	patience.SkipShort(t, "it decomposes large matrices")
	for _, n := range []int{110, 200} {
		for name, want := range spectra(n) {
			C := spectrum(want, uint64(n))
			g, back := scaleToUnit(C)
			for _, k := range []int{1, 7, n / 7, n / 5} {
				t.Run(fmt.Sprint(name, " ", n, " ", k), func(t *testing.T) {
					values, V, st, err := Top(context.Background(), C, k, 1, nil)
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("%+v", st)
					check(t, C, want, values, V, Tolerance)
					if st.Full && st.Residual > 1e-13 {
						t.Errorf("residual %g", st.Residual)
					}

					// Test the filter directly, because Top uses it only for few vectors.
					values, V, st, err = subspaceIteration(context.Background(), g, k, 1, nil)
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("filtered: %+v", st)
					if st.Residual <= Tolerance && st.Rounds < maxRounds {
						for i := range values {
							values[i] *= back
						}
						check(t, C, want, values, V, Tolerance)
					}
				})
			}
		}
	}
}

// A wrong eigenpair among the checked pairs is detected, for any number of pairs.
func TestSomeResidual(t *testing.T) {
	for _, k := range []int{1, 2, 33, 90} {
		C := spectrum(spectra(90)["linear"], 3)
		values, V, err := Full(C, k)
		if err != nil {
			t.Fatal(err)
		}
		g, back := scaleToUnit(C)
		for i := range values {
			values[i] /= back
		}
		if r := someResidual(g, values, V); r > 1e-13 {
			t.Errorf("%d: residual %g", k, r)
		}
		values[k-1] *= 1.001
		if r := someResidual(g, values, V); r < 1e-6 {
			t.Errorf("%d: residual %g with a wrong eigenvalue", k, r)
		}
	}
}

func TestTopStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := Top(ctx, spectrum(spectra(150)["linear"], 1), 5, 1, nil); err == nil {
		t.Error("a cancelled context gave no error")
	}
}

// QᵀAQ is tridiagonal, with the diagonal and off-diagonal that reduce returns. The test builds Q from one reflector at
// a time; blocks of reflectors give the same Q. For a matrix of rank one most reflectors are the identity, or end in
// zeros.
func TestReduce(t *testing.T) {
	for _, n := range []int{1, 2, 3, 31, 32, 33, 34, 65, 130, 220} {
		for _, name := range []string{"power", "rank one", "linear"} {
			C := spectrum(spectra(n)[name], uint64(n))
			a, scale := scaleToUnit(C)
			C.ScaleSym(1/scale, C)
			for i := range n {
				for j := range i {
					a.Data[i*n+j] = math.NaN() // must not be read
				}
			}
			d, e, tau := reduce(t.Context(), a)
			q := mat.NewDense(n, n, nil) // Qᵀ
			for i := range n {
				q.Set(i, i, 1)
			}
			for j := n - 2; j >= 0; j-- { // Z Qᵀ = Z H_{n−2} .. H_0
				v := append(make([]float64, j+1), row(a, j)[j+1:]...)
				for i := range n {
					r := q.RawRowView(i)
					vector.Axpy(-tau[j]*vector.Dot(v, r), v, r)
				}
			}
			got := mat.NewDense(n, n, nil)
			for i := range n {
				got.Set(i, i, 1)
			}
			applyReflectors(a, tau, got.RawMatrix())
			if !mat.EqualApprox(got, q, 1e-13) {
				t.Errorf("%s %d: blocks of reflectors differ from one at a time", name, n)
			}
			var T mat.Dense
			T.Product(q, C, q.T())
			tol := 1e-14 * float64(n) * mat.Norm(C, 1)
			for i := range n {
				for j := range n {
					want := 0.0
					switch j - i {
					case 0:
						want = d[i]
					case 1, -1:
						want = e[min(i, j)]
					}
					if math.Abs(T.At(i, j)-want) > tol {
						t.Fatalf("%s %d: T(%d, %d) is %v, want %v", name, n, i, j, T.At(i, j), want)
					}
				}
			}
		}
	}
}

// Requesting a few eigenvectors gives the same vectors as requesting all, up to rounding.
func TestFullSome(t *testing.T) {
	for _, n := range []int{20, 70, 161} {
		for name, want := range spectra(n) {
			C := spectrum(want, uint64(n))
			for _, k := range []int{0, 1, 5, n / 2} {
				values, V, err := Full(C, k)
				if err != nil {
					t.Fatal(err)
				}
				if k == 0 {
					if len(values) != 0 || V != nil {
						t.Errorf("%s: %d values and %v for k = 0", name, len(values), V)
					}
					continue
				}
				if len(values) != k || V.RawMatrix().Rows != k {
					t.Fatalf("%s: %d values, %d vectors, want %d", name, len(values), V.RawMatrix().Rows, k)
				}
				check(t, C, want, values, V, 1e-13)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {31, 33}, {70, 32}} {
		V := mat.NewDense(s[0], s[1], nil)
		V.Apply(func(i, j int, _ float64) float64 { return float64(1000*i + j) }, V)
		if !mat.Equal(Columns(V), V.T()) {
			t.Errorf("%v: not the transpose", s)
		}
	}
}
