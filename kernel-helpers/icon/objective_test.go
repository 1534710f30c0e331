package icon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/tape"
)

func init() { gemm.Use() }

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func nearMatrix(t testing.TB, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	r, c := want.Dims()
	if gr, gc := got.Dims(); gr != r || gc != c {
		t.Fatalf("%s is %d×%d, want %d×%d", what, gr, gc, r, c)
	}
	for i := range r {
		for j := range c {
			if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tol*(1+mat.Norm(want, 2))) {
				t.Fatalf("%s(%d, %d) is %v, want %v", what, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// randomP returns a random distribution, by rows or jointly, with or without a diagonal.
func randomP(n, m int, joint, self bool, seed uint64) *Given {
	rng := rand.New(rand.NewPCG(seed, 3))
	P := mat.NewDense(n, m, nil)
	P.Apply(func(i, j int, _ float64) float64 {
		if i == j && !self || rng.IntN(4) == 0 && j != (i+1)%m {
			return 0
		}
		return rng.Float64() + 0.1
	}, P)
	total := mat.Sum(P)
	for i := range n {
		s := mat.Sum(P.RowView(i))
		if joint {
			s = total
		}
		for j := range m {
			P.Set(i, j, P.At(i, j)/s)
		}
	}
	return must(NewGiven("random", P, joint))
}

// checkGradient compares the gradient of each parameter with central differences.
func checkGradient(t *testing.T, o *Objective) {
	t.Helper()
	o.Gradient()
	for _, p := range o.Params() {
		g := mat.DenseCopyOf(p.Grad)
		r, c := p.X.Dims()
		num := mat.NewDense(r, c, nil)
		for i := range r {
			for j := range c {
				x := p.X.At(i, j)
				h := 1e-4 * (1 + math.Abs(x))
				at := func(s float64) float64 {
					p.X.Set(i, j, x+s*h)
					return o.Loss()
				}
				// fourth-order difference formula
				num.Set(i, j, (8*(at(1)-at(-1))-(at(2)-at(-2)))/(12*h))
				p.X.Set(i, j, x)
			}
		}
		var diff mat.Dense
		diff.Sub(g, num)
		// The constant is needed if the gradient is 0, for example the gradient of a bias that shifts all
		// points.
		if rel := mat.Norm(&diff, 2) / (mat.Norm(num, 2) + 1e-5); !(rel < 1e-6) {
			t.Errorf("gradient of %s: off by %.2g of its norm %.3g", p.Name, rel, mat.Norm(num, 2))
		}
	}
}

func TestGradients(t *testing.T) {
	const n, d, k = 9, 5, 3
	X := Normal(n, d, 1, 1)
	wideX := Normal(n, fewColumns+4, 0.5, 2) // enough columns that distances are computed with a matrix product
	embeddings := map[string]func() Embedding{
		"points":   func() Embedding { return NewPoints(Normal(n, k, 0.8, 3)) },
		"many":     func() Embedding { return NewPoints(wideX) },
		"linear":   func() Embedding { return NewLinear(X, Normal(d, k, 0.5, 4)) },
		"encoded":  func() Embedding { return &NetworkEmbedding{X, NewEncoder(5, 1, d, 7, k)} },
		"constant": func() Embedding { return Data{X} },
	}
	kernels := map[string]func(k int) Kernel{
		"Gaussian":      func(int) Kernel { return Gaussian{Sigma: 1.3} },
		"SNE":           func(int) Kernel { return Gaussian{} },
		"learned width": func(int) Kernel { return NewLearnedGaussian(0.9) },
		"Student":       func(int) Kernel { return StudentT{} },
		"Student 3":     func(int) Kernel { return StudentT{Freedom: 3} },
		"cosine":        func(int) Kernel { return Cosine{Temperature: 0.4} },
		"co-membership": func(int) Kernel { return CoMembership{Smooth: 0.1} },
		"hard":          func(int) Kernel { return CoMembership{Smooth: -1} },
	}
	for en, e := range embeddings {
		for kn, kernel := range kernels {
			for mode := range 4 {
				joint, self := mode&1 == 1, mode&2 == 2
				o := &Objective{P: randomP(n, n, joint, self, 7), Q: On(e(), kernel(k)), Joint: joint, Self: self}
				t.Run(fmt.Sprintf("%s/%s/joint=%v self=%v", en, kn, joint, self), func(t *testing.T) { checkGradient(t, o) })
			}
		}
		t.Run(en+"/prototypes", func(t *testing.T) {
			c := 4
			_, k := e().Coordinates(tape.New()).Dims()
			checkGradient(t, &Objective{P: randomP(n, c, false, true, 8), Q: On(e(), NewPrototypes(Normal(k, c, 1, 9), []float64{0.1, -0.3, 0.2, 0})), Self: true})
		})
	}
}

// TestGradientsOfBoth checks the gradients with respect to θ and φ together, for all forms of the loss.
func TestGradientsOfBoth(t *testing.T) {
	const n = 8
	S := Normal(n, 4, 1, 1)
	for mode := range 8 {
		joint, self, cross := mode&1 == 1, mode&2 == 2, mode&4 == 4
		p := On(NewLinear(S, Normal(4, 3, 1, 2)), NewLearnedGaussian(1.1))
		o := &Objective{P: p, Q: On(NewPoints(Normal(n, 2, 1, 3)), StudentT{}), Joint: joint, Self: self, CrossEntropy: cross}
		t.Run(fmt.Sprintf("joint=%v self=%v cross=%v", joint, self, cross), func(t *testing.T) { checkGradient(t, o) })
		if !joint {
			o.Anchor, o.Prior = 0.7, randomP(n, n, false, self, 5)
			t.Run(fmt.Sprintf("anchor self=%v cross=%v", self, cross), func(t *testing.T) { checkGradient(t, o) })
		}
	}
}

// TestDefinition compares the loss with the double sum, for a P of type Given and for another type of P.
func TestDefinition(t *testing.T) {
	const n = 7
	for mode := range 4 {
		joint, self := mode&1 == 1, mode&2 == 2
		for _, p := range []Relation{randomP(n, n, joint, self, 1), On(Data{Normal(n, 3, 1, 2)}, Gaussian{Sigma: 1})} {
			o := &Objective{P: p, Q: On(NewPoints(Normal(n, 2, 1, 3)), StudentT{}), Joint: joint, Self: self}
			P, Q := o.Supervisory(), o.Learned()
			L, h := 0.0, 0.0
			for i := range n {
				for j := range n {
					if v := P.At(i, j); v > 0 {
						L += v * math.Log(v/Q.At(i, j))
						h -= v * math.Log(v)
					}
				}
			}
			if !joint {
				L, h = L/n, h/n
			}
			near(t, "loss", o.Loss(), L, 1e-13)
			o.CrossEntropy = true
			near(t, "cross-entropy", o.Loss(), L+h, 1e-13)
			sum := mat.Sum(Q)
			if !joint {
				sum /= n
			}
			near(t, "sum of q", sum, 1, 1e-13)
		}
	}
}

// TestOneGradient checks ∂L/∂a = (q − p)/n, the common gradient of all instances.
func TestOneGradient(t *testing.T) {
	const n = 6
	A := &affinities{parameter("a", Normal(n, n, 1, 1))}
	for mode := range 4 {
		joint, self := mode&1 == 1, mode&2 == 2
		o := &Objective{P: randomP(n, n, joint, self, 2), Q: A, Joint: joint, Self: self}
		o.Gradient()
		var want mat.Dense
		want.Sub(o.Learned(), o.Supervisory())
		if !joint {
			want.Scale(1.0/n, &want)
		}
		nearMatrix(t, "∂L/∂a", A.a.Grad, &want, 1e-14)
	}
}

// affinities is a relation with free log-affinities as its parameters.
type affinities struct{ a *tape.Param }

func (r *affinities) Name() string                      { return "free" }
func (r *affinities) Params() []*tape.Param             { return []*tape.Param{r.a} }
func (r *affinities) Affinity(t *tape.Tape) *tape.Value { return t.Param(r.a) }

// TestJointAgainstRows checks the chain rule that separates t-SNE from the I-Con equation: KL(P‖Q) of joint
// distributions is the KL of the row sums, plus the mean KL of the rows weighted by P's row sums.
func TestJointAgainstRows(t *testing.T) {
	X := Normal(30, 4, 1, 1)
	o := must(TSNE(X, 8, 2, 2))
	P, Q := o.Supervisory(), o.Learned()
	margin, rows := 0.0, 0.0
	for i := range 30 {
		pi, qi := mat.Sum(P.RowView(i)), mat.Sum(Q.RowView(i))
		margin += pi * math.Log(pi/qi)
		for j := range 30 {
			if v := P.At(i, j); v > 0 {
				rows += v * math.Log(v/pi/(Q.At(i, j)/qi))
			}
		}
	}
	near(t, "KL of the pairs", o.Loss(), margin+rows, 1e-12)
	if margin < 1e-6 {
		t.Errorf("the margins do not differ: %v", margin)
	}
}

func TestObjectivePanics(t *testing.T) {
	q := func() Relation { return On(NewPoints(Normal(4, 2, 1, 1)), StudentT{}) }
	for name, o := range map[string]*Objective{
		"shape":    {P: randomP(5, 5, false, false, 1), Q: q()},
		"diagonal": {P: randomP(4, 4, false, true, 1), Q: q()},
		"joint":    {P: randomP(4, 4, false, false, 1), Q: q(), Joint: true},
		"classes":  {P: randomP(4, 3, false, true, 1), Q: On(Data{Normal(4, 2, 1, 1)}, NewPrototypes(Normal(2, 3, 1, 1), make([]float64, 3)))},
		"anchor":   {P: q(), Q: q(), Anchor: 1},
		"sigma":    {P: randomP(4, 4, false, false, 1), Q: On(Data{Normal(4, 2, 1, 1)}, Gaussian{Sigma: -1})},
	} {
		if s, ok := panics.Value(func() { o.Loss() }).(string); !ok || s[:6] != "icon: " {
			t.Errorf("%s: no panic of this package: %v", name, s)
		}
	}
}

// TestZeros checks that 0 log(0/0) counts as 0: a fixed q may be zero wherever p is zero.
func TestZeros(t *testing.T) {
	P, err := NewGiven("p", mat.NewDense(2, 3, []float64{0.5, 0.5, 0, 0, 1, 0}), false)
	if err != nil {
		t.Fatal(err)
	}
	Q, err := NewGiven("q", mat.NewDense(2, 3, []float64{0.25, 0.75, 0, 0.5, 0.5, 0}), false)
	if err != nil {
		t.Fatal(err)
	}
	want := (0.5*math.Log(0.5/0.25) + 0.5*math.Log(0.5/0.75) + math.Log(1/0.5)) / 2
	for _, p := range []Relation{P, struct{ Relation }{P}} { // the second relation hides that P is a Given
		o := &Objective{P: p, Q: Q, Self: true}
		if got := o.Loss(); math.Abs(got-want) > 1e-15 {
			t.Errorf("loss %v, want %v", got, want)
		}
	}
}
