package bradley2008

import (
	"gonum.org/v1/gonum/mat"
)

// Features are the inputs of a classifier of digits, one digit per column.
type Features struct {
	Name                    string
	Train, Validation, Test *mat.Dense
}

// featuresOf codes the training, validation and test digits by calling code(X), and returns the results as Features. It
// computes the features of each name once.
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
// as KL has.
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
