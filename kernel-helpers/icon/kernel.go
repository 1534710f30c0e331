package icon

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/kernel-helpers/vmath"
)

// A Kernel compares coordinates: it computes log-affinities a_ij (n×m) from the coordinates z_i, the rows of an n×k
// matrix. Log-affinities need not be normalized: if each row is a distribution, adding a constant to a row changes
// nothing.
type Kernel interface {
	Name() string
	// Params returns the kernel's own parameters, or nil if it has none.
	Params() []*tape.Param
	LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value
}

// Gaussian is the kernel a_ij = −‖z_i − z_j‖²/2σ².
type Gaussian struct {
	Sigma float64 // σ. 0 means 1/√2, as in SNE's map, where a_ij = −‖z_i − z_j‖²
}

// Name returns "Gaussian".
func (Gaussian) Name() string { return "Gaussian" }

// Params returns nil.
func (Gaussian) Params() []*tape.Param { return nil }

// LogAffinity implements Kernel.
func (k Gaussian) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	s := k.Sigma
	if s == 0 {
		s = 1 / math.Sqrt2
	}
	if !(s > 0) || math.IsInf(s, 1) {
		panic(fmt.Sprintf("icon: Gaussian: sigma %v", k.Sigma))
	}
	return t.Scale(-1/(2*s*s), squaredDistances(t, z))
}

// LearnedGaussian is a Gaussian whose log σ is a parameter (1×1).
type LearnedGaussian struct{ LogSigma *tape.Param }

// NewLearnedGaussian returns a Gaussian whose σ starts at sigma.
func NewLearnedGaussian(sigma float64) LearnedGaussian {
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		panic(fmt.Sprintf("icon: NewLearnedGaussian: sigma %v", sigma))
	}
	return LearnedGaussian{parameter("log σ", mat.NewDense(1, 1, []float64{math.Log(sigma)}))}
}

// Name returns "Gaussian of learned width".
func (LearnedGaussian) Name() string { return "Gaussian of learned width" }

// Params returns log σ.
func (k LearnedGaussian) Params() []*tape.Param { return []*tape.Param{k.LogSigma} }

// Sigma returns σ.
func (k LearnedGaussian) Sigma() float64 { return math.Exp(k.LogSigma.X.At(0, 0)) }

// LogAffinity implements Kernel. ∂a_ij/∂log σ = −2 a_ij.
func (k LearnedGaussian) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	d, s := squaredDistances(t, z), t.Param(k.LogSigma)
	n, _ := d.Dims()
	c := -math.Exp(-2*k.LogSigma.X.At(0, 0)) / 2
	a := t.Matrix(n, n)
	a.Scale(c, d.X)
	return t.Op(a, func(g *mat.Dense) {
		if dd := d.Accumulate(); dd != nil {
			for i := range n {
				vector.Axpy(c, g.RawRowView(i), dd.RawRowView(i))
			}
		}
		ds := s.Accumulate()
		for i := range n {
			ds.Set(0, 0, ds.At(0, 0)-2*vector.Dot(g.RawRowView(i), a.RawRowView(i)))
		}
	}, d, s)
}

// StudentT is the kernel a_ij = −(ν+1)/2 log(1 + ‖z_i − z_j‖²/ν).
type StudentT struct {
	Freedom float64 // ν. 0 means 1, as in t-SNE, where exp(a_ij) = 1/(1 + ‖z_i − z_j‖²)
}

// Name returns "Student t".
func (StudentT) Name() string { return "Student t" }

// Params returns nil.
func (StudentT) Params() []*tape.Param { return nil }

// LogAffinity implements Kernel. ∂a/∂d = −(ν+1)/2 / (ν + d) with d = ‖z_i − z_j‖².
func (k StudentT) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	nu := k.Freedom
	if nu == 0 {
		nu = 1
	}
	if !(nu > 0) || math.IsInf(nu, 1) {
		panic(fmt.Sprintf("icon: StudentT: freedom %v", k.Freedom))
	}
	d := squaredDistances(t, z)
	n, _ := d.Dims()
	a := t.Matrix(n, n)
	c := -(nu + 1) / 2
	eachRow(n, func(i int) {
		ai, di := a.RawRowView(i), d.X.RawRowView(i)
		for j, v := range di {
			ai[j] = 1 + v/nu
		}
		vmath.Log(ai, ai)
		for j := range ai {
			ai[j] *= c
		}
	})
	return t.Op(a, func(g *mat.Dense) {
		if dd := d.Accumulate(); dd != nil {
			eachRow(n, func(i int) {
				gi, xi, out := g.RawRowView(i), d.X.RawRowView(i), dd.RawRowView(i)
				for j, v := range gi {
					out[j] += c * v / (nu + xi[j])
				}
			})
		}
	}, d)
}

// Cosine is the kernel a_ij = cos(z_i, z_j)/τ.
type Cosine struct {
	Temperature float64 // τ. 0: 0.5
}

// Name returns "cosine".
func (Cosine) Name() string { return "cosine" }

// Params returns nil.
func (Cosine) Params() []*tape.Param { return nil }

// LogAffinity implements Kernel.
func (k Cosine) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	tau := k.Temperature
	if tau == 0 {
		tau = 0.5
	}
	if !(tau > 0) || math.IsInf(tau, 1) {
		panic(fmt.Sprintf("icon: Cosine: temperature %v", k.Temperature))
	}
	u := unitRows(t, z)
	return t.Scale(1/tau, t.MatMul(u, t.Transpose(u))) // n×k · k×n
}

// Prototypes is the kernel a_ic = w_c'z_i + b_c. It does not compare thing i with another thing j, but with each of m
// classes c. w_c is the prototype of class c.
type Prototypes struct {
	W *tape.Param // k×m, one prototype per column
	B *tape.Param // 1×m
}

// NewPrototypes returns prototypes whose parameters are copies of W (k×m) and b (m).
func NewPrototypes(W mat.Matrix, b []float64) *Prototypes {
	given.Args("icon: NewPrototypes", "W", W)
	if _, m := W.Dims(); m != len(b) {
		panic(fmt.Sprintf("icon: NewPrototypes: W has %d columns, b has %d elements", m, len(b)))
	}
	return &Prototypes{parameter("prototypes", W), parameter("b", mat.NewDense(1, len(b), append([]float64(nil), b...)))}
}

// Name returns "class prototypes".
func (*Prototypes) Name() string { return "class prototypes" }

// Params returns W and b.
func (k *Prototypes) Params() []*tape.Param { return []*tape.Param{k.W, k.B} }

// LogAffinity implements Kernel.
func (k *Prototypes) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	return t.Add(t.MatMul(z, t.Param(k.W)), t.Param(k.B)) // n×k · k×m + 1×m
}

// CoMembership is a kernel that treats the coordinates as logits of k clusters, r_ic = softmax(z_i)_c. A
// cluster is drawn for i, and j is a random member of this cluster:
//
//	q(j|i) = (1−ε) Σ_c r_ic r_jc/Σ_l r_lc + ε/n.
//
// If Objective.Self is set, these q sum to 1 without normalization.
type CoMembership struct {
	// Smooth is ε. Without smoothing, hard clusters have q = 0 between clusters, so the loss is infinite. 0 means 0.01.
	// Negative: no smoothing.
	Smooth float64
}

// Name returns "cluster co-membership".
func (CoMembership) Name() string { return "cluster co-membership" }

// Params returns nil.
func (CoMembership) Params() []*tape.Param { return nil }

// LogAffinity implements Kernel. Its backward pass is
//
//	∂L/∂R = (M + M')R D⁻¹ − 1 (diag(R'MR)/s²)'
//
// where R is the matrix of the r_ic, s_c = Σ_l r_lc, D = diag(s), and M_ij is the derivative of L with respect to Σ_c
// r_ic r_jc/s_c.
func (k CoMembership) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	eps := k.Smooth
	if eps == 0 {
		eps = 0.01
	}
	eps = max(eps, 0)
	if !(eps < 1) {
		panic(fmt.Sprintf("icon: CoMembership: smooth %v", k.Smooth))
	}
	r := t.Softmax(z, nil) // n×c
	n, c := r.Dims()
	s := make([]float64, c)
	for i := range n {
		vector.Axpy(1, r.X.RawRowView(i), s)
	}
	over := mat.NewDense(n, c, nil) // R D⁻¹
	for i := range n {
		for a, v := range r.X.RawRowView(i) {
			over.Set(i, a, v/s[a])
		}
	}
	q, a := t.Matrix(n, n), t.Matrix(n, n)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1-eps, over.RawMatrix(), r.X.RawMatrix(), 0, q.RawMatrix()) // n×c · c×n
	eachRow(n, func(i int) {
		row := q.RawRowView(i)
		for j := range row {
			row[j] += eps / float64(n)
		}
		vmath.Log(a.RawRowView(i), row)
	})
	return t.Op(a, func(g *mat.Dense) {
		dr := r.Accumulate()
		if dr == nil {
			return
		}
		M := mat.NewDense(n, n, nil)
		eachRow(n, func(i int) {
			m, gi, qi := M.RawRowView(i), g.RawRowView(i), q.RawRowView(i)
			for j, v := range gi {
				if v != 0 { // an excluded pair has no gradient, even if its q is 0
					m[j] = (1 - eps) * v / qi[j]
				}
			}
		})
		var A, B mat.Dense
		A.Mul(M, r.X)     // n×n · n×c
		B.Mul(M.T(), r.X) // n×n · n×c
		for a := range c {
			v := 0.0
			for i := range n {
				v += r.X.At(i, a) * A.At(i, a)
			}
			for i := range n {
				dr.Set(i, a, dr.At(i, a)+(A.At(i, a)+B.At(i, a))/s[a]-v/(s[a]*s[a]))
			}
		}
	}, r)
}
