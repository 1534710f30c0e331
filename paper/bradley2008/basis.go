package bradley2008

import (
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
)

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
