package attention

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/tape"
)

// A Head holds the matrices that map a sequence H (n×d) to queries, keys and values. Row t of H is written h_t', and
// the query, key and value of position t are q_t' = h_t' Wq, k_t' = h_t' Wk and v_t' = h_t' Wv.
type Head struct {
	Wq, Wk *mat.Dense // d×dk
	Wv     *mat.Dense // d×dv
}

// NewHead draws a head with normal entries of standard deviation 1/√d, so that the elements of queries, keys and
// values have about the same size as the elements of the input.
func NewHead(d, dk, dv int, seed uint64) Head {
	if d <= 0 || dk <= 0 || dv <= 0 {
		panic(fmt.Sprintf("attention: NewHead: d %d, dk %d, dv %d", d, dk, dv))
	}
	rng := rand.New(rand.NewPCG(seed, 0x68656164))
	draw := func(c int) *mat.Dense {
		w := mat.NewDense(d, c, nil)
		w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(float64(d)) }, w)
		return w
	}
	return Head{draw(dk), draw(dk), draw(dv)}
}

// NewHeads draws the given number of heads with dk = dv = d/number. Together they form a multi-head layer that is as
// wide as its input.
func NewHeads(number, d int, seed uint64) []Head {
	if number <= 0 || d%number != 0 {
		panic(fmt.Sprintf("attention: NewHeads: width %d for %d heads", d, number))
	}
	heads := make([]Head, number)
	for i := range heads {
		heads[i] = NewHead(d, d/number, d/number, seed+uint64(i)*0x9E3779B97F4A7C15)
	}
	return heads
}

// Options selects how attention is computed. nil and the zero value mean the formulas of Attend: every position sees
// all positions, and e is the unscaled product q·k.
type Options struct {
	// Causal applies the mask e_{l,t} = −∞ for t > l, so that position l sees only itself and earlier
	// positions.
	Causal bool
	// Scaled divides e by √dk, which keeps the softmax from saturating when dk
	// is large (Vaswani et al. 2017, equation 1).
	Scaled bool
	// Mask (n×m, for n queries and m keys) has −Inf where a query may not see a key, and 0 elsewhere, as in
	// tape.Softmax. Hidden (m) marks keys that no query sees, such as padding. Causal, Mask and Hidden can be
	// combined. nil masks nothing. A query that sees no key has weights of 0, an output of 0 and no gradient.
	Mask   mat.Matrix
	Hidden []bool
}

// Output is the result of attention. A notebook shows an Output as a picture of its weights; package
// attentionplot draws the picture, optionally with token labels.
type Output struct {
	A     *mat.Dense // a_l in row l, n×dv
	Alpha *mat.Dense // the weights α_{l,t}, n×m (m = n in self-attention); each row sums to 1, or is 0 if it is fully masked
}

// String describes the shapes of the matrices.
func (o *Output) String() string {
	return fmt.Sprintf("attention: A is %s, Alpha is %s", shape(o.A), shape(o.Alpha))
}

// shape returns the shape of X in the form 2×3, or "missing" if X is nil.
func shape(X *mat.Dense) string {
	if X == nil {
		return "missing"
	}
	r, c := X.Dims()
	return fmt.Sprintf("%d×%d", r, c)
}

// Attend computes attention for given queries Q (n×dk), keys K (m×dk) and
// values V (m×dv):
//
//	e_{l,t} = q_l · k_t    α_{l,t} = exp(e_{l,t}) / Σ_t' exp(e_{l,t'})    a_l = Σ_t α_{l,t} v_t
//
// With a causal mask, n must equal m. It is an error if an element is NaN or Inf, or if a product q_l · k_t overflows
// float64.
func Attend(Q, K, V mat.Matrix, opt *Options) (*Output, error) {
	q, k, v := dense("Attend", "Q", Q), dense("Attend", "K", K), dense("Attend", "V", V)
	n, dk := q.Dims()
	m, dk2 := k.Dims()
	if mv, _ := v.Dims(); dk != dk2 || mv != m {
		panic(fmt.Sprintf("attention: Attend: Q is %d×%d, K is %d×%d, V has %d rows: a position is a ROW", n, dk, m, dk2, mv))
	}
	for _, x := range []struct {
		name string
		X    *mat.Dense
	}{{"Q", q}, {"K", k}, {"V", v}} {
		if err := checkFinite("Attend", x.name, x.X); err != nil {
			return nil, err
		}
	}
	return attend("Attend", q, k, v, opt)
}

func attend(fn string, Q, K, V *mat.Dense, opt *Options) (*Output, error) {
	if opt == nil {
		opt = &Options{}
	}
	n, dk := Q.Dims()
	m, _ := K.Dims()
	if opt.Causal && n != m {
		panic(fmt.Sprintf("attention: a causal mask with %d queries and %d keys", n, m))
	}
	var mask *mat.Dense
	if !given.Nil(opt.Mask) {
		var err error
		if mask, err = checkMask(fn, opt.Mask, n, m); err != nil {
			return nil, err
		}
	}
	var hidden [][]bool
	if opt.Hidden != nil {
		if len(opt.Hidden) != m {
			panic(fmt.Sprintf("attention: %s: Hidden has %d elements for %d keys", fn, len(opt.Hidden), m))
		}
		hidden = [][]bool{opt.Hidden}
	}
	hides := hiding(mask, hidden)
	if err := ram.Check(fmt.Sprintf("the weights of %d queries and %d keys", n, m), 8*float64(n)*float64(m)); err != nil {
		return nil, fmt.Errorf("attention: %s: %w", fn, err)
	}
	alpha, a := &mat.Dense{}, &mat.Dense{}
	alpha.Mul(Q, K.T()) // n×dk · dk×m: e_{l,t} = q_l · k_t
	if opt.Scaled {
		alpha.Scale(1/math.Sqrt(float64(dk)), alpha)
	}
	for l := range n {
		e := alpha.RawRowView(l)
		if opt.Causal {
			for t := l + 1; t < m; t++ {
				e[t] = math.Inf(-1)
			}
		}
		for t, v := range e {
			if hides != nil && hides(0, l, t) {
				e[t] = math.Inf(-1)
			} else if masked := opt.Causal && t > l; !masked && !finite.Is(v) {
				return nil, fmt.Errorf("attention: %s: e(%d, %d) = q · k is %v: the product is too large", fn, l, t, v)
			}
		}
		if !tape.SoftmaxRow(e) { // α_{l,t}
			clear(e) // all keys are masked
		}
	}
	a.Mul(alpha, V) // n×m · m×dv: a_l = Σ_t α_{l,t} v_t
	return &Output{A: a, Alpha: alpha}, nil
}

// SelfAttention computes the attention of a sequence H (n×d, row t is h_t') to itself: queries, keys and
// values are all computed from H.
func SelfAttention(H mat.Matrix, head Head, opt *Options) (*Output, error) {
	h := dense("SelfAttention", "H", H)
	head.check("SelfAttention", h)
	if err := checkFinite("SelfAttention", "H", h); err != nil {
		return nil, err
	}
	return head.attend("SelfAttention", h, opt)
}

func (h Head) attend(fn string, H *mat.Dense, opt *Options) (*Output, error) {
	var Q, K, V mat.Dense
	Q.Mul(H, h.Wq) // n×d · d×dk
	K.Mul(H, h.Wk) // n×d · d×dk
	V.Mul(H, h.Wv) // n×d · d×dv
	for _, x := range []struct {
		name string
		X    *mat.Dense
	}{{"H·Wq", &Q}, {"H·Wk", &K}, {"H·Wv", &V}} {
		if err := checkFinite(fn, x.name, x.X); err != nil {
			return nil, err
		}
	}
	return attend(fn, &Q, &K, &V, opt)
}

func (h Head) check(fn string, H *mat.Dense) {
	_, d := dims(fn, "H", H)
	dq, kq := dims(fn, "Wq", h.Wq)
	dk, kk := dims(fn, "Wk", h.Wk)
	dv, _ := dims(fn, "Wv", h.Wv)
	if dq != d || dk != d || dv != d || kq != kk {
		panic(fmt.Sprintf("attention: %s: H has %d columns, Wq is %d×%d, Wk is %d×%d, Wv has %d rows: a position is a ROW of H", fn, d, dq, kq, dk, kk, dv))
	}
}

// Mix computes a_l = Σ_t α_{l,t} v_t with weights that do not depend on H, where v_t' is row t of H Wv. It returns
// Alpha (n×n) times H (n×d) times Wv (d×dv), which is linear in H.
func Mix(Alpha, H, Wv mat.Matrix) *mat.Dense {
	alpha, h, wv := dense("Mix", "Alpha", Alpha), dense("Mix", "H", H), dense("Mix", "Wv", Wv)
	n, m := alpha.Dims()
	hm, d := h.Dims()
	if dv, _ := wv.Dims(); m != hm || d != dv {
		panic(fmt.Sprintf("attention: Mix: Alpha is %d×%d, H is %d×%d, Wv has %d rows", n, m, hm, d, dv))
	}
	var V, a mat.Dense
	V.Mul(h, wv)     // n×d · d×dv
	a.Mul(alpha, &V) // n×n · n×dv
	return &a
}

// MultiOutput is the result of multi-head attention. A notebook shows a MultiOutput as one picture of weights
// per head; package attentionplot draws the pictures, optionally with token labels.
type MultiOutput struct {
	Y     *mat.Dense   // A times Wo, n×d; A itself if Wo is nil
	A     *mat.Dense   // the heads' outputs a_{l,i} side by side, n×Σdv
	Alpha []*mat.Dense // the weights of each head, n×n
}

// String describes the shapes of the matrices.
func (o *MultiOutput) String() string {
	return fmt.Sprintf("attention: Y is %s, A is %s, weights of %d heads", shape(o.Y), shape(o.A), len(o.Alpha))
}

// MultiHead computes each head separately on the same H (n×d) and puts the outputs side by side: a_l =
// [a_{l,1}; a_{l,2}; …]. If Wo (Σdv×d) is not nil, the result is multiplied by Wo (Vaswani et al. 2017,
// section 3.2.2).
func MultiHead(H mat.Matrix, heads []Head, Wo mat.Matrix, opt *Options) (*MultiOutput, error) {
	X := dense("MultiHead", "H", H)
	if len(heads) == 0 {
		panic("attention: MultiHead: no heads")
	}
	width := 0
	for _, h := range heads {
		h.check("MultiHead", X)
		_, dv := h.Wv.Dims()
		width += dv
	}
	var wo *mat.Dense
	if !given.Nil(Wo) {
		wo = dense("MultiHead", "Wo", Wo)
		if r, c := wo.Dims(); r != width {
			panic(fmt.Sprintf("attention: MultiHead: the heads together are %d wide, Wo is %d×%d", width, r, c))
		}
	}
	if err := checkFinite("MultiHead", "H", X); err != nil {
		return nil, err
	}
	n, _ := X.Dims()
	out := &MultiOutput{A: mat.NewDense(n, width, nil)}
	at := 0
	for _, h := range heads {
		o, err := h.attend("MultiHead", X, opt)
		if err != nil {
			return nil, err
		}
		_, dv := o.A.Dims()
		out.A.Slice(0, n, at, at+dv).(*mat.Dense).Copy(o.A)
		out.Alpha = append(out.Alpha, o.Alpha)
		at += dv
	}
	out.Y = out.A
	if wo != nil {
		out.Y = &mat.Dense{}
		out.Y.Mul(out.A, wo) // n×Σdv · Σdv×d
		if err := checkFinite("MultiHead", "A·Wo", out.Y); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// dims returns the shape of X. It panics if X is nil or empty.
func dims(fn, name string, X *mat.Dense) (r, c int) {
	if X == nil || X.IsEmpty() {
		panic(fmt.Sprintf("attention: %s: %s is empty", fn, name))
	}
	return X.Dims()
}

// dense returns X as a dense matrix. Callers must not change this matrix, because it may be X itself. dense panics if X
// is nil or empty.
func dense(fn, name string, X mat.Matrix) *mat.Dense {
	if given.Nil(X) {
		panic(fmt.Sprintf("attention: %s: %s is empty", fn, name))
	}
	D := given.Dense("attention: "+fn, name, X)
	dims(fn, name, D)
	return D
}

// checkFinite returns an error that names the first NaN or Inf of X, or nil if all elements are finite.
func checkFinite(fn, name string, X *mat.Dense) error {
	dims(fn, name, X)
	if err := finite.Check(name, X); err != nil {
		return fmt.Errorf("attention: %s: %w", fn, err)
	}
	return nil
}
