package classify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/transposed"
)

// An MDA is a multiple discriminant analysis (R. Duda, P. Hart, D. Stork, Pattern Classification, 2nd ed., section
// 3.8.3): the projection z = V'(x − x̄) that best separates the classes relative to their widths. The scatter matrices
// are
//
//	S_W = Σ_k Σ_{y_i = k} (x_i − x̄_k)(x_i − x̄_k)',   S_B = Σ_k n_k (x̄_k − x̄)(x̄_k − x̄)'
//
// where x̄ is the mean of all n points, and x̄_k is the mean of the n_k points of class k. All sums are weighted if
// points have weights. The columns of V are the leading generalized eigenvectors of S_B v = λ S_W v; they maximize
// |V'S_B V| / |V'S_W V|. They are scaled so that V'S_W V = (n − K) I, where K is the number of classes. This gives
// each class a width of about 1.
type MDA struct {
	V    *mat.Dense // d×p, a direction per COLUMN
	Mean []float64  // x̄, d
	// Ratio is λ of each direction: the scatter between the classes divided by the scatter within the classes.
	Ratio   []float64
	Centers *mat.Dense // K×p: the projected class means
	// Centres is the old name of Centers.
	//
	// Deprecated: use Centers.
	Centres *mat.Dense
}

// String returns a one-line summary.
func (m *MDA) String() string {
	d, p := size.Of(m.V)
	K, _ := size.Of(m.Centers)
	return fmt.Sprintf("MDA of %d classes: %d directions in %d dimensions", K, p, d)
}

// MDAOptions configures FitMDA. The zero value is usable unless S_W is nearly singular.
type MDAOptions struct {
	// Dimensions is p, at most K − 1, because all further λ are 0. 0 means 2, or 1 if there are two classes.
	Dimensions int
	// Shrinkage s, 0 to 1, replaces S_W by (1 − s) S_W + s (tr S_W/d) I. 0 means no shrinkage: there must
	// then be more points than features, and the features must be linearly independent. A negative value is
	// an error.
	Shrinkage float64
	// Classes is K. 0 means one more than the largest label.
	Classes int
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's class
	// times its sample weight. nil means 1. A point of weight 2 is like two points.
	ClassWeights, SampleWeights []float64
}

// FitMDA finds the projection for the rows of X (n×d) with labels y (n). opt may be nil. If S_W is singular, FitMDA
// returns an error that recommends Shrinkage. The units of the features matter only if Shrinkage is set.
func FitMDA(ctx context.Context, X mat.Matrix, y []int, opt *MDAOptions) (*MDA, error) {
	var o MDAOptions
	if opt != nil {
		o = *opt
	}
	if err := inRange("FitMDA", option{"Shrinkage", o.Shrinkage, o.Shrinkage >= 0 && o.Shrinkage <= 1, "0 to 1"}, count("Dimensions", o.Dimensions)); err != nil {
		return nil, err
	}
	D, K, err := checkLabeled("FitMDA", X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	if _, err := counts("FitMDA", y, K); err != nil {
		return nil, err
	}
	s, err := pointWeights("FitMDA", o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	points, d := D.Dims()
	n, size := 0.0, make([]float64, K) // counts, or sums of weights
	weight := func(i int) float64 {
		if s == nil {
			return 1
		}
		return s[i]
	}
	for i, c := range y {
		n += weight(i)
		size[c] += weight(i)
	}
	if o.Dimensions == 0 {
		o.Dimensions = min(2, K-1, d)
	}
	p := o.Dimensions
	if p > min(K-1, d) {
		return nil, fmt.Errorf("classify: FitMDA: %d directions of %d classes in %d dimensions: at most %d exist", p, K, d, min(K-1, d))
	}
	flatWithin := constantWithin(D, y, K)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("classify: FitMDA: %w", ctx.Err())
	}
	D, shift := nearMean(D)
	mean := make([]float64, d)
	M := mat.NewDense(K, d, nil) // class means
	for i, c := range y {
		m := M.RawRowView(c)
		for j, x := range D.RawRowView(i) {
			mean[j] += x * weight(i) / n
			m[j] += x * weight(i) / size[c]
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("classify: FitMDA: %w", ctx.Err())
	}
	R := mat.NewDense(points, d, nil) // √s_i (x_i − x̄_k)
	for i, c := range y {
		m, r := M.RawRowView(c), R.RawRowView(i)
		for j, x := range D.RawRowView(i) {
			r[j] = x - m[j]
		}
		if s != nil {
			floats.Scale(math.Sqrt(s[i]), r)
		}
	}
	if err := ram.Check(fmt.Sprintf("the scatter of %d features, and its factor,", d), 24*float64(d)*float64(d)); err != nil {
		return nil, fmt.Errorf("classify: FitMDA: %w", err)
	}
	for j, same := range flatWithin {
		if same { // otherwise the rounding errors of the means would count as a scatter
			R.SetCol(j, make([]float64, points))
		}
	}
	// Each feature is divided by a unit, about its width within the classes, because the condition number depends on
	// the units of the features, but the projections do not. The units are powers of two, so no digit changes.
	unit, flat, columns := make([]float64, d), -1, transposed.Columns(R, 0, d)
	for j := range d {
		norm := floats.Norm(columns.RawRowView(j), 2)
		if norm == 0 {
			flat = j
		}
		_, exp := math.Frexp(norm)
		unit[j] = math.Ldexp(1, max(-1000, min(1000, -exp)))
	}
	for i := range points {
		floats.Mul(R.RawRowView(i), unit)
	}
	// await calls do, which must not use memory of FitMDA's caller. do takes about the given number of operations
	// (multiplications).
	await := func(operations float64, do func()) error {
		if err := parallel.Await(ctx, operations, do); err != nil {
			return fmt.Errorf("classify: FitMDA: %w", err)
		}
		return nil
	}
	cube := float64(d) * float64(d) * float64(d)
	SW := mat.NewSymDense(d, nil)
	if err := await(float64(points)*float64(d)*float64(d)/2, func() { SW.SymOuterK(1, R.T()) }); err != nil { // R'R: d×d
		return nil, err
	}
	trace := 0.0
	for j, u := range unit {
		trace += SW.At(j, j) / u / u
	}
	for i := range d {
		for j := i; j < d; j++ {
			SW.SetSym(i, j, (1-o.Shrinkage)*SW.At(i, j))
		}
		if o.Shrinkage > 0 { // only then, because trace may be infinite
			SW.SetSym(i, i, SW.At(i, i)+o.Shrinkage*trace/float64(d)*unit[i]*unit[i])
		}
	}
	again := make([]float64, d) // new units, because shrinkage may have widened narrow features
	for i := range d {
		_, exp := math.Frexp(SW.At(i, i))
		again[i] = math.Ldexp(1, -exp/2)
	}
	for i := range d {
		for j := i; j < d; j++ {
			SW.SetSym(i, j, SW.At(i, j)*again[i]*again[j])
		}
	}
	floats.Mul(unit, again)
	var chol mat.Cholesky
	regular := false
	if err := await(cube/6, func() { regular = chol.Factorize(SW) && chol.Cond() < 1e14 }); err != nil {
		return nil, err
	}
	if !regular {
		if flat >= 0 {
			return nil, fmt.Errorf("classify: FitMDA: feature %d is constant within each class: leave it out, or set Shrinkage", flat)
		}
		return nil, fmt.Errorf("classify: FitMDA: the scatter within the classes is singular (%d points, %d classes, %d features): set Shrinkage", points, K, d)
	}
	// S_B = N'N, where the rows of N (K×d) are √n_k (x̄_k − x̄)', and S_W = LL'. With v = L'⁻¹u and A = L⁻¹N' (d×K),
	// the problem becomes AA'u = λu. So the u are the left singular vectors of A.
	N := mat.NewDense(K, d, nil)
	for k := range K {
		row := N.RawRowView(k)
		for j, m := range M.RawRowView(k) {
			row[j] = math.Sqrt(size[k]) * (m - mean[j]) * unit[j]
		}
	}
	var L mat.TriDense
	chol.LTo(&L)
	if chol.Cond() > illConditioned {
		// The Cholesky factor of R'R has only half as many digits as the triangle from a QR decomposition of R.
		for i := range points {
			floats.Mul(R.RawRowView(i), again)
		}
		var T *mat.TriDense
		err := await(2*float64(points)*float64(d)*float64(d)+2*cube, func() {
			T = triangle(R, 1-o.Shrinkage, o.Shrinkage*trace/float64(d), unit)
		})
		if err != nil {
			return nil, err
		}
		L.Copy(T.T())
	}
	var A mat.Dense
	if err := A.Solve(&L, N.T()); isSingular(err) {
		return nil, fmt.Errorf("classify: FitMDA: %w", err)
	}
	var svd mat.SVD
	found := false
	if err := await(10*float64(d)*float64(K)*float64(min(d, K)), func() { found = svd.Factorize(&A, mat.SVDThin) }); err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("classify: FitMDA: the singular value decomposition failed")
	}
	var U mat.Dense
	svd.UTo(&U)
	out := &MDA{V: new(mat.Dense), Mean: mean}
	if err := out.V.Solve(L.T(), U.Slice(0, d, 0, p)); isSingular(err) {
		return nil, fmt.Errorf("classify: FitMDA: %w", err)
	}
	for j, u := range unit {
		floats.Scale(u, out.V.RawRowView(j))
	}
	for _, s := range svd.Values(nil)[:p] {
		out.Ratio = append(out.Ratio, s*s)
	}
	out.V.Scale(math.Sqrt(math.Max(1, n-float64(K))), out.V)
	for c := range p { // choose a sign that does not depend on the solver
		top := 0
		for j := range d {
			if math.Abs(out.V.At(j, c)) > math.Abs(out.V.At(top, c))*(1+1e-9) {
				top = j
			}
		}
		if out.V.At(top, c) < 0 {
			for j := range d {
				out.V.Set(j, c, -out.V.At(j, c))
			}
		}
	}
	if shift != nil {
		floats.Add(out.Mean, shift)
		for k := range K {
			floats.Add(M.RawRowView(k), shift)
		}
	}
	out.Centers = out.Transform(M)
	out.Centres = out.Centers
	return out, nil
}

// illConditioned is the condition number of S_W above which fewer than about seven digits would be right.
const illConditioned = 1e8

// triangle returns the upper triangular T (d×d) for which T'T = share·R'R + rest·diag(unit²). R is n×d.
func triangle(R *mat.Dense, share, rest float64, unit []float64) *mat.TriDense {
	n, d := R.Dims()
	S := mat.NewDense(n+d, d, nil)
	S.Slice(0, n, 0, d).(*mat.Dense).Scale(math.Sqrt(share), R)
	for j, u := range unit {
		S.Set(n+j, j, math.Sqrt(rest)*u)
	}
	var qr mat.QR
	qr.Factorize(S)
	var full mat.Dense
	qr.RTo(&full)
	T := mat.NewTriDense(d, mat.Upper, nil)
	for i := range d {
		for j := i; j < d; j++ {
			T.SetTri(i, j, full.At(i, j))
		}
	}
	return T
}

// isSingular reports whether err means that the matrix is exactly singular, rather than merely ill-conditioned.
func isSingular(err error) bool {
	c, ill := err.(mat.Condition)
	return err != nil && !(ill && !math.IsInf(float64(c), 1))
}

// nearMean returns X minus a shift (d), and the shift. For features whose mean is far larger than their deviation, the
// shift is the mean, because the means of the classes would otherwise lose too many digits. For all other features, the
// shift is 0. A constant feature becomes 0. If no feature needs a shift, nearMean returns X itself and nil.
func nearMean(X *mat.Dense) (*mat.Dense, []float64) {
	n, d := X.Dims()
	shift, some := make([]float64, d), false
	flat, columns := constant.Columns(X), transposed.Columns(X, 0, d)
	for j := range d {
		if mean, sd := moments(columns.RawRowView(j)); math.Abs(mean) > 1000*sd {
			shift[j], some = mean, true
		}
	}
	if !some {
		return X, nil
	}
	C := mat.DenseCopyOf(X)
	for i := range n {
		row := C.RawRowView(i)
		floats.Sub(row, shift)
		for j, same := range flat {
			if same {
				row[j] = 0
			}
		}
	}
	return C, shift
}

// constantWithin reports for each column of X whether it is constant within each class.
func constantWithin(X *mat.Dense, y []int, K int) []bool {
	_, d := X.Dims()
	of := make([][]int, K)
	for i, c := range y {
		of[c] = append(of[c], i)
	}
	same := slices.Repeat([]bool{true}, d)
	for _, idx := range of {
		for j, v := range constant.Columns(Rows(X, idx)) {
			same[j] = same[j] && v
		}
	}
	return same
}

// Transform returns V'(x − x̄) for the rows x of X (n×d). The result (n×p) is ready to plot.
func (m *MDA) Transform(X mat.Matrix) *mat.Dense {
	mustBeTrained("Transform", m.V)
	D := input("Transform", X, len(m.Mean))
	_, p := m.V.Dims()
	shift := make([]float64, p)
	for j, mu := range m.Mean {
		for c := range p {
			shift[c] -= mu * m.V.At(j, c)
		}
	}
	var Z mat.Dense
	Z.Mul(D, m.V)
	n, _ := Z.Dims()
	for i := range n {
		row := Z.RawRowView(i)
		for c, s := range shift {
			row[c] += s
		}
	}
	return &Z
}

// Scores returns −½ times the squared distances to the projected class means for the
// rows of X (n×d): n×K.
func (m *MDA) Scores(X mat.Matrix) *mat.Dense {
	Z := m.Transform(X)
	n, p := Z.Dims()
	K, _ := m.Centers.Dims()
	S := mat.NewDense(n, K, nil)
	for i := range n {
		z, s := Z.RawRowView(i), S.RawRowView(i)
		for k := range K {
			c := m.Centers.RawRowView(k)
			for j := range p {
				s[k] -= (z[j] - c[j]) * (z[j] - c[j]) / 2
			}
		}
	}
	return S
}

// Predict returns the class with the nearest projected mean for each row of X (n×d).
func (m *MDA) Predict(X mat.Matrix) []int { return largest(m.Scores(X)) }
