package lectureattention

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "lecture-attention"

// A Lab runs the experiments of one notebook run (see package lab).
type Lab struct {
	lab.Lab
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{base}, nil
}

func label(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// tenth rounds to one decimal.
func tenth(v float64) float64 { return math.Round(10*v) / 10 }

// slides are the lecture's slides, each named by its title.
const slides = lab.Source(`slide "%s"`)

// normal draws an r×c matrix of standard normal numbers.
func normal(seed uint64, r, c int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0x6C6162))
	x := mat.NewDense(r, c, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// sentence returns the lecture's example, with a word vector of width d for each word.
func (l *Lab) sentence(d int) (words []string, H *mat.Dense) {
	words = strings.Fields("he hit me with a pie")
	return words, normal(l.Seed, len(words), d)
}

// selfAttention returns one head's attention as a function of H.
func selfAttention(h attention.Head, opt *attention.Options) attention.Layer {
	return func(H *mat.Dense) *mat.Dense { return must.Get(attention.SelfAttention(H, h, opt)).A }
}

// rate is the learning rate for models that learn a task.
const rate = 0.01

// train trains a model on a task.
func train(ctx context.Context, m attention.Model, task attention.Task, steps int, seed uint64) (*attention.FitResult, error) {
	return attention.Fit(ctx, m,
		func(step int) attention.Batch { return task.Batch(16, seed, step) },
		&attention.FitOptions{Steps: steps, Rate: rate})
}

// maxAbs returns the largest absolute value of a matrix.
func maxAbs(M *mat.Dense) float64 { return max(mat.Max(M), -mat.Min(M)) }
