package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/trial"
)

// twoClasses returns small data of two classes in any units.
func twoClasses(rng *rand.Rand, n, d int) (*mat.Dense, []int, string) {
	X, name := trial.Features(rng, n, d)
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(2)
	}
	y[0], y[1] = 0, 1
	return X, y, name
}

// unit returns a number that brings the largest element of X to about 1.
func unit(X *mat.Dense) float64 {
	if top := largestAbs(X); top > 0 {
		return 1 / top
	}
	return 1
}

// TestLinearSVMBound: the dual value of FitLinearSVM, Objective − Gap, is not above the minimum. The test finds the
// minimum by trying all sets of support vectors, with 400 binary digits. Objective is the objective of the returned
// weights, and does not exceed that of w = 0.
func TestLinearSVMBound(t *testing.T) {
	ctx := context.Background()
	count, missed := trial.Count(300, 10000), 0
	var whole, wholeMissed [2]int // by loss: the fits with the default options for convergence, and how many of them missed it
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 78))
		n, d := 2+rng.IntN(4), 1+rng.IntN(3)
		X, y, name := twoClasses(rng, n, d)
		o := &LinearSVMOptions{C: math.Pow(10, 4*rng.Float64()-2), BiasValue: math.Pow(10, 2*rng.Float64()-1)}
		if rng.IntN(2) == 0 { // adapted to the size of the data
			u := unit(X)
			o.C *= u * u
		}
		if rng.IntN(3) == 0 {
			o.Loss = Hinge
		}
		if rng.IntN(3) == 0 {
			o.MaxIterations = 1 + rng.IntN(50)
		}
		if rng.IntN(3) == 0 {
			o.Gap = math.Pow(10, -1-10*rng.Float64())
		}
		var Z mat.Matrix = X
		if rng.IntN(3) == 0 {
			Z = csr.Of(X)
		}
		m, err := FitLinearSVM(ctx, Z, y, o)
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, n, d, name, *o)
		if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err != nil {
			missed++
		}
		if o.MaxIterations == 0 && o.Gap == 0 {
			whole[o.Loss]++
			if err != nil {
				wholeMissed[o.Loss]++
			}
		}
		// The dual: ½α'Q̄α − e'α.
		points := make([][]trial.Number, n)
		for i := range points {
			for j := range d {
				points[i] = append(points[i], trial.Of(X.At(i, j)))
			}
			points[i] = append(points[i], trial.Of(o.BiasValue))
		}
		Q, e, top := trial.Gram(points), make([]trial.Number, n), make([]float64, n)
		for i := range Q {
			for j := range Q {
				if y[i] != y[j] {
					Q[i][j] = trial.Sub(trial.Of(0), Q[i][j])
				}
			}
			e[i], top[i] = trial.Of(1), o.C
			if o.Loss == SquaredHinge {
				Q[i][i] = trial.Add(Q[i][i], trial.Of(0.5/o.C))
				top[i] = math.Inf(1)
			}
		}
		f, _ := trial.Box(Q, e, top, nil)
		least := -trial.Float(f)
		for k := range 2 {
			// Compute P of the returned weights.
			w := make([]trial.Number, d+1)
			for j := range d {
				w[j] = trial.Of(m.W.At(k, j))
			}
			w[d] = trial.Quo(trial.Of(m.B[k]), trial.Of(o.BiasValue))
			own, noise := trial.Mul(trial.Of(0.5), trial.Dot(w, w)), 0.0
			for i := range n {
				s := 1.0
				if y[i] != k {
					s = -1
				}
				xi := trial.Sub(trial.Of(1), trial.Mul(trial.Of(s), trial.Dot(w, points[i])))
				// A bound on the size of a score, for its rounding error.
				size := math.Abs(m.B[k]) + 1
				for j := range d {
					size += math.Abs(m.W.At(k, j) * X.At(i, j))
				}
				size *= float64(d+2) * 0x1p-52
				if xi.Sign() <= 0 {
					if trial.Float(xi) > -size {
						noise += o.C * size
					}
					continue
				}
				v := trial.Float(xi)
				if o.Loss == SquaredHinge {
					noise += o.C * size * (2*v + size)
					xi = trial.Mul(xi, xi)
				} else {
					noise += o.C * size
				}
				own = trial.Add(own, trial.Mul(trial.Of(o.C), xi))
			}
			p, none := trial.Float(own), o.C*float64(n)
			noise += 1e-13 * (p + least)
			if math.Abs(m.Objective[k]-p) > noise {
				t.Errorf("%s: machine %d: Objective is %v, the weights have %v (noise %g)", what, k, m.Objective[k], p, noise)
			}
			if bound := m.Objective[k] - m.Gap[k]; bound > least+1e-12*none+noise {
				t.Errorf("%s: machine %d: %v: bound %v, minimum %v, objective %v", what, k, m.Status, bound, least, m.Objective[k])
			}
			if p > none*(1+1e-9)+noise {
				t.Errorf("%s: machine %d: %v: objective %v, that of w = 0 is %v", what, k, m.Status, p, none)
			}
			share := o.Gap
			if share == 0 {
				share = 0.01
			}
			if m.Status == ended.Converged && p-least > (share+1e-6)*p+noise {
				t.Errorf("%s: machine %d: converged %v above the minimum %v", what, k, p-least, least)
			}
		}
	}
	t.Logf("%d of %d not converged; with the default options, by loss %d of %d", missed, count, wholeMissed, whole)
	for loss, n := range whole {
		if wholeMissed[loss] > 1+n/50 {
			t.Errorf("loss %d: %d of %d not converged", loss, wholeMissed[loss], n)
		}
	}
}

// TestRBFSVMBound: Dual is not above the minimum and Objective is not below it, up to the rounding of float32
// kernels. The test finds the minimum by trying all sets of support vectors.
func TestRBFSVMBound(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 79))
		n, d := 2+rng.IntN(4), 1+rng.IntN(3)
		X, y, name := twoClasses(rng, n, d)
		o := &RBFSVMOptions{C: math.Pow(10, 4*rng.Float64()-2)}
		switch rng.IntN(3) {
		case 0:
			u := unit(X)
			o.Gamma = u * u
		case 1:
			o.Gamma = math.Pow(10, 4*rng.Float64()-2)
		}
		if rng.IntN(3) == 0 {
			o.MaxIterations = 1 + rng.IntN(5)
		}
		if rng.IntN(3) == 0 {
			o.Gap = math.Pow(10, -1-10*rng.Float64())
		}
		m, err := FitRBFSVM(ctx, X, y, o)
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, n, d, name, *o)
		if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if m.Gamma == 0 {
			t.Errorf("%s: γ is 0", what)
		}
		Q, e := make([][]trial.Number, n), make([]trial.Number, n)
		top, sign := make([]float64, n), make([]float64, n)
		for i := range n {
			sign[i], e[i], top[i] = 1, trial.Of(1), o.C
			if y[i] == 1 {
				sign[i] = -1
			}
		}
		for i := range n {
			for j := range n {
				dist := 0.0
				for k := range d {
					dist += (X.At(i, k) - X.At(j, k)) * (X.At(i, k) - X.At(j, k))
				}
				Q[i] = append(Q[i], trial.Of(sign[i]*sign[j]*math.Exp(-m.Gamma*dist)))
			}
		}
		f, _ := trial.Box(Q, e, top, sign)
		least := -trial.Float(f)
		noise := 0.0 // Σ|β|² times the error of a kernel
		for j := range m.Index {
			noise += math.Abs(m.Beta.At(0, j))
		}
		noise = 2e-7*noise*noise + 2e-7*noise + 1e-12*o.C*float64(n)
		if m.Dual[0] > least+noise || m.Objective[0] < least-noise {
			t.Errorf("%s: %v: dual %v, minimum %v, objective %v, noise %g", what, m.Status, m.Dual[0], least, m.Objective[0], noise)
		}
		if m.Status == ended.Converged && m.Objective[0]-m.Dual[0] > 1e-3*o.C*float64(n)+noise {
			t.Errorf("%s: a gap of %v, the documentation has %v", what, m.Objective[0]-m.Dual[0], 1e-3*o.C*float64(n))
		}
		if m.Status != ended.IterationLimit && m.Objective[0] > o.C*float64(n)*(1+1e-9)+noise {
			t.Errorf("%s: %v: objective %v, that of β = 0 is %v", what, m.Status, m.Objective[0], o.C*float64(n))
		}
		if o.Gap > 0 && m.Status == ended.Converged && m.Objective[0]-least > o.Gap*m.Objective[0]+noise {
			t.Errorf("%s: converged %v above the minimum %v", what, m.Objective[0]-least, least)
		}
	}
}

// standardized returns the columns of X minus their means, divided by their standard deviations (norm over √n), and
// these deviations. It computes with 400 binary digits. A constant feature becomes 0, with deviation 1.
func standardized(X *mat.Dense) (*mat.Dense, []float64) {
	n, d := X.Dims()
	Z, size := mat.NewDense(n, d, nil), make([]float64, d)
	for j, c := range trial.Columns(X) {
		c, _ = trial.Centered(c)
		if size[j] = math.Sqrt(trial.Float(trial.Dot(c, c)) / float64(n)); size[j] == 0 || constant.Values(mat.Col(nil, j, X)) {
			size[j] = 1
			continue
		}
		for i, v := range c {
			Z.Set(i, j, trial.Float(trial.Quo(v, trial.Of(size[j]))))
		}
	}
	return Z, size
}

// leastLogistic returns the minimum of the objective for two classes. It applies Newton's method to the difference u =
// w_1 − w_0, in the units of the features. At the minimum w_1 = −w_0 = u/2, so the penalty is (α/4)‖u‖².
func leastLogistic(Z *mat.Dense, size []float64, y []int, alpha float64) float64 {
	n, d := Z.Dims()
	u := make([]float64, d+1)
	f := func(u []float64) (v float64) {
		for i := range n {
			z := u[d]
			for j := range d {
				z += u[j] * Z.At(i, j)
			}
			if y[i] == 1 {
				z = -z
			}
			v += (math.Max(0, z) + math.Log1p(math.Exp(-math.Abs(z)))) / float64(n)
		}
		for j := range d {
			v += alpha / 4 * (u[j] / size[j]) * (u[j] / size[j])
		}
		return v
	}
	for range 300 {
		g, H := mat.NewVecDense(d+1, nil), mat.NewSymDense(d+1, nil)
		for i := range n {
			x := append(append([]float64{}, Z.RawRowView(i)...), 1)
			z := 0.0
			for j, v := range x {
				z += u[j] * v
			}
			p := 1 / (1 + math.Exp(-z))
			g.AddScaledVec(g, (p-float64(y[i]))/float64(n), mat.NewVecDense(d+1, x))
			H.SymRankOne(H, p*(1-p)/float64(n), mat.NewVecDense(d+1, x))
		}
		for j := range d {
			a := alpha / 2 / size[j] / size[j]
			g.SetVec(j, g.AtVec(j)+a*u[j])
			H.SetSym(j, j, H.At(j, j)+a)
		}
		for j := range d + 1 { // Newton's step in units of H's diagonal
			H.SetSym(j, j, H.At(j, j)*(1+1e-14)+1e-300)
		}
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(H) || chol.SolveVecTo(&step, g) != nil && step.Len() == 0 {
			break
		}
		before, better := f(u), false
		for t := 1.0; t > 1e-9 && !better; t /= 2 {
			v := append([]float64{}, u...)
			for j := range v {
				v[j] -= t * step.AtVec(j)
			}
			if f(v) < before {
				u, better = v, true
			}
		}
		if !better {
			break
		}
	}
	return f(u)
}

// TestMaxentLaws: for any units and origins of the features, Gap is at least the distance of Objective from the
// minimum. The test finds the minimum by Newton's method on standardized features. Training fails for at most 1 of 100
// data sets; in most of these failures, a point is far away.
func TestMaxentLaws(t *testing.T) {
	ctx := context.Background()
	missed, count := 0, trial.Count(300, 10000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 80))
		n, d := 4+rng.IntN(8), 1+rng.IntN(3)
		X, y, name := twoClasses(rng, n, d)
		alpha := math.Pow(10, 4*rng.Float64()-4)
		if rng.IntN(2) == 0 { // adapted to the deviation of the data
			_, size := standardized(X)
			s := size[rng.IntN(d)]
			alpha *= s * s
		}
		o := &MaxentOptions{Alpha: alpha}
		if rng.IntN(4) == 0 {
			o.Tolerance = math.Pow(10, -3-12*rng.Float64())
		}
		if rng.IntN(3) == 0 {
			o.MaxIterations = 1 + rng.IntN(20)
		}
		var F mat.Matrix = X
		if rng.IntN(3) == 0 {
			F = csr.Of(X)
		}
		m, err := FitMaxent(ctx, F, y, o)
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, n, d, name, *o)
		if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err != nil && o.MaxIterations == 0 && o.Tolerance == 0 {
			missed++
		}
		Z, size := standardized(X)
		least := leastLogistic(Z, size, y, alpha)
		if m.Objective-m.Gap > least*(1+1e-9)+1e-14 { // a loss is a difference of numbers that can be several tens
			t.Errorf("%s: %v: objective %v, gap %v, minimum %v", what, m.Status, m.Objective, m.Gap, least)
		}
		if m.Objective > math.Ln2*(1+1e-12) {
			t.Errorf("%s: %v: objective %v, that of W = 0 is ln 2", what, m.Status, m.Objective)
		}
	}
	t.Logf("%d of %d not converged", missed, count)
	if missed > 1+count/100 {
		t.Errorf("%d of %d not converged", missed, count)
	}
}

// TestMDALaws: the projection of two classes agrees with v = S_W⁻¹(x̄_0 − x̄_1), scaled so that v'S_W v = n − 2,
// computed with 400 binary digits. This holds with and without Shrinkage, for any units and origins of the features,
// unless FitMDA returns the error that S_W is singular.
func TestMDALaws(t *testing.T) {
	refused, count := 0, trial.Count(300, 10000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 87))
		n, d := 6+rng.IntN(10), 1+rng.IntN(3)
		X, y, name := twoClasses(rng, n, d)
		y[2], y[3] = 0, 1
		what := fmt.Sprintf("seed %d, %d×%d, %s", seed, n, d, name)
		var F mat.Matrix = X
		if rng.IntN(3) == 0 {
			F = csr.Of(X)
		}
		shrinkage := 0.0
		if rng.IntN(3) == 0 {
			shrinkage = math.Pow(10, -12*rng.Float64())
		}
		m, err := FitMDA(t.Context(), F, y, &MDAOptions{Shrinkage: shrinkage})
		if err != nil {
			refused++
			continue
		}
		// Compute deviations from the means of the classes, and the difference of these means.
		columns := trial.Columns(X)
		size := [2]float64{}
		for _, c := range y {
			size[c]++
		}
		delta := make([]trial.Number, d)
		for j, c := range columns {
			mean := [2]trial.Number{trial.Of(0), trial.Of(0)}
			for i, v := range c {
				mean[y[i]] = trial.Add(mean[y[i]], trial.Quo(v, trial.Of(size[y[i]])))
			}
			for i, v := range c {
				c[i] = trial.Sub(v, mean[y[i]])
			}
			delta[j] = trial.Sub(mean[0], mean[1])
		}
		SW, trace := trial.Gram(columns), trial.Of(0)
		for j := range d {
			trace = trial.Add(trace, trial.Quo(SW[j][j], trial.Of(float64(d))))
		}
		for j := range d {
			for k := range d {
				SW[j][k] = trial.Mul(trial.Of(1-shrinkage), SW[j][k])
			}
			SW[j][j] = trial.Add(SW[j][j], trial.Mul(trial.Of(shrinkage), trace))
		}
		v := trial.Solve(SW, delta)
		if v == nil {
			t.Errorf("%s: S_W is singular", what)
			continue
		}
		scatter := trial.Dot(v, delta) // v'S_W v
		ratio := trial.Float(scatter) * size[0] * size[1] / float64(n)
		scale := math.Sqrt(float64(n-2) / trial.Float(scatter))
		if e := math.Abs(m.Ratio[0]-ratio) / ratio; e > 1e-6 {
			t.Errorf("%s: the ratio is %v, want %v", what, m.Ratio[0], ratio)
		}
		// Compare all projections, relative to the first.
		Z := m.Transform(X)
		sign := 0.0
		for i := range n {
			want, noise := trial.Of(0), 1e-6
			for j := range d {
				want = trial.Add(want, trial.Mul(v[j], trial.Sub(trial.Of(X.At(i, j)), trial.Of(X.At(0, j)))))
				noise += float64(n) * 0x1p-50 * math.Abs(m.V.At(j, 0)) * (math.Abs(X.At(i, j)) + math.Abs(X.At(0, j)))
			}
			p, q := Z.At(i, 0)-Z.At(0, 0), trial.Float(want)*scale
			noise += 1e-6 * math.Abs(q)
			if sign == 0 && math.Abs(q) > noise {
				sign = math.Copysign(1, p*q)
			}
			if math.Abs(p-sign*q) > noise && sign != 0 {
				t.Errorf("%s: point %d is at %v, want %v", what, i, p, sign*q)
				break
			}
		}
	}
	if refused > count/2 { // nearly all refused data sets have a constant feature, or two equal features
		t.Errorf("%d of %d refused", refused, count)
	}
}

// TestStandardizeLaws: for any units and origins, the standardized features agree with those computed with 400 binary
// digits, up to the rounding of the numbers themselves.
func TestStandardizeLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 10000)) {
		rng := rand.New(rand.NewPCG(seed, 90))
		n, d := 2+rng.IntN(20), 1+rng.IntN(4)
		X, name := trial.Features(rng, n, d)
		s, err := Standardize(X)
		if err != nil {
			t.Fatal(err)
		}
		Z := s.Transform(X)
		back := s.Inverse(Z)
		want, size := standardized(X)
		for j := range d {
			for i := range n {
				noise := 1e-12 + 0x1p-51*math.Abs(s.Mean[j])/size[j]
				if math.Abs(Z.At(i, j)-want.At(i, j)) > noise && !(size[j] == 1 && s.Scale[j] == 1 && math.Abs(Z.At(i, j)) <= 1e-13*math.Abs(X.At(i, j))) {
					t.Errorf("seed %d, %d×%d, %s: (%d, %d) is %v, want %v", seed, n, d, name, i, j, Z.At(i, j), want.At(i, j))
				}
				if x := X.At(i, j); math.Abs(back.At(i, j)-x) > 1e-14*(math.Abs(x)+math.Abs(s.Mean[j])) {
					t.Errorf("seed %d, %d×%d, %s: (%d, %d) comes back as %v, not %v", seed, n, d, name, i, j, back.At(i, j), x)
				}
			}
		}
	}
}

// TestNetworkLaws: a network that is fitted to standardized features is the same function of the points for any units
// and origins of the features. Without Standardize, the objective and its gradient are the same if the weights are in
// the inverse units of the features; but the fit is not, because its start and steps do not depend on units.
func TestNetworkLaws(t *testing.T) {
	for seed := range uint64(trial.Count(40, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 93))
		n, d := 10+rng.IntN(20), 1+rng.IntN(4)
		X, name := trial.Features(rng, n, d)
		what := fmt.Sprintf("seed %d, %d×%d, %s", seed, n, d, name)
		y := make([]int, n)
		for i := range y {
			y[i] = i % 3
		}
		Z, size := standardized(X)
		s, err := Standardize(X)
		if err != nil {
			t.Fatal(err)
		}
		opt := &NetworkOptions{Hidden: 5, Activation: Activation(seed % 2), Alpha: 0.01, Epochs: 3, Batch: 7, NoValidation: true, Seed: seed}
		fit := func(X *mat.Dense) *Network {
			m, err := FitNetwork(t.Context(), X, y, opt)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return m
		}
		noise := 1e-9
		for j := range d { // the rounding of the numbers themselves, relative to the feature's spread
			noise += 1e4 * 0x1p-51 * math.Abs(s.Mean[j]) / size[j]
		}
		base, other := fit(Z), fit(s.Transform(X))
		if got, want := other.Probabilities(s.Transform(X)), base.Probabilities(Z); noise < 1e-2 && !mat.EqualApprox(got, want, noise) {
			t.Errorf("%s: probabilities differ from those of exactly standardized features", what)
		}
		// In other units (powers of two), with the weights in the inverse units, the bits are the same.
		scaled, weights := mat.DenseCopyOf(Z), base.clone()
		e := make([]int, d)
		for j := range d {
			e[j] = rng.IntN(41) - 20
			for i := range n {
				scaled.Set(i, j, math.Ldexp(Z.At(i, j), e[j]))
			}
			for h := range opt.Hidden {
				weights.W1.Set(h, j, math.Ldexp(base.W1.At(h, j), -e[j]))
			}
		}
		f, g := base.Gradient(Z, y, 0)
		fs, gs := weights.Gradient(scaled, y, 0)
		for j := range d {
			for h := range opt.Hidden {
				gs.W1.Set(h, j, math.Ldexp(gs.W1.At(h, j), -e[j]))
			}
		}
		if f != fs || !mat.Equal(g.W1, gs.W1) || !mat.Equal(g.W2, gs.W2) {
			t.Errorf("%s: times 2^%v: objective %v, want %v, or another gradient", what, e, fs, f)
		}
		// Each point twice, in steps of all points.
		opt.Batch = 2 * n
		once := fit(Z)
		twice := mat.NewDense(2*n, d, nil)
		twice.Stack(Z, Z)
		labels := y
		y = append(append([]int{}, labels...), labels...)
		if got, want := fit(twice).Probabilities(Z), once.Probabilities(Z); !mat.EqualApprox(got, want, 1e-6) {
			t.Errorf("%s: points twice: other probabilities", what)
		}
	}
}
