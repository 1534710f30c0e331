package nmfimplicit

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/faces"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/record"
)

func TestHoyer(t *testing.T) {
	M := mat.NewDense(4, 2, []float64{0, 1, -3, 1, 0, 1, 0, 1}) // one column with one nonzero; one with equal elements
	if got := hoyer(M); math.Abs(got-0.5) > 1e-15 {
		t.Errorf("sparseness %v, want the mean of 1 and 0", got)
	}
	if got := zeros(M); got != 3.0/8 {
		t.Errorf("zeros %v", got)
	}
}

func TestIndicator(t *testing.T) {
	U := indicator([]int{0, 1, 1, 0, 2}, 3)
	G := gram(U)
	for i := range 3 {
		G.Set(i, i, G.At(i, i)-1)
	}
	if mat.Norm(G, 2) > 1e-15 {
		t.Errorf("U'U − I is %v", mat.Formatted(G))
	}
}

func TestInertia(t *testing.T) {
	X := mat.NewDense(3, 1, []float64{0, 2, 7})
	if got := inertia(X, []int{0, 0, 1}, 2); got != 2 {
		t.Errorf("inertia %v, want 2", got)
	}
}

func TestNeighbours(t *testing.T) {
	X := mat.NewDense(2, 1, []float64{0, 10})
	Y := mat.NewDense(3, 1, []float64{1, 9, 4})
	if got := neighbours(X, Y, []int{3, 5}, []int{3, 5, 5}); math.Abs(got-2.0/3) > 1e-15 {
		t.Errorf("share %v", got)
	}
}

func TestSupportChanges(t *testing.T) {
	if got := supportChanges(mat.NewDense(3, 2, []float64{0, 1, 1, 1, 1, 0})); got != 2 {
		t.Errorf("%d changes, want 2", got)
	}
}

// One triplet with W fixed is ADMM for nonnegative least squares. It must converge to the result of the active set
// method, and its duals to the negative multipliers.
func TestTriplet(t *testing.T) {
	l := smokeLab(t)
	rng := l.stream(99)
	A := drawNoisy(rng, 9, 7, 3)
	W := drawSparse(rng, 7, 3, 0.3)
	want := coefficients(t.Context(), A, W, nnls.LawsonHanson)
	rho := mat.Trace(gram(W)) / 3
	u := newTriplet(drawSparse(rng, 9, 3, 0))
	for range 2000 {
		u.fit(A, W, rho)
		u.project(rho)
		u.rise(rho)
	}
	if e := relativeDistance(u.x, want); e > 1e-10 || u.gap() > 1e-10 {
		t.Errorf("off by %v, copies %v apart", e, u.gap())
	}
	if mat.Max(u.bar) > 1e-9 {
		t.Errorf("a dual variable of %v > 0", mat.Max(u.bar))
	}
}

func TestOlivetti(t *testing.T) {
	if _, err := faces.Olivetti(); errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	l, err := New(record.Lecture, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := l.Faces().Dims(); n != 400 || d != Side*Side || l.set().Data.Generated {
		t.Errorf("%d × %d, %v", n, d, l.set().Data)
	}
}
