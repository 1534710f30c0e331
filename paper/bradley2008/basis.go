package bradley2008

import (
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
)

// basisSeed is the seed of the order of the digits while B is learned. Like the seed of the split,
// it is not the run's seed: the settings chosen on the validation part belong to these bases.
const basisSeed = 1

// LearnBasis learns B (180×n) by L1 sparse coding of the training digits, without their labels. All
// rows of the tables begin with such a basis, the rows of KL too.
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

// Basis returns the basis of all tables, with the size and λ that Search chose.
func (l *Lab) Basis() *mat.Dense {
	s := l.Settings()
	return l.LearnBasis(s.Atoms, s.BasisLambda)
}
