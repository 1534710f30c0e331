package bradley2008

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/paper/lab"
)

// tolerance is the tolerance with which codes for classifiers are computed. For L1 it is relative to the
// objective; for KL it limits klcoding's gradient.
const tolerance = 1e-6

// CodeL1 returns the L1 codes of X (D×N) on B (D×n): n×N.
func CodeL1(ctx context.Context, B, X mat.Matrix, lambda float64) *mat.Dense {
	defer gemm.Serial()() // the signals run in parallel
	r, err := sparseapprox.Solve(ctx, B, X, &sparseapprox.Options{Lambda: lambda, Tolerance: tolerance})
	lab.Check(err)
	return r.W
}

// Coding returns the options for the KL prior on the doubled basis, as in the
// paper's experiments on digits.
func Coding(lambda, p float64) klcoding.Options {
	return klcoding.Options{Lambda: lambda, P: p, Doubled: true, Tolerance: tolerance}
}

// CodeKL returns the KL codes w̃ = [w⁻; w⁺] of X (D×N) on [−B B]: 2n×N.
func CodeKL(ctx context.Context, B, X mat.Matrix, lambda, p float64) *mat.Dense {
	defer gemm.Serial()()
	coding := Coding(lambda, p)
	W, err := taskdict.CodeSignals(ctx, B, X, true, &coding)
	lab.Check(err)
	return W
}

// Signed returns w⁺ − w⁻ (n×N), given w̃ = [w⁻; w⁺] (2n×N).
func Signed(W *mat.Dense) *mat.Dense {
	m, N := W.Dims()
	out := mat.NewDense(m/2, N, nil)
	out.Sub(W.Slice(m/2, m, 0, N), W.Slice(0, m/2, 0, N))
	return out
}

// PartsOf splits signed codes W (n×N) into their negative and positive parts [w⁻; w⁺] (2n×N). At least one of the two
// parts of a coefficient is exactly 0. If W holds L1 codes on B, the result holds L1 codes on the doubled basis [−B
// B].
func PartsOf(W *mat.Dense) *mat.Dense {
	n, N := W.Dims()
	out := mat.NewDense(2*n, N, nil)
	for j := range n {
		for i, v := range W.RawRowView(j) {
			out.Set(j, i, max(-v, 0))
			out.Set(n+j, i, max(v, 0))
		}
	}
	return out
}

// basisSeed is the seed of the random order in which LearnBasis uses the digits. Like splitSeed, it does not depend
// on the run's seed, because the settings chosen on the validation part hold for these bases only.
const basisSeed = 1

// LearnBasis learns B (180×n) by L1 sparse coding of the training digits, without their labels. All rows of
// the tables use a basis learned in this way, including the rows for KL.
func (l *Lab) LearnBasis(n int, lambda float64) *mat.Dense {
	d := l.Digits()
	return l.store.Matrix(basisKey(digitsOf(d.Data, d.Train.N(), l.Seed), n, lambda), func() *mat.Dense {
		r, err := dictionary.Fit(l.Context(), d.Train.X, &dictionary.Options{
			Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: lambda, Tolerance: 1e-4}),
			Atoms: n, Unit: true, Passes: l.Pick(4, 4, 8), Seed: basisSeed, Recorder: l.recorder(),
		})
		lab.Check(err)
		return lab.Single(r.B)
	})
}

// Basis returns the basis that all tables use. Search chose its size and λ.
func (l *Lab) Basis() *mat.Dense {
	s := l.Settings()
	return l.LearnBasis(s.Atoms, s.BasisLambda)
}

// Features are the inputs of a classifier of digits, one digit per column.
type Features struct {
	Name                    string
	Train, Validation, Test *mat.Dense
}

// featuresOf codes the training, validation and test digits by calling code(X), and returns the results as Features. It
// computes the features for each name only once.
func (l *Lab) featuresOf(name string, code func(X mat.Matrix) *mat.Dense) *Features {
	if f, ok := l.features[name]; ok {
		return f
	}
	d := l.Digits()
	f := &Features{Name: name, Train: code(d.Train.X), Validation: code(d.Validation.X), Test: code(d.Test.X)}
	l.features[name] = f
	l.say("coded: %s", name)
	return f
}

// PCAFeatures returns the digits after PCA.
func (l *Lab) PCAFeatures() *Features {
	return l.featuresOf("PCA", func(X mat.Matrix) *mat.Dense { return mat.DenseCopyOf(X) })
}

// L1Features returns the signed L1 codes on Basis, n for each digit.
func (l *Lab) L1Features() *Features {
	B, s := l.Basis(), l.Settings()
	return l.featuresOf("L1", func(X mat.Matrix) *mat.Dense { return CodeL1(l.Context(), B, X, s.L1Lambda) })
}

// L1Parts returns the L1 codes on [−B B], 2n for each digit. With them L1 also has the advantage of the doubled basis,
// as KL does.
func (l *Lab) L1Parts() *Features {
	B, s := l.Basis(), l.Settings()
	return l.featuresOf("L1 on [−B B]", func(X mat.Matrix) *mat.Dense { return PartsOf(CodeL1(l.Context(), B, X, s.L1Lambda)) })
}

// KLFeatures returns the KL codes on [−B B], 2n for each digit, with the same B as L1.
func (l *Lab) KLFeatures() *Features {
	B, s := l.Basis(), l.Settings()
	return l.featuresOf("KL", func(X mat.Matrix) *mat.Dense { return CodeKL(l.Context(), B, X, s.KLLambda, s.P) })
}

// Reconstruction returns the share of the energy of X that the codes W leave unexplained: ‖X − BW‖²/‖X‖².
func Reconstruction(B, X, W mat.Matrix) float64 {
	var R mat.Dense
	R.Mul(B, W)
	R.Sub(X, &R)
	a, b := mat.Norm(&R, 2), mat.Norm(X, 2)
	return a * a / (b * b)
}

// KLSigned returns the KL codes w⁺ − w⁻, n for each digit.
func (l *Lab) KLSigned() *Features {
	f := l.KLFeatures()
	return &Features{Name: "KL, signed", Train: Signed(f.Train), Validation: Signed(f.Validation), Test: Signed(f.Test)}
}
