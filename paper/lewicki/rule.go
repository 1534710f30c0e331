package lewicki

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The post's statements on the way from log P(x|A) to its learning rule: the filters W, the gradients of the
// first and the third term, and the step −λAA'AH⁻¹ ≈ −A. Multiplying the gradient by AA' then gives the rule.

// filterRows examines two statements of the post for the case without noise. The first is that its filters W satisfy
// A'W' = I. The second is that the gradient of log P(ŝ), the first term, is −W'zŝ', where z is the derivative of log
// P(s) at ŝ.
func (l *Lab) filterRows() {
	// The matrix W' that minimizes the Frobenius norm of A'W' − I is the pseudoinverse A'⁺.
	A := planeBasis()
	m, n := A.Dims()
	var svd mat.SVD
	if !svd.Factorize(A.T(), mat.SVDThin) {
		panic("lewicki: the singular values of a 3×2 matrix were not found")
	}
	var W, P mat.Dense // m×n, n×n
	identity := mat.NewDiagDense(n, nil)
	for i := range n {
		identity.SetDiag(i, 1)
	}
	svd.SolveTo(&W, identity, m)
	P.Mul(A.T(), &W)
	P.Sub(&P, identity)
	where := "Learning Rule, first term"

	p := l.Pick(50, 300, 2000)
	X := ica.NewMixture(A, ica.BernoulliLaplacian{P: 0.5}, p, 0, l.Seed+250).X
	inf, err := ica.Infer(l.Context(), A, X, nil)
	lab.Check(err)
	first := mat.NewDense(m, n, nil) // E[−W'z ŝ'], z = −sign(ŝ)
	active := 0.0
	for k := range p {
		s := mat.Col(nil, k, inf.S)
		J, inverse, ok := activeInverse(A, s)
		if !ok {
			continue // with at most one active source, W is not unique
		}
		// A_J'W_J' = I holds on the active columns J.
		var wj, at mat.Dense
		wj.CloneFrom(inverse.T())
		at.Mul(columnsOf(A, J).T(), &wj)
		for i := range J {
			at.Set(i, i, at.At(i, i)-1)
		}
		active = max(active, mat.Norm(&at, 2))
	}
	l.Row(record.Row{
		ID: "rule-filters", What: "A'W' = I: smallest ‖A'W' − I‖ (Frobenius) over all W, 2 mixtures of 3 sources",
		Published: blog.Quote("rows of W^⊤ corresponding to non-zero s indices are the same as those of A^{−⊤}, and hence A^⊤W^⊤ = I", where),
		Measured:  record.Number(mat.Norm(&P, 2), ""), Rule: record.AtMost(1e-9), Data: record.Generated("three directions at equal angles"),
		Reason: fmt.Sprintf("A'W' has rank %d and the n×n identity rank %d, so the distance is at least √(n − m). On the active columns J, A_J'W_J' = I does hold (error %.0e), which is what the derivation needs", m, n, active),
	})

	// The first term. Compare the gradient of E log P(ŝ), where ŝ comes from basis pursuit, with central differences.
	used := func(B mat.Matrix) float64 { // E log P(ŝ(B)), up to a constant
		inf, err := ica.Infer(l.Context(), mat.DenseCopyOf(B), X, nil)
		lab.Check(err)
		sum := 0.0
		for _, v := range inf.Objective {
			sum -= v / float64(p)
		}
		return sum
	}
	B := ica.PerturbBasis(A, 10, l.Seed+251) // at the truth, a single active source is at a kink of the objective
	inf, err = ica.Infer(l.Context(), B, X, nil)
	lab.Check(err)
	for k := range p {
		s := mat.Col(nil, k, inf.S)
		J, inverse, ok := activeInverse(B, s)
		if !ok {
			continue
		}
		for a, i := range J { // W' is A_J^{−⊤} on the active columns J
			for c := range m {
				for b := range J {
					z := -math.Copysign(1, s[J[b]])
					first.Set(c, i, first.At(c, i)-inverse.At(b, c)*z*s[J[a]]/float64(p))
				}
			}
		}
	}
	off := 0.0
	const h = 1e-6
	for i := range m {
		for j := range n {
			up, down := mat.DenseCopyOf(B), mat.DenseCopyOf(B)
			up.Set(i, j, B.At(i, j)+h)
			down.Set(i, j, B.At(i, j)-h)
			off = max(off, math.Abs((used(up)-used(down))/(2*h)-first.At(i, j)))
		}
	}
	l.Row(record.Row{
		ID: "rule-first-term", What: "without noise the gradient of log P(ŝ) is −W'zŝ': largest error against central differences, relative to its largest element",
		Published: blog.Quote("∇_A log P(ŝ) = −W^⊤ z s^⊤", where),
		Measured:  record.Number(off/mat.Max(absolute(first)), ""), Rule: record.AtMost(1e-4), Repeat: 1e-5,
		Data:   record.Generated(fmt.Sprintf("%d mixtures of 3 sources, active 50 %%, a basis 10 degrees off", p)),
		Reason: "with z = d log P/ds = −sign(s)/b, not with the post's sign in E3",
	})
}

// activeInverse returns the indices J of the nonzeros of s, and the inverse of A_J, the columns of A with these
// indices. ok is false if A_J is not square or is singular.
func activeInverse(A *mat.Dense, s []float64) (J []int, inverse *mat.Dense, ok bool) {
	m, _ := A.Dims()
	for i, v := range s {
		if math.Abs(v) > 1e-9 {
			J = append(J, i)
		}
	}
	if len(J) != m {
		return nil, nil, false
	}
	inverse = new(mat.Dense)
	if inverse.Inverse(columnsOf(A, J)) != nil {
		return nil, nil, false
	}
	return J, inverse, true
}

// columnsOf returns the columns of A with the indices J.
func columnsOf(A *mat.Dense, J []int) *mat.Dense {
	m, _ := A.Dims()
	out := mat.NewDense(m, len(J), nil)
	for b, j := range J {
		out.SetCol(b, mat.Col(nil, j, A))
	}
	return out
}

// logDetRow tests the post's formula for the gradient of ½ log det H, where H = λA'A + B, and B is the diagonal matrix
// of the prior's curvatures at ŝ. A part of the gradient is due to ŝ's dependence on A. According to the post, this
// part is −2W'yŝ' for some vector y, that is, a column vector times ŝ'. But with r = x − Aŝ, this part is
//
//	−λ(r v' − A v ŝ'),   v = −½ H⁻¹g,  g_i = (H⁻¹)_ii dB_ii/ds_i
//
// (ica.GaussianEvidence derives and tests the formula), and r v' has v' in place of ŝ'. The row measures what is left
// of this part after subtracting the best fit of the form u ŝ', with any column vector u, relative to the whole part.
func (l *Lab) logDetRow(e *evidences) {
	B := ica.PerturbBasis(e.A, 10, l.Seed+201)
	share := map[float64]float64{}
	sigmas := []float64{0.05, 0.00625}
	for _, sigma := range sigmas {
		l.Heed()
		lambda := 1 / (sigma * sigma)
		g, err := ica.GaussianEvidence(B, e.X, &ica.GaussianOptions{Noise: sigma, Sharpness: sharpness})
		lab.Check(err)
		_, p := e.X.Dims()
		var other, whole float64
		for k := range p {
			s := g.S.ColView(k)
			inverse := inverseHessian(B, s, lambda)
			gv := mat.NewVecDense(3, nil)
			for i := range 3 {
				t := math.Tanh(sharpness * s.AtVec(i))
				gv.SetVec(i, inverse.At(i, i)*-2*sharpness*sharpness*(1-t*t)*t)
			}
			var v, r, Av mat.VecDense
			v.MulVec(inverse, gv)
			v.ScaleVec(-0.5, &v)
			r.MulVec(B, s)
			r.SubVec(e.X.ColView(k), &r)
			Av.MulVec(B, &v)
			var rv, avs mat.Dense // m×n
			rv.Outer(lambda, &r, &v)
			avs.Outer(lambda, &Av, s)
			avs.Sub(&rv, &avs)
			whole += mat.Norm(&avs, 2)
			// The part of r v' that no u ŝ' can match: v without its component along ŝ.
			along := mat.Dot(&v, s) / mat.Dot(s, s)
			v.AddScaledVec(&v, -along, s)
			rv.Outer(lambda, &r, &v)
			other += mat.Norm(&rv, 2)
		}
		share[sigma] = other / whole
	}
	l.Row(record.Row{
		ID: "rule-log-det", What: fmt.Sprintf("the gradient of ½ log det H is λAH⁻¹ − 2W'yŝ' for some y: relative residual of the best fit uŝ' to the gradient minus λAH⁻¹, σ = %g", sigmas[1]),
		Published: blog.Quote("∇_A ½ log det(H) = λAH⁻¹ − 2W^⊤ y ŝ^⊤", "Learning Rule, third term"),
		Measured:  record.Number(share[sigmas[1]], ""), Rule: record.AtMost(0.05), Data: e.data,
		Reason: fmt.Sprintf("ŝ also depends on A through A'(x − Aŝ), and λ(x − Aŝ) does not vanish as λ grows, because it balances the prior. This contributes λ(x − Aŝ)v', with v along the null space of A (residual %.2f at σ = %g)", share[sigmas[0]], sigmas[0]),
	})
}

// inverseHessian returns H⁻¹, where H = λA'A + B, and B is the diagonal matrix of the rounded Laplacian's curvatures
// at s.
func inverseHessian(A *mat.Dense, s mat.Vector, lambda float64) *mat.Dense {
	prior := ica.SmoothLaplacian{Scale: 1, Sharpness: sharpness}
	var H, inverse mat.Dense
	H.Mul(A.T(), A)
	H.Scale(lambda, &H)
	for i := range s.Len() {
		H.Set(i, i, H.At(i, i)+prior.Curvature(s.AtVec(i)))
	}
	lab.Check(inverse.Inverse(&H))
	return &inverse
}

// hessianRows adds rows about the last step of the rule's derivation: −λAA'AH⁻¹ ≈ −A for large λ, where H = λA'A + B,
// and B is the diagonal matrix of the prior's curvatures. For a 2×3 matrix A, the limit is different. There is a
// vector v ≠ 0 with Av = 0, and along v the matrix B cannot be neglected. As λ grows,
//
//	λA'AH⁻¹ → I − Bv(v'Bv)⁻¹v',   λAA'AH⁻¹ → A − ABv(v'Bv)⁻¹v'.
//
// The second limit is A only if ABv = 0, for example if B is a multiple of the identity, as for a Gaussian prior.
func (l *Lab) hessianRows() {
	p := l.Pick(60, 300, 2000)
	const low = 0.00625 // λ = 25,600
	at := func(A *mat.Dense, src ica.Source, sigma float64, seed uint64) (each, mean, limit float64) {
		l.Heed()
		X := ica.NewMixture(A, src, p, 0, seed).X
		g, err := ica.GaussianEvidence(A, X, &ica.GaussianOptions{Noise: sigma, Sharpness: sharpness})
		lab.Check(err)
		lambda := 1 / (sigma * sigma)
		var gram, AAA mat.Dense
		gram.Mul(A.T(), A)
		AAA.Mul(A, &gram)
		AAA.Scale(lambda, &AAA)
		v := nullVector(A)
		sum := mat.NewDense(2, 3, nil)
		var deviations []float64
		size := mat.Norm(A, 2)
		for k := range p {
			s := g.S.ColView(k)
			var got, want mat.Dense
			got.Mul(&AAA, inverseHessian(A, s, lambda))
			got.Sub(&got, A)
			sum.Add(sum, &got)
			deviations = append(deviations, mat.Norm(&got, 2)/size)
			// −ABv(v'Bv)⁻¹v'
			Bv := mat.NewVecDense(3, nil)
			for i := range 3 {
				Bv.SetVec(i, ica.SmoothLaplacian{Scale: 1, Sharpness: sharpness}.Curvature(s.AtVec(i))*v.AtVec(i))
			}
			var ABv mat.VecDense
			ABv.MulVec(A, Bv)
			want.Outer(-1/mat.Dot(v, Bv), &ABv, v)
			want.Sub(&got, &want)
			limit = max(limit, mat.Norm(&want, 2)/size)
		}
		return quantile(deviations, 0.5), mat.Norm(sum, 2) / float64(p) / size, limit
	}
	even := planeBasis()
	dense, denseMean, limit := at(even, ica.Laplacian{}, low, l.Seed+260)
	coarse, _, _ := at(even, ica.Laplacian{}, 0.1, l.Seed+260)
	sparse, sparseMean, _ := at(even, ica.BernoulliLaplacian{P: 0.3}, low, l.Seed+261)
	var means []float64
	bases := l.Pick(3, 12, 50)
	for k := range bases {
		A, err := ica.RandomBasisApart(2, 3, 20, l.Seed+262+uint64(k))
		lab.Check(err)
		_, mean, _ := at(A, ica.Laplacian{}, low, l.Seed+262+uint64(k))
		means = append(means, mean)
	}
	data := record.Generated(fmt.Sprintf("%d mixtures of 3 Laplacian sources", p))
	said := blog.Quote("“if λ is large … then the Hessian is dominated by λA^⊤A, and we have” −λAA^⊤AH⁻¹ = … ≈ −A", "Learning Rule, putting it together")
	l.Row(record.Row{
		ID: "rule-hessian", What: fmt.Sprintf("λAA'AH⁻¹ ≈ A for large λ: relative deviation, median over samples, σ = %g", low),
		Published: said, Measured: record.Number(dense, ""), Rule: record.AtMost(0.05), Data: data,
		Reason: fmt.Sprintf("the deviation does not decrease with σ (%.2f at 0.1, and %.2f for sparse sources at %g). For n > m, λA'A is singular, so B cannot be neglected in the null space of A, however large λ is. The limit is A − ABv(v'Bv)⁻¹v' with Av = 0", coarse, sparse, low),
	})
	l.Row(record.Row{
		ID: "rule-hessian-average", What: fmt.Sprintf("λAA'AH⁻¹ ≈ A on average over the data, which is what the rule uses: relative deviation, median over %d random bases", bases),
		Published: said, Measured: record.Number(quantile(means, 0.5), ""), Spread: (slices.Max(means) - slices.Min(means)) / 2, SpreadOf: "half the range over bases",
		Rule: record.AtMost(0.05), Data: data, Seeds: seedList(l.Seed+262, bases),
		Reason: fmt.Sprintf("for the basis of equal angles the deviations nearly cancel in the average (%.3f; %.3f for sparse sources), for other bases they do not. The rule itself does not need this approximation (see E3: the natural gradient)", denseMean, sparseMean),
	})
	l.Row(record.Row{
		ID: "rule-hessian-limit", What: fmt.Sprintf("λAA'AH⁻¹ ≈ A − ABv(v'Bv)⁻¹v' for large λ: relative deviation, largest over samples, σ = %g", low),
		Measured: record.Number(limit, ""), Rule: record.AtMost(0.05), Data: data,
	})
}

// nullVector returns v with Av = 0 and norm 1, for a 2×3 matrix A: the normalized cross product of A's rows.
func nullVector(A *mat.Dense) *mat.VecDense {
	p, q := A.RawRowView(0), A.RawRowView(1)
	v := mat.NewVecDense(3, []float64{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]})
	v.ScaleVec(1/mat.Norm(v, 2), v)
	return v
}

// signRows examines the signs in three lines of the post, with numbers that a reader can check by hand: one line in
// E3, and the two before the final rule. A is square here, so A'W' = I holds exactly and cannot be the cause of a
// difference. A last row tests whether the linear program and an autoencoder's objective are equivalent.
func (l *Lab) signRows() {
	example := record.Example("a basis of two columns, one sample")
	A := mat.NewDense(2, 2, []float64{1, 0.5, 0, 1})
	const b = 0.5
	s := mat.NewVecDense(2, []float64{0.8, -0.3})
	z, slope := mat.NewVecDense(2, nil), mat.NewVecDense(2, nil) // z as in E3; the slope of log P(s) = −|s|₁/b by central differences
	const h = 1e-6
	for i := range 2 {
		z.SetVec(i, math.Copysign(1/b, s.AtVec(i)))
		slope.SetVec(i, -(math.Abs(s.AtVec(i)+h)-math.Abs(s.AtVec(i)-h))/(2*h*b))
	}
	var off mat.VecDense
	off.SubVec(z, slope)
	l.Row(record.Row{
		ID: "e3-z-sign", What: "z = ∇ log P(ŝ) of a Laplacian: central differences agree with the printed formula",
		Published: blog.Quote("it turns out that z is simply (1/λ) sign(ŝ)", "E3"),
		Measured:  record.Bool(mat.Norm(&off, math.Inf(1)) < 1e-6, fmt.Sprintf("at ŝ = (0.8, −0.3), b = %g, the derivative is (%.3g, %.3g), and the printed formula gives (%.3g, %.3g)", b, slope.AtVec(0), slope.AtVec(1), z.AtVec(0), z.AtVec(1))),
		Rule:      record.Holds(), Data: example,
		Reason: "log P(s) = −|s|/b + const decreases as |s| grows, so its derivative is −sign(s)/b. The printed sign makes the rule run away (e4-sign)",
	})

	// AA' times the gradient's first term −W'zs' is −Azs', because A'W' = I.
	var inverse, zs, first, want, sum mat.Dense
	lab.Check(inverse.Inverse(A))
	zs.Outer(1, z, s)
	first.Mul(inverse.T(), &zs)
	first.Scale(-1, &first)
	var gram mat.Dense
	gram.Mul(A, A.T())
	first.Mul(&gram, &first)
	want.Mul(A, &zs)
	sum.Add(&first, &want)
	l.Row(record.Row{
		ID: "rule-aat-sign", What: "AA'(−W'zs') = Azs' for a square A, where W = A⁻¹",
		Published: blog.Quote("AA^⊤ ∇_A log P(x | A) = A z s^⊤ − λ A A^⊤ A H^{−1}", "Learning Rule"),
		Measured:  record.Bool(maxAbs(&first, &want) < 1e-9, fmt.Sprintf("the left side is −Azs' (error %.0e), and differs from Azs' by %.3g", mat.Max(absolute(&sum)), maxAbs(&first, &want))),
		Rule:      record.Holds(), Data: example,
		Reason: "the minus sign of −W^⊤zs^⊤, two lines earlier in the post, is lost. After the wrong sign of z, this is the second error in the same term",
	})

	// H = λA'A + B, so −λAA'AH⁻¹ is near −A for large λ. The expression in the middle of the post's line lacks the
	// minus and the λ.
	const lambda = 1e4
	var AA, H, M, left, middle mat.Dense
	AA.Mul(A.T(), A)
	H.Scale(lambda, &AA)
	M.CloneFrom(&AA)
	for i := range 2 { // B = I: the prior has curvature 1
		H.Set(i, i, H.At(i, i)+1)
		M.Set(i, i, M.At(i, i)+1)
	}
	term := func(dst, H *mat.Dense, scale float64) {
		lab.Check(dst.Inverse(H))
		dst.Mul(A, dst)
		dst.Mul(&gram, dst)
		dst.Scale(scale, dst)
	}
	term(&left, &H, -lambda)
	term(&middle, &M, lambda)
	l.Row(record.Row{
		ID: "rule-minus-a", What: "−λAA'AH⁻¹ = λAA'A(A'A + B)⁻¹ with H = λA'A + B, λ = 10⁴",
		Published: blog.Quote("−λ A A^⊤ A H^{−1} = λ A A^⊤ A (A^⊤ A + B)^{−1} ≈ −A", "Learning Rule"),
		Measured:  record.Bool(maxAbs(&left, &middle) < 1e-3, fmt.Sprintf("the left side is −A (error %.0e), and the middle expression differs from the left side by %.3g", maxAbs(&left, negative(A)), maxAbs(&left, &middle))),
		Rule:      record.Holds(), Data: example,
		Reason: "the middle expression lacks the minus sign, and the λ before A'A. It grows with λ, while the left and right ends agree",
	})

	// One number x. The linear program gives s = x; a sparse autoencoder with D = 1 gives the s that minimizes its
	// objective.
	const x, penalty = 1., 0.2
	best, at := math.Inf(1), 0.
	for i := range 2001 {
		v := float64(i) / 2000
		if f := (x-v)*(x-v) + penalty*math.Abs(v); f < best {
			best, at = f, v
		}
	}
	l.Row(record.Row{
		ID: "e2-exactly-equivalent", What: "x = 1, A = D = 1: the linear program (min |s| with As = x) and an autoencoder's objective (x − Ds)² + 0.2|s| have the same optimal s",
		Published: blog.Quote("This is exactly equivalent to the objective of SAEs.", "Approaches considered"),
		Measured:  record.Bool(math.Abs(at-x) < 1e-9, fmt.Sprintf("s = 1 for the linear program, s = %.3g for the autoencoder", at)), Rule: record.Holds(), Data: record.Example("one number"),
		Reason: "the linear program requires exact reconstruction of x, while an SAE's objective trades the error off against |s|; the program is its limit for λ → 0 (e2-lp-limit). Moreover, an SAE computes s by one linear map and a ReLU for all samples (sae-same-objective-symmetric)",
	})
}

// maxAbs returns the largest absolute difference between corresponding elements of A and B.
func maxAbs(A, B mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return mat.Max(absolute(&d))
}

// negative returns −A.
func negative(A mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Scale(-1, A)
	return &out
}
