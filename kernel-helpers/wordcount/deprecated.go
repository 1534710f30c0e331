package wordcount

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Choose does what Fit does, without a context.
//
// Deprecated: use Fit.
func Choose(docs [][]string, opt *Options) (*Vocabulary, error) {
	return Fit(context.Background(), docs, opt)
}

// Count does what Transform does.
//
// Deprecated: use Transform.
func (v *Vocabulary) Count(docs [][]string) *mat.Dense { return v.Transform(docs) }

// Normalise does what Normalize does.
//
// Deprecated: use Normalize.
func Normalise(counts mat.Matrix) (*mat.Dense, error) { return Normalize(counts) }
