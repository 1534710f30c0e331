package s3c2011

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/internal/labtest"
)

// TestChooseRecipe runs the steps on generated images. Each step chooses its best recipe, and never a recipe
// with more features than allowed.
func TestChooseRecipe(t *testing.T) {
	patience.SkipShort(t, "it trains a model for each recipe")
	labtest.NoData(t)
	l := testLab(t)
	lines := l.ChooseRecipe()
	chosen := 0
	for _, line := range lines {
		if line.Chosen != "" {
			chosen++
		}
		if line.Step != "rivals" && line.Numbers > mostFeatures(l.Settings().Units) {
			t.Errorf("%+v: too many features", line)
		}
	}
	if chosen != 1 || len(lines) < 9+2+4 {
		t.Errorf("%d of %d lines are chosen", chosen, len(lines))
	}
	c := l.search().choose()
	for _, a := range c.Trials {
		d, se := a.ahead(c.Chosen)
		if a.Recipe.Updates == Published && d > 0 {
			t.Errorf("%s is %.2f points better than what is chosen", a.What, d)
		}
		if a.Recipe.Updates != Published && a.Recipe != (Recipe{}) && d > 2*se {
			t.Errorf("%s is %.2f ± %.2f points better than what is chosen", a.What, d, se)
		}
	}
	if p := c.Published.Recipe; p != paperRecipe || c.One.Recipe.Updates != One {
		t.Errorf("published %+v, one update %+v", p, c.One.Recipe)
	}
	for _, code := range []Code{Spikes, Products, Both} {
		r := c.Chosen.Recipe
		r.Code = code
		C, held, train, test := l.ChosenAll(r, 1)
		if C < 1 || C > 30 || held < 0 || held > 1 || train < test || test < 0.1 {
			t.Errorf("%s: C = %g, %g of the last fifth, %g of all and %g of the test images", code, C, held, train, test)
		}
	}
	trials, again := l.Again(c.Chosen.Recipe)
	for _, a := range trials {
		if a.Validation > again.Validation || a.Recipe.Updates != c.Chosen.Recipe.Updates || a.Features != a.Recipe.size(l.Settings().Units) {
			t.Errorf("%+v is not a trial beside %s", a.Recipe, again.What)
		}
	}
	if len(trials) != 6 {
		t.Errorf("%d trials with all labels", len(trials))
	}
	labtest.Want(t, l.Lab, nil)
}

// E[h] and E[hs] are computed for several pools together. Their columns equal those computed for one recipe alone:
// E[h] of the paper's recipe equals kind S3C, and E[hs] equals S3CProduct.
func TestCodeColumns(t *testing.T) {
	labtest.NoData(t)
	l := testLab(t)
	im, units := l.images(Train).Slice(0, 3), l.Settings().Units
	e := l.codesEncoder(Published)
	pools := []vision.Pool{{Grid: 2, Pooling: vision.Max}, {Grid: 3, Pooling: vision.Mean}}
	X := l.codes(im, e, pools)
	for code, kind := range map[Code]Kind{Spikes: S3C, Products: S3CProduct} {
		want, err := vision.ExtractFeatures(t.Context(), im, l.Whitening(), l.Encoder(kind), &vision.ExtractOptions{Grid: 3})
		if err != nil {
			t.Fatal(err)
		}
		got := code.selectColumns(X, pools[1], pools, units)
		n, d := got.Dims()
		x := make([]float32, n*d)
		if err := got.Read(x, 0, n); err != nil {
			t.Fatal(err)
		}
		G := mat.NewDense(n, d, nil)
		for i, v := range x {
			G.RawMatrix().Data[i] = float64(v)
		}
		if !mat.EqualApprox(G, want, 1e-5) {
			t.Errorf("%s: not the features of %s", code, kind)
		}
	}
	both, alone := Both.selectColumns(X, pools[0], pools, units), Products.selectColumns(X, pools[0], pools, units)
	if _, a := both.Dims(); a != (Recipe{Code: Both, Pool: pools[0]}).size(units) {
		t.Errorf("%d features of both", a)
	}
	if alone.starts[1] != 3*units+units {
		t.Errorf("the second cell's products begin at %d", alone.starts[1])
	}
}

// A single undamped update has a closed form: s* of a patch when no other unit is on.
func TestOneUpdate(t *testing.T) {
	labtest.NoData(t)
	l := testLab(t)
	m := l.Model()
	d, n := m.Dims()
	e, err := m.NewEncoder(&s3c.EncoderOptions{Schedule: One.schedule()})
	if err != nil {
		t.Fatal(err)
	}
	x, h, s := make([]float32, d), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(3 * i)))
	}
	e.EncodeBoth(h, s, x, 1)
	V := mat.NewDense(1, d, nil)
	for i, v := range x {
		V.Set(0, i, float64(v))
	}
	r, err := m.Infer(t.Context(), V, &s3c.InferOptions{Schedule: One.schedule()})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Q.H().RawRowView(0) {
		if math.Abs(v-float64(h[i])) > 1e-4 {
			t.Fatalf("unit %d: %g, and in float64 %g", i, h[i], v)
		}
	}
}

func TestSchedules(t *testing.T) {
	for u, want := range map[Updates]int{Published: 19, One: 1, First6: 6, Light: 8} {
		if s := u.schedule(); len(s.H) != want || len(s.S) != want || u.slug() == "" {
			t.Errorf("%s: %d and %d updates", u, len(s.H), len(s.S))
		}
	}
	if s := Light.schedule(); s.H[7] != 0.4 || s.S[0] != 0.7 || s.S[7] != 0.3 || s.Rho != 0.5 {
		t.Errorf("%+v", s)
	}
}

func TestPack(t *testing.T) {
	for n := range 70 {
		bits := make([]bool, n)
		for i := range bits {
			bits[i] = i%3 == 0 || i == 31
		}
		if got := unpack(pack(bits), n); !slices.Equal(got, bits) {
			t.Fatalf("%d bits: %v", n, got)
		}
	}
}

// Two trials differ on three of ten images; the first trial is right on two of the three.
func TestAhead(t *testing.T) {
	a, b := Trial{right: make([]bool, 10)}, Trial{right: make([]bool, 10)}
	a.right[0], a.right[1], b.right[2], a.right[3], b.right[3] = true, true, true, true, true
	if d, se := a.ahead(b); d != 10 || math.Abs(se-100*math.Sqrt(3-0.1)/10) > 1e-12 {
		t.Errorf("%g ± %g", d, se)
	}
}

// A feature determines each label, so all images are classified correctly, in training and in validation.
func TestMachine(t *testing.T) {
	labtest.NoData(t)
	l := testLab(t)
	y := l.Photographs().TrainLabels
	const train, validate = 60, 40
	X := mat.NewDense(train+validate, 12, nil)
	for i := range train + validate {
		X.Set(i, y[i], 1)
		X.Set(i, 10, float64(i%7))
	}
	v := l.search().machine(l2svm.Dense(X), 1e-2, split{train, validate})
	if got := unpack(v[3:], validate); slices.Contains(got, false) || v[1] != 12 || v[2] != 1 {
		t.Errorf("%v of the images are right, %g features, %g in training", got, v[1], v[2])
	}
}

func TestOtherClasses(t *testing.T) {
	patience.SkipShort(t, "it trains for other classes")
	labtest.NoData(t)
	l := testLab(t)
	if n := len(l.OtherClasses()); n != 5 {
		t.Errorf("%d lines", n)
	}
	labtest.Want(t, l.Lab, nil)
	p := l.Photographs()
	for parity := range 2 {
		h := newOtherClasses(&l.sharedLab).half(parity)
		if h.unlabelled.Len() < h.pool.Len()+5 || h.pool.Len() != len(h.y) || h.test.Len() != len(h.ytest) {
			t.Errorf("%d: %d, %d and %d images", parity, h.unlabelled.Len(), h.pool.Len(), h.test.Len())
		}
		im, y := ofClasses(p.Train, p.TrainLabels, parity)
		size, at := im.Channels*im.Height*im.Width, 0
		for i, c := range p.TrainLabels {
			if c%2 == parity {
				if y[at] != c/2 || !slices.Equal(im.Pixels[at*size:(at+1)*size], p.Train.Pixels[i*size:(i+1)*size]) {
					t.Fatalf("image %d of the half is not image %d", at, i)
				}
				at++
			}
		}
		if at != im.Len() {
			t.Errorf("%d of %d images", at, im.Len())
		}
	}
}
