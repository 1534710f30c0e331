package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/trial"
)

func random(seed uint64, r, c int) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 1)), r, c, 1)
}

// layer returns self-attention with head h as a function of H.
func layer(t *testing.T, h Head, opt *Options) Layer {
	return func(H *mat.Dense) *mat.Dense {
		out, err := SelfAttention(H, h, opt)
		if err != nil {
			t.Fatal(err)
		}
		return out.A
	}
}

// TestNaive compares the results with the slides' formulas, written as scalar loops.
func TestNaive(t *testing.T) {
	const n, d, dk, dv = 5, 4, 3, 2
	H, h := random(1, n, d), NewHead(d, dk, dv, 2)
	for _, opt := range []Options{{}, {Causal: true}, {Scaled: true}, {Causal: true, Scaled: true}} {
		got, err := SelfAttention(H, h, &opt)
		if err != nil {
			t.Fatal(err)
		}
		product := func(W *mat.Dense, t, j int) float64 { // (W'h_t)_j
			s := 0.0
			for i := range d {
				s += W.At(i, j) * H.At(t, i)
			}
			return s
		}
		for l := range n {
			e, sum := make([]float64, n), 0.0
			for t := range n {
				if opt.Causal && t > l {
					continue
				}
				for j := range dk {
					e[t] += product(h.Wq, l, j) * product(h.Wk, t, j)
				}
				if opt.Scaled {
					e[t] /= math.Sqrt(dk)
				}
				e[t] = math.Exp(e[t])
				sum += e[t]
			}
			total := 0.0
			for t2 := range n {
				total += got.Alpha.At(l, t2)
				if a := e[t2] / sum; math.Abs(got.Alpha.At(l, t2)-a) > 1e-14 {
					t.Errorf("%+v: α(%d, %d) is %v, want %v", opt, l, t2, got.Alpha.At(l, t2), a)
				}
			}
			if math.Abs(total-1) > 1e-14 {
				t.Errorf("row %d sums to %v", l, total)
			}
			for j := range dv {
				a := 0.0
				for t := range n {
					a += e[t] / sum * product(h.Wv, t, j)
				}
				if math.Abs(got.A.At(l, j)-a) > 1e-14 {
					t.Errorf("%+v: a(%d, %d) is %v, want %v", opt, l, j, got.A.At(l, j), a)
				}
			}
		}
	}
}

// TestTorch compares two heads with torch.nn.MultiheadAttention (PyTorch 1.13, float64, no bias, causal mask). The
// entries of H and W are sin(0.7 i + shift).
func TestTorch(t *testing.T) {
	wave := func(r, c int, shift float64) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(i, j int, _ float64) float64 { return math.Sin(0.7*float64(i*c+j) + shift) }, m)
		return m
	}
	H := wave(3, 4, 0)
	var heads []Head
	for i := range 2 {
		part := func(shift float64) *mat.Dense {
			return mat.DenseCopyOf(wave(4, 4, shift).Slice(0, 4, 2*i, 2*i+2))
		}
		heads = append(heads, Head{part(1), part(2), part(3)})
	}
	got, err := MultiHead(H, heads, wave(4, 4, 4), &Options{Causal: true, Scaled: true})
	if err != nil {
		t.Fatal(err)
	}
	y := mat.NewDense(3, 4, []float64{
		0.12080816219386291, 0.31647119390863, 0.36329287812935673, 0.23925224515803864,
		-0.07666262348150481, -0.15222237593801785, -0.1561895664506456, -0.08669836333223764,
		0.13857601148826243, 0.26426160570332174, 0.2656608375546166, 0.1421156264388826})
	alpha := []*mat.Dense{
		mat.NewDense(3, 3, []float64{1, 0, 0, 0.369309731830324, 0.630690268169676, 0, 0.3688268071445488, 0.17858063000116914, 0.452592562854282}),
		mat.NewDense(3, 3, []float64{1, 0, 0, 0.45922328972582827, 0.5407767102741718, 0, 0.3640107382540402, 0.29727920181287304, 0.33871005993308667})}
	if !mat.EqualApprox(got.Y, y, 1e-14) {
		t.Errorf("got\n%v\nwant\n%v", mat.Formatted(got.Y), mat.Formatted(y))
	}
	for i, a := range alpha {
		if !mat.EqualApprox(got.Alpha[i], a, 1e-14) {
			t.Errorf("weights of head %d: %v", i, mat.Formatted(got.Alpha[i]))
		}
	}
}

func TestEquivariance(t *testing.T) {
	H, h, perm := random(3, 6, 8), NewHead(8, 8, 8, 4), []int{3, 0, 5, 1, 4, 2}
	plain := layer(t, h, nil)
	if gap := PermutationGap(plain, H, perm); gap > 1e-14 {
		t.Errorf("attention is not equivariant: %v", gap)
	}
	if gap := PermutationGap(func(H *mat.Dense) *mat.Dense { return plain(WithPositions(H)) }, H, perm); gap < 1e-2 {
		t.Errorf("with positions it still is: %v", gap)
	}
	if gap := PermutationGap(layer(t, h, &Options{Causal: true}), H, perm); gap < 1e-2 {
		t.Errorf("with a mask it still is: %v", gap)
	}
}

func TestMask(t *testing.T) {
	H, heads, Wo := random(5, 6, 8), NewHeads(4, 8, 6), random(7, 8, 8)
	for _, causal := range []bool{true, false} {
		f := func(H *mat.Dense) *mat.Dense {
			out, err := MultiHead(H, heads, Wo, &Options{Causal: causal})
			if err != nil {
				t.Fatal(err)
			}
			return out.Y
		}
		leak := FutureLeak(f, H, 0.5)
		if causal && leak != 0 || !causal && leak < 1e-3 {
			t.Errorf("causal %v: a change of the future changes the output by %v", causal, leak)
		}
		m := Influence(f, H, 0.5)
		for l := range 6 {
			if m.At(l, l) == 0 {
				t.Errorf("output %d does not depend on input %d", l, l)
			}
		}
	}
}

func TestLinearity(t *testing.T) {
	H, X, Y, h := random(8, 5, 4), random(9, 5, 4), random(10, 5, 4), NewHead(4, 4, 4, 11)
	out, err := SelfAttention(H, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	held := func(H *mat.Dense) *mat.Dense { return Mix(out.Alpha, H, h.Wv) }
	if !mat.EqualApprox(held(H), out.A, 1e-15) {
		t.Error("Mix with attention's own weights is not attention")
	}
	// f(2X − 3Y) − 2f(X) + 3f(Y)
	gap := func(f Layer) float64 {
		combine := func(X, Y *mat.Dense) *mat.Dense {
			var u, v mat.Dense
			u.Scale(2, X)
			v.Scale(-3, Y)
			u.Add(&u, &v)
			return &u
		}
		return maxDiff(f(combine(X, Y)), combine(f(X), f(Y)))
	}
	if g := gap(held); g > 1e-13 {
		t.Errorf("with weights held it is not linear: %v", g)
	}
	if g := gap(layer(t, h, nil)); g < 0.05 {
		t.Errorf("through the softmax it is linear: %v", g)
	}
}

// A large dk saturates the softmax unless e is scaled: the entropy of the
// weights falls.
func TestScale(t *testing.T) {
	entropy := func(opt Options) float64 {
		out, err := Attend(random(1, 8, 256), random(2, 8, 256), random(3, 8, 1), &opt)
		if err != nil {
			t.Fatal(err)
		}
		s := 0.0
		for _, a := range out.Alpha.RawMatrix().Data {
			if a > 0 {
				s -= a * math.Log(a) / 8
			}
		}
		return s
	}
	if bare, scaled := entropy(Options{}), entropy(Options{Scaled: true}); bare > 0.3 || scaled < 1 {
		t.Errorf("entropy %v without, %v with the scale", bare, scaled)
	}
}

func TestPositions(t *testing.T) {
	const n, d = 30, 6
	pe := Sinusoid(n, d)
	for pos := range n {
		for i := range d / 2 {
			w := float64(pos) / math.Pow(10000, 2*float64(i)/d) // the formula as printed in the paper
			if pe.At(pos, 2*i) != math.Sin(w) && math.Abs(pe.At(pos, 2*i)-math.Sin(w)) > 1e-13 || math.Abs(pe.At(pos, 2*i+1)-math.Cos(w)) > 1e-13 {
				t.Errorf("PE(%d, %d)", pos, 2*i)
			}
		}
	}
	for _, k := range []int{0, 1, 7, -3} {
		var moved mat.Dense
		moved.Mul(pe, Shift(k, d))
		for pos := range n {
			if pos+k < 0 || pos+k >= n {
				continue
			}
			for j := range d {
				if math.Abs(moved.At(pos, j)-pe.At(pos+k, j)) > 1e-13 {
					t.Errorf("shift %d of position %d: %v", k, pos, moved.RawRowView(pos))
				}
			}
		}
	}
	if odd := Sinusoid(3, 5); odd.At(2, 4) != math.Sin(2*math.Pow(10000, -4./5)) {
		t.Error("an odd width must end in a sine")
	}
}

func TestNorms(t *testing.T) {
	Z := random(12, 6, 10)
	ln := LayerNorm(Z)
	bn := (&BatchNorm{}).Train(Z)
	for i := range 6 {
		if m, v := moments(ln.RawRowView(i)); math.Abs(m) > 1e-14 || math.Abs(v-1) > 1e-4 {
			t.Errorf("layer norm, sample %d: mean %v, variance %v", i, m, v)
		}
	}
	for j := range 10 {
		if m, v := moments(mat.Col(nil, j, bn)); math.Abs(m) > 1e-14 || math.Abs(v-1) > 1e-4 {
			t.Errorf("batch norm, feature %d: mean %v, variance %v", j, m, v)
		}
	}
	// Changing the other samples does not change layer norm's result for sample 0.
	other := mat.DenseCopyOf(Z)
	rest := other.Slice(1, 6, 0, 10).(*mat.Dense)
	rest.Scale(3, rest)
	if !mat.Equal(LayerNorm(other).Slice(0, 1, 0, 10), ln.Slice(0, 1, 0, 10)) {
		t.Error("layer norm depends on the batch")
	}
	if mat.EqualApprox((&BatchNorm{}).Train(other).Slice(0, 1, 0, 10), bn.Slice(0, 1, 0, 10), 0.1) {
		t.Error("batch norm does not depend on the batch")
	}
	// The first batch sets the running moments. The next batch moves them by a tenth of the difference.
	b := &BatchNorm{}
	if y := b.Train(Z); !mat.Equal(b.Test(Z), y) {
		t.Error("test after one batch differs from training")
	}
	was := b.Mean[0]
	b.Train(other)
	m, _ := moments(mat.Col(nil, 0, other))
	if math.Abs(b.Mean[0]-(0.9*was+0.1*m)) > 1e-15 {
		t.Errorf("running mean %v", b.Mean[0])
	}
}

func TestRefusals(t *testing.T) {
	H, h := random(1, 3, 4), NewHead(4, 2, 2, 1)
	bad := mat.DenseCopyOf(H)
	bad.Set(2, 1, math.NaN())
	if _, err := SelfAttention(bad, h, nil); err == nil || err.Error() != "attention: SelfAttention: H(2, 1) is NaN" {
		t.Error(err)
	}
	bad.Set(2, 1, math.Inf(1))
	if _, err := MultiHead(bad, []Head{h}, nil, nil); err == nil || err.Error() != "attention: MultiHead: H(2, 1) is +Inf" {
		t.Error(err)
	}
	if _, err := Attend(H, bad, H, nil); err == nil || err.Error() != "attention: Attend: K(2, 1) is +Inf" {
		t.Error(err)
	}
	// The error gives the position of the product that overflows.
	one := func(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }
	huge := Head{Wq: one(1), Wk: one(1e200), Wv: one(1)}
	for want, err := range map[string]error{
		"attention: Attend: e(1, 0) = q · k is +Inf: the product is too large":        second(Attend(one(1, 1e200), one(1e200, 1), one(1, 1), nil)),
		"attention: SelfAttention: e(0, 0) = q · k is +Inf: the product is too large": second(SelfAttention(one(1e100), huge, nil)),
		"attention: SelfAttention: H·Wk(1, 0) is +Inf":                                second(SelfAttention(one(1, 1e200), huge, nil)),
		"attention: MultiHead: H·Wk(0, 0) is -Inf":                                    second(MultiHead(one(-1e200), []Head{huge}, nil, nil)),
		"attention: MultiHead: A·Wo(0, 0) is +Inf":                                    second(MultiHead(one(1e60), []Head{{one(1), one(1), one(1)}}, one(1e300), nil)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// If the mask hides a product that overflows, there is no error.
	if out, err := Attend(one(1e200, 1), one(1, 1e200), one(1, 2), &Options{Causal: true}); err != nil || out.A.At(0, 0) != 1 {
		t.Errorf("%v, %v", out, err)
	}
	for want, f := range map[string]func(){
		"H is empty": func() { SelfAttention(&mat.Dense{}, h, nil) },
		"H has 3 columns, Wq is 4×2, Wk is 4×2, Wv has 4 rows": func() { SelfAttention(random(1, 3, 3), h, nil) },
		"Q is 3×4, K is 3×5, V has 3 rows":                     func() { Attend(H, random(1, 3, 5), H, nil) },
		"a causal mask with 3 queries and 2 keys":              func() { Attend(H, random(1, 2, 4), random(1, 2, 4), &Options{Causal: true}) },
		"the heads together are 2 wide, Wo is 3×3":             func() { MultiHead(H, []Head{h}, random(1, 3, 3), nil) },
		"no heads":                                        func() { MultiHead(H, nil, nil, nil) },
		"[0 0 1] is not a permutation of 3 rows":          func() { Permute(H, []int{0, 0, 1}) },
		"[0 1] is not a permutation of 3 rows":            func() { Permute(H, []int{0, 1}) },
		"width 5 is not even":                             func() { Shift(1, 5) },
		"width 8 for 3 heads":                             func() { NewHeads(3, 8, 1) },
		"Mix: Alpha is 3×4, H is 3×4, Wv has 4 rows":      func() { Mix(H, H, random(1, 4, 4)) },
		"attention: BatchNorm: 4 features, 0 in training": func() { (&BatchNorm{}).Test(H) },
	} {
		if got := fmt.Sprint(panics.Value(f)); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

func TestBatchNormMomentum(t *testing.T) {
	Z := mat.NewDense(2, 1, []float64{1, 3})
	for _, m := range []float64{-0.1, 5, math.NaN()} {
		if s, _ := panics.Value(func() { (&BatchNorm{Momentum: m}).Train(Z) }).(string); !strings.HasPrefix(s, "attention: BatchNorm: Momentum is ") {
			t.Errorf("Momentum %v: panic %q", m, s)
		}
	}
	b := &BatchNorm{Momentum: 1}
	b.Train(Z)
	b.Train(mat.NewDense(2, 1, []float64{10, 20}))
	if b.Mean[0] != 15 || b.Variance[0] != 25 {
		t.Errorf("with Momentum 1 the last batch counts alone, not %v and %v", b.Mean, b.Variance)
	}
}

func TestStrings(t *testing.T) {
	H := random(1, 3, 4)
	out, err := SelfAttention(H, NewHead(4, 2, 2, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "attention: A is 3×2, Alpha is 3×3" {
		t.Error(got)
	}
	if got := (&Output{}).String(); got != "attention: A is missing, Alpha is missing" {
		t.Error(got)
	}
	many, err := MultiHead(H, NewHeads(2, 4, 1), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := many.String(); got != "attention: Y is 3×4, A is 3×4, weights of 2 heads" {
		t.Error(got)
	}
}

// TestAttendLaws: weights and outputs agree with those computed from scores with 400 binary digits, for keys and
// queries in any units, provided that their products are not large. Adding a number to all keys changes no weight.
// Values in other units, or far from 0, give outputs in the same units. If all values are equal, the output is that
// value.
func TestAttendLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 89))
		n, m, dk := 1+rng.IntN(4), 1+rng.IntN(6), 1+rng.IntN(3)
		Q, K := mat.NewDense(n, dk, nil), mat.NewDense(m, dk, nil)
		shift := make([]float64, dk)
		for j := range dk {
			unit := math.Ldexp(1, rng.IntN(53)-26)
			if rng.IntN(2) == 0 {
				shift[j] = math.Ldexp(float64(rng.IntN(2001)-1000), 10-rng.IntN(20)) / unit
			}
			for i := range n {
				Q.Set(i, j, rng.NormFloat64()*unit)
			}
			for i := range m {
				K.Set(i, j, rng.NormFloat64()/unit+shift[j])
			}
		}
		V, _ := trial.Features(rng, m, 3)
		o, err := Attend(Q, K, V, nil)
		if err != nil {
			t.Fatal(err)
		}
		for l := range n {
			score, noise := make([]float64, m), 0.0
			for i := range m {
				s := trial.Of(0)
				for j := range dk {
					s = trial.Add(s, trial.Mul(trial.Of(Q.At(l, j)), trial.Sub(trial.Of(K.At(i, j)), trial.Of(shift[j]))))
					noise = math.Max(noise, float64(dk+1)*0x1p-52*math.Abs(Q.At(l, j))*(math.Abs(K.At(i, j))))
				}
				score[i] = trial.Float(s)
			}
			noise = float64(dk)*noise + 1e-14
			sum, top := 0.0, score[0]
			for _, s := range score {
				top = math.Max(top, s)
			}
			for i, s := range score {
				score[i] = math.Exp(s - top)
				sum += score[i]
			}
			for i, e := range score {
				if p := e / sum; math.Abs(o.Alpha.At(l, i)-p) > 4*noise*p+1e-15 {
					t.Errorf("seed %d: weight (%d, %d) is %v, want %v", seed, l, i, o.Alpha.At(l, i), p)
				}
			}
			for c := range 3 {
				want, size, low, high := 0.0, 0.0, math.Inf(1), math.Inf(-1)
				for i, e := range score {
					want += e / sum * V.At(i, c)
					size += e / sum * math.Abs(V.At(i, c))
					low, high = math.Min(low, V.At(i, c)), math.Max(high, V.At(i, c))
				}
				a := o.A.At(l, c)
				if math.Abs(a-want) > 8*noise*size || a < low-1e-14*math.Abs(low) || a > high+1e-14*math.Abs(high) {
					t.Errorf("seed %d: output (%d, %d) is %v, want %v", seed, l, c, a, want)
				}
			}
		}
	}
}
