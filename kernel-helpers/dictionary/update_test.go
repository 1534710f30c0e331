package dictionary

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
)

// problem returns random codes W with a share p of nonzeros, signals X, A = WW' and C' = WX'.
func problem(d, n, N int, p float64, seed uint64) (a, ct blas64.General, X, W *mat.Dense) {
	X, W = gaussian(d, N, seed), gaussian(n, N, seed+1)
	U := gaussian(n, N, seed+2)
	W.Apply(func(i, j int, v float64) float64 {
		if math.Abs(U.At(i, j)) > 1.6*p {
			return 0
		}
		return v
	}, W)
	var A, C mat.Dense
	A.Mul(W, W.T())
	C.Mul(W, X.T())
	return A.RawMatrix(), C.RawMatrix(), X, W
}

// quadratic returns ½tr(BAB') − tr(BC'), which is ½‖X − BW‖² up to a constant.
func quadratic(bt, a, ct blas64.General) float64 {
	var p mat.Dense
	p.Mul(mat.NewDense(a.Rows, a.Cols, a.Data), mat.NewDense(bt.Rows, bt.Cols, bt.Data))
	pr := p.RawMatrix()
	return vector.Dot(bt.Data, pr.Data)/2 - vector.Dot(bt.Data, ct.Data)
}

// projectedGradient minimizes quadratic with ‖B_j‖ <= 1 by FISTA with restarts.
func projectedGradient(a, ct blas64.General, steps int) blas64.General {
	n, d := ct.Rows, ct.Cols
	A := mat.NewDense(n, n, a.Data)
	var eig mat.EigenSym
	s := mat.NewSymDense(n, a.Data)
	eig.Factorize(s, false)
	L := eig.Values(nil)[n-1]
	b, y := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	t := 1.0
	var g mat.Dense
	for range steps {
		g.Mul(A, y)
		g.Sub(&g, mat.NewDense(n, d, ct.Data))
		next := mat.NewDense(n, d, nil)
		for j := range n {
			for i := range d {
				next.Set(j, i, y.At(j, i)-g.At(j, i)/L)
			}
			if r := next.RawRowView(j); norm(r) > 1 {
				scaleTo1(r)
			}
		}
		var step, back mat.Dense
		step.Sub(next, b)
		back.Sub(y, next)
		if vector.Dot(step.RawMatrix().Data, back.RawMatrix().Data) > 0 {
			t = 1 // the objective rose: restart
		}
		u := (1 + math.Sqrt(1+4*t*t)) / 2
		step.Scale((t-1)/u, &step)
		y.Add(next, &step)
		b, t = next, u
	}
	return b.RawMatrix()
}

func TestLagrangeDual(t *testing.T) {
	mixed := 0
	for _, c := range []struct {
		d, n, N int
		p       float64
		scale   float64 // scale of X: small signals leave columns inside the unit ball
	}{
		{5, 8, 40, 0.5, 2}, {5, 8, 40, 0.5, 3}, {5, 8, 40, 0.5, 1e-3}, {5, 8, 40, 0.5, 1e3},
		{6, 12, 9, 0.8, 1}, // A is singular
		{20, 30, 300, 0.2, 1.5},
	} {
		a, ct, _, _ := problem(c.d, c.n, c.N, c.p, 21)
		for i := range ct.Data {
			ct.Data[i] *= c.scale
		}
		bt, lambda, err := dual(a, ct, make([]float64, c.n))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		want := projectedGradient(a, ct, 6000)
		f, g := quadratic(bt, a, ct), quadratic(want, a, ct)
		if math.Abs(f-g) > 1e-9*math.Abs(g) {
			t.Errorf("%+v: %.15g, by projected gradients %.15g", c, f, g)
		}
		if c.N > c.n {
			if d := difference(asDense(bt), asDense(want)); d > 1e-7 {
				t.Errorf("%+v: B differs by %g", c, d)
			}
		}
		inside, onBall := 0, 0
		for j, l := range lambda {
			s := norm(row(bt, j))
			if s > 1+1e-9 || l < 0 {
				t.Errorf("%+v: column %d has norm %g, λ %g", c, j, s, l)
			}
			if s > 1-1e-9 {
				onBall++
			} else if inside++; c.N > c.n && l != 0 {
				t.Errorf("%+v: column %d is inside, norm %g, and λ is %g", c, j, s, l)
			}
		}
		t.Logf("%+v: %d on the ball, %d inside", c, onBall, inside)
		if inside > 0 && onBall > 0 {
			mixed++
		}
		// A warm start does not change the result.
		again, _, err := dual(a, ct, lambda)
		if err != nil || difference(asDense(bt), asDense(again)) > 1e-9 {
			t.Errorf("%+v: from its own λ: %v", c, err)
		}
	}
	if mixed < 3 {
		t.Errorf("only %d cases have columns on the ball and inside", mixed)
	}
}

// TestDualDerivatives compares ∇φ and ∇²φ, as in the comment of dual, with central differences of φ and ∇φ.
func TestDualDerivatives(t *testing.T) {
	a, ct, _, _ := problem(4, 6, 30, 0.6, 5)
	lambda := []float64{3, 1, 4, 1, 5, 9}
	at := func(j int, h float64) *point {
		l := append([]float64(nil), lambda...)
		l[j] += h
		p, ok := newPoint(a, ct, l)
		if !ok {
			t.Fatal("no Cholesky factor")
		}
		return p
	}
	const h = 1e-4
	p := at(0, 0)
	all := []int{0, 1, 2, 3, 4, 5}
	d, ok := p.newton(all)
	if !ok {
		t.Fatal("no Newton step")
	}
	for i := range lambda {
		up, down := at(i, h), at(i, -h)
		if g := (up.value - down.value) / (2 * h); math.Abs(g-p.gradient[i]) > 1e-8 {
			t.Errorf("∂φ/∂λ_%d is %g, by differences %g", i, p.gradient[i], g)
		}
	}
	// d must satisfy Newton's equation H d = −∇φ; H d is computed by differences along d.
	move := func(s float64) *point {
		l := append([]float64(nil), lambda...)
		for j := range l {
			l[j] += s * d[j]
		}
		q, _ := newPoint(a, ct, l)
		return q
	}
	s := h / (1 + norm(d))
	up, down := move(s), move(-s)
	for j := range lambda {
		if hd := (up.gradient[j] - down.gradient[j]) / (2 * s); math.Abs(hd+p.gradient[j]) > 1e-6 {
			t.Errorf("(H d)_%d is %g, want %g", j, hd, -p.gradient[j])
		}
	}
}

// plainColumns performs algorithm 2 of Mairal and others as printed.
func plainColumns(bt, a, ct blas64.General) {
	n, d := bt.Rows, bt.Cols
	u := make([]float64, d)
	for j := range n {
		for i := range d {
			ba := 0.0
			for k := range n {
				ba += bt.Data[k*d+i] * a.Data[k*n+j]
			}
			u[i] = (ct.Data[j*d+i]-ba)/a.Data[j*n+j] + bt.Data[j*d+i]
		}
		s := max(norm(u), 1)
		for i := range d {
			bt.Data[j*d+i] = u[i] / s
		}
	}
}

func TestColumns(t *testing.T) {
	for _, n := range []int{1, 7, width, width + 1, 3*width - 5} {
		a, ct, _, _ := problem(9, n, 4*n, 0.3, 31)
		bt, want := clone(gaussian(n, 9, 1).RawMatrix()), clone(gaussian(n, 9, 1).RawMatrix())
		for range 3 {
			f := quadratic(bt, a, ct)
			updateColumns(t.Context(), bt, a, ct, false, false)
			plainColumns(want, a, ct)
			if d := difference(asDense(bt), asDense(want)); d > 1e-10 {
				t.Errorf("n = %d: differs from the plain algorithm by %g", n, d)
			}
			if g := quadratic(bt, a, ct); n > 1 && !(g < f) {
				t.Errorf("n = %d: from %g to %g", n, f, g)
			}
		}
	}
	// Many rounds of columns converge to the minimum that dual finds.
	a, ct, _, _ := problem(6, 10, 60, 0.5, 33)
	for i := range ct.Data {
		ct.Data[i] *= 2.5
	}
	bt := clone(gaussian(10, 6, 1).RawMatrix())
	for range 2000 {
		updateColumns(t.Context(), bt, a, ct, false, false)
	}
	want, _, err := dual(a, ct, make([]float64, 10))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(asDense(bt), asDense(want)); d > 1e-8 {
		t.Errorf("the end of algorithm 2 differs from the dual's by %g", d)
	}
	// With a nonnegative B, changing a single element of the final B must not improve it.
	for range 2000 {
		updateColumns(t.Context(), bt, a, ct, false, true)
	}
	best := quadratic(bt, a, ct)
	for k := range bt.Data {
		for _, h := range []float64{-1e-4, 1e-4} {
			c := clone(bt)
			if c.Data[k] += h; c.Data[k] < 0 || norm(row(c, k/6)) > 1 {
				continue
			}
			if quadratic(c, a, ct) < best-1e-12 {
				t.Errorf("non-negative: element %d%+g is better", k, h)
			}
		}
	}
}

func TestAccumulate(t *testing.T) {
	for _, p := range []float64{0.02, 0.9} { // few nonzeros, or many
		_, _, X, W := problem(7, 40, 50, p, 41)
		start := gaussian(40, 40, 1)
		start.Add(start, mat.DenseCopyOf(start.T()))
		a, ct := clone(start.RawMatrix()), clone(gaussian(40, 7, 2).RawMatrix())
		var A, C mat.Dense
		A.Mul(W, W.T())
		A.Scale(0.3, &A)
		A.Add(&A, start)
		C.Mul(W, X.T())
		C.Scale(0.3, &C)
		C.Add(&C, gaussian(40, 7, 2))
		accumulate(t.Context(), a, ct, W, mat.DenseCopyOf(X.T()).RawMatrix(), 0.3)
		if d := difference(mat.NewDense(40, 40, a.Data), &A); d > 1e-11 {
			t.Errorf("p = %g: A differs by %g", p, d)
		}
		if d := difference(mat.NewDense(40, 7, ct.Data), &C); d > 1e-11 {
			t.Errorf("p = %g: C differs by %g", p, d)
		}
	}
}

// TestForgetting checks that the contribution of step t' to A and C has the weight (t'/t)^ρ at step t.
func TestForgetting(t *testing.T) {
	const rho = 2.5
	X := gaussian(5, 60, 3)
	var steps []*Codes
	var batches []*mat.Dense
	opt := Options{Coder: &spy{l1(0.2), func(X *mat.Dense, c *Codes) {
		steps, batches = append(steps, c), append(batches, mat.DenseCopyOf(X))
	}}, Atoms: 8, Batch: 20, Passes: 2, Forget: rho, DeadAfter: -1}
	r := learn(t, X, opt)
	A, C := mat.NewDense(8, 8, nil), mat.NewDense(8, 5, nil)
	last := float64(len(steps))
	for k, c := range steps {
		weight := math.Pow(float64(k+1)/last, rho) / 20
		var a, b mat.Dense
		a.Mul(c.W, c.W.T())
		a.Scale(weight, &a)
		A.Add(A, &a)
		b.Mul(c.W, batches[k].T())
		b.Scale(weight, &b)
		C.Add(C, &b)
	}
	if d := difference(A, mat.NewDense(8, 8, r.State.a)); d > 1e-12 || len(steps) != 6 {
		t.Errorf("A differs by %g after %d steps", d, len(steps))
	}
	if d := difference(C, mat.NewDense(8, 5, r.State.ct)); d > 1e-12 {
		t.Errorf("C differs by %g", d)
	}
}

type spy struct {
	Coder
	after func(X *mat.Dense, c *Codes)
}

func (s *spy) Code(ctx context.Context, B, X, warm *mat.Dense) (*Codes, error) {
	c, err := s.Coder.Code(ctx, B, X, warm)
	if err == nil {
		s.after(X, c)
	}
	return c, err
}

// TestMOD compares MOD with the least squares solution of W'B' = X' by QR, and by the pseudo-inverse if W is
// rank deficient.
func TestMOD(t *testing.T) {
	a, ct, X, W := problem(5, 8, 40, 0.5, 51)
	bt, err := leastSquares(a, ct)
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	if err := want.Solve(W.T(), X.T()); err != nil {
		t.Fatal(err)
	}
	if d := difference(mat.NewDense(8, 5, bt.Data), &want); d > 1e-10 {
		t.Errorf("B differs by %g", d)
	}
	a, ct, X, W = problem(5, 12, 9, 0.9, 52)
	if bt, err = leastSquares(a, ct); err != nil {
		t.Fatal(err)
	}
	var svd mat.SVD
	svd.Factorize(W.T(), mat.SVDThin)
	var pinv mat.Dense
	svd.SolveTo(&pinv, X.T(), 9)
	var r1, r2 mat.Dense
	r1.Mul(asDense(bt), W)
	r1.Sub(X, &r1)
	r2.Mul(pinv.T(), W)
	r2.Sub(X, &r2)
	if a, b := mat.Norm(&r1, 2), mat.Norm(&r2, 2); a > b+1e-6*mat.Norm(X, 2) {
		t.Errorf("singular: residual %g, at best %g", a, b)
	}
	// One pass of Fit gives the same B with scaled columns.
	Y, _, _ := planted(6, 9, 80, 2, 0.1, 3)
	coder := SparseCoder(&sparseapprox.Options{Prior: sparseapprox.L0, Nonzeros: 3})
	init := gaussian(6, 9, 4)
	res := learn(t, Y, Options{Coder: coder, Init: init, Method: MOD, Passes: 1})
	for j := range 9 {
		c := init.ColView(j).(*mat.VecDense)
		c.ScaleVec(1/mat.Norm(c, 2), c)
	}
	codes, err := coder.Code(context.Background(), init, Y, nil)
	if err != nil {
		t.Fatal(err)
	}
	want.Reset()
	if err := want.Solve(codes.W.T(), Y.T()); err != nil {
		t.Fatal(err)
	}
	for j := range 9 {
		b := want.RawRowView(j)
		scaleTo1(b)
		for i := range 6 {
			if math.Abs(b[i]-res.B.At(i, j)) > 1e-9 {
				t.Fatalf("element %d,%d is %g, want %g", i, j, res.B.At(i, j), b[i])
			}
		}
	}
}

// TestGradient compares (7) with central differences of the minimum over w. At the minimum, the dependence of
// w on B has no first-order effect.
func TestGradient(t *testing.T) {
	for name, c := range map[string]struct {
		coder Coder
		X     *mat.Dense
	}{
		"L1":      {SparseCoder(&sparseapprox.Options{Lambda: 0.3, Tolerance: 1e-13}), gaussian(5, 6, 1)},
		"KL":      {KLCoder(&klcoding.Options{Lambda: 0.2, P: 0.05, Doubled: true, Tolerance: 1e-12}), gaussian(5, 6, 1)},
		"softmax": {KLCoder(&klcoding.Options{Lambda: 0.2, P: 0.05, Loss: klcoding.Softmax, Tolerance: 1e-12}), distributions(5, 6, 1)},
	} {
		B := gaussian(5, 7, 2)
		codes, err := c.coder.Code(context.Background(), B, c.X, nil)
		if err != nil {
			t.Fatal(err)
		}
		G := Gradient(B, c.X, codes)
		const h = 1e-5
		var worst float64
		for i := range 5 {
			for j := range 7 {
				f := func(h float64) float64 {
					p := mat.DenseCopyOf(B)
					p.Set(i, j, p.At(i, j)+h)
					return 6 * heldOut(t, c.coder, p, c.X)
				}
				worst = max(worst, math.Abs((f(h)-f(-h))/(2*h)-G.At(i, j)))
			}
		}
		if worst > 1e-7*mat.Norm(G, 2) {
			t.Errorf("%s: gradient differs from central differences by %g of %g", name, worst, mat.Norm(G, 2))
		}
	}
}

// TestSGDStep checks that each of two SGD steps gives B − ηG, scaled to unit columns, where η = Rate/(unit
// √t) and unit is the largest eigenvalue of the mean of ww'.
func TestSGDStep(t *testing.T) {
	X := gaussian(5, 40, 1)
	init := gaussian(5, 8, 2)
	coder := l1(0.2)
	opt := Options{Coder: coder, Init: init, Method: SGD, Batch: 40, Passes: 2, Rate: 0.7, DeadAfter: -1}
	r := learn(t, X, opt)
	B := mat.DenseCopyOf(init)
	unit := 0.0
	for step := range 3 {
		for j := range 8 {
			c := B.ColView(j).(*mat.VecDense)
			c.ScaleVec(1/mat.Norm(c, 2), c)
		}
		if step == 2 {
			break
		}
		codes, err := coder.Code(context.Background(), B, X, nil)
		if err != nil {
			t.Fatal(err)
		}
		if step == 0 {
			var svd mat.SVD
			svd.Factorize(codes.W, mat.SVDNone)
			unit = svd.Values(nil)[0] * svd.Values(nil)[0] / 40
			if math.Abs(r.State.unit-unit) > 0.02*unit {
				t.Errorf("unit is %g, want %g", r.State.unit, unit)
			}
			unit = r.State.unit
		}
		G := Gradient(B, X, codes)
		G.Scale(-0.7/unit/math.Sqrt(float64(step+1))/40, G)
		B.Add(B, G)
	}
	if d := difference(B, r.B); d > 1e-10 {
		t.Errorf("B differs by %g", d)
	}
}
