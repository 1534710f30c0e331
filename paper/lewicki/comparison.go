package lewicki

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/autoencoder"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A KHotReport holds the results of KHot: how many of KHot's inputs each method recovers.
type KHotReport struct {
	Methods []string
	// For method i and k-hot inputs, Zones[i][k-1] is the number of inputs for which exactly the right features are
	// active, and Values[i][k-1] the number of inputs with each coefficient within 0.1 of its true value. Of the inputs
	// with k adjacent features of random amplitudes, Amplitudes[i][k-1] is the share for which exactly the right
	// features are active.
	Zones, Values [][3]int
	Amplitudes    [][3]float64
	Total         [3]int // 6, 15, 20
	Distinct      [3]int // inputs that coincide with no other one-, two- or three-hot input
}

func (r *KHotReport) tableau() Tableau {
	t := Tableau{Title: "Six features at the corners of a hexagon in the plane: recovered inputs",
		Head: []string{"method", "one-hot", "two-hot", "three-hot", "values: one-hot", "values: two-hot", "values: three-hot", "random amplitudes: one", "two adjacent", "three adjacent"},
		Note: fmt.Sprintf("Columns 2 to 4: inputs for which exactly the right features are active, out of %d, %d and %d. Columns 5 to 7: those of these inputs whose coefficients (for the tied encoder, times 4) are also within 0.1 of the true values. "+
			"Last three columns: share of inputs with exactly the right features active, with exponential amplitudes of mean 1 instead of ones. %d, %d and %d of the inputs coincide with no other input in the plane; no method can tell coinciding inputs apart.",
			r.Total[0], r.Total[1], r.Total[2], r.Distinct[0], r.Distinct[1], r.Distinct[2])}
	for i, m := range r.Methods {
		row := []string{m}
		for k := range 3 {
			row = append(row, fmt.Sprintf("%d of %d", r.Zones[i][k], r.Total[k]))
		}
		for k := range 3 {
			row = append(row, fmt.Sprintf("%d of %d", r.Values[i][k], r.Total[k]))
		}
		for k := range 3 {
			row = append(row, fmt.Sprintf("%.0f %%", 100*r.Amplitudes[i][k]))
		}
		t.Cells = append(t.Cells, row)
	}
	return t
}

// HTML returns the counts as a table for a notebook.
func (r *KHotReport) HTML() string { return r.tableau().HTML() }

// String returns the counts as aligned text.
func (r *KHotReport) String() string { return r.tableau().String() }

// Markdown returns the counts as a table in GitHub's flavor of Markdown.
func (r *KHotReport) Markdown() string { return r.tableau().Markdown() }

// hexagon returns the six unit columns at multiples of 60 degrees, 2 × 6.
func hexagon() *mat.Dense {
	a := mat.NewDense(2, 6, nil)
	for j := range 6 {
		a.Set(0, j, math.Cos(float64(j)*math.Pi/3))
		a.Set(1, j, math.Sin(float64(j)*math.Pi/3))
	}
	return a
}

// KHot examines the post's argument that a ReLU encoder can recover one-hot inputs, two-hot inputs for six pairs, and
// no three-hot inputs. The inputs are all s in {0, 1}⁶ with one, two or three ones. The encoders get only x = As, a
// point of the plane; the columns of A are the corners of a regular hexagon. The encoders are:
//
//	tied       ReLU(A'x − ¾): each feature is active in a half plane that
//	           contains its own corner but none of the others
//	trained    sparse autoencoders, initialized at the hexagon and trained on one-hot
//	           inputs, or on these and on pairs of neighbors
//	MAP        non-negative basis pursuit, min ‖s‖₁ with As = x, s ≥ 0
//
// For the inputs in {0, 1}⁶, a feature counts as active if its coefficient is above 0.05.
func (l *Lab) KHot() *KHotReport {
	a := hexagon()
	hot, random := newHotInputs(a), newRandomInputs(a, l.Seed)
	rep := &KHotReport{Total: hot.total(), Distinct: hot.distinct()}
	for _, e := range l.hexagonEncoders(a) {
		zones, values := hot.comeBack(e)
		rep.Methods = append(rep.Methods, e.name)
		rep.Zones, rep.Values, rep.Amplitudes = append(rep.Zones, zones), append(rep.Values, values), append(rep.Amplitudes, random.comeBack(e))
	}
	l.khotRows(rep)
	l.trainedRow(a, hot)
	return rep
}

// A hexagonEncoder is a method that computes the coefficients of the six features (6 × n) for points of the plane (2 ×
// n).
type hexagonEncoder struct {
	name   string
	encode func(x *mat.Dense) *mat.Dense
	// gain is the best common factor for one-hot inputs: a bias makes coefficients too small, and a decoder
	// can correct a common factor.
	gain float64
}

// hexagonEncoders returns the encoders that KHot compares, in the order of its
// report.
func (l *Lab) hexagonEncoders(a *mat.Dense) []hexagonEncoder {
	tied := func(x *mat.Dense) *mat.Dense {
		var s mat.Dense
		s.Mul(a.T(), x)
		s.Apply(func(_, _ int, v float64) float64 { return max(0, v-0.75) }, &s)
		return &s
	}
	pursuit := func(x *mat.Dense) *mat.Dense {
		r, err := pursuit.BasisPursuitBatch(l.Context(), a, x, &pursuit.PursuitOptions{NonNegative: true})
		lab.Check(err)
		return r.S
	}
	single, trained := l.trainHexagon(a, false, l.Seed), l.trainHexagon(a, true, l.Seed)
	single.name, trained.name = "SAE trained on single features", "SAE trained on pairs too"
	return []hexagonEncoder{{"ReLU encoder, tied", tied, 4}, single, trained, {"MAP, non-negative", pursuit, 1}}
}

// hotInputs holds all one-, two- and three-hot inputs.
type hotInputs struct {
	masks []int      // bit j says that feature j is 1
	s     *mat.Dense // 6 × n
	x     mat.Dense  // As, 2 × n
}

func newHotInputs(a *mat.Dense) *hotInputs {
	in := &hotInputs{}
	for mask := range 64 {
		if k := bits.OnesCount(uint(mask)); k >= 1 && k <= 3 {
			in.masks = append(in.masks, mask)
		}
	}
	in.s = mat.NewDense(6, len(in.masks), nil)
	for c, mask := range in.masks {
		for j := range 6 {
			in.s.Set(j, c, float64(mask>>j&1))
		}
	}
	in.x.Mul(a, in.s)
	return in
}

// total returns the number of inputs with one, with two, and with three ones.
func (in *hotInputs) total() (n [3]int) {
	for _, mask := range in.masks {
		n[bits.OnesCount(uint(mask))-1]++
	}
	return n
}

// distinct returns the number of inputs whose point x in the plane is not also the point of another input, separately
// for inputs with one, two and three ones.
func (in *hotInputs) distinct() (n [3]int) {
	x := &in.x
	for c, mask := range in.masks {
		alone := true
		for d := range in.masks {
			if d != c && math.Hypot(x.At(0, c)-x.At(0, d), x.At(1, c)-x.At(1, d)) < 1e-9 {
				alone = false
			}
		}
		if alone {
			n[bits.OnesCount(uint(mask))-1]++
		}
	}
	return n
}

// comeBack counts the inputs that the encoder e recovers, separately for inputs with one, two and three ones. The
// result zones counts the inputs for which exactly the right features are active, and values counts the inputs among
// these whose features also get the right values.
func (in *hotInputs) comeBack(e hexagonEncoder) (zones, values [3]int) {
	const on = 0.05
	got := e.encode(&in.x)
	for c, mask := range in.masks {
		k := bits.OnesCount(uint(mask)) - 1
		zone, value := true, true
		for j := range 6 {
			want := mask>>j&1 == 1
			v := got.At(j, c)
			zone = zone && (v > on) == want
			value = value && math.Abs(e.gain*v-in.s.At(j, c)) < 0.1
		}
		if zone {
			zones[k]++
		}
		if zone && value {
			values[k]++
		}
	}
	return zones, values
}

// randomInputs holds the points of inputs with one, two and three adjacent features, whose amplitudes are random.
type randomInputs struct {
	x     [3]*mat.Dense // 2 × draws
	first [3][]int      // index of the first adjacent feature in each draw
}

// draws is the number of random inputs of each kind.
const draws = 1000

func newRandomInputs(a *mat.Dense, seed uint64) *randomInputs {
	in := &randomInputs{}
	rng := rand.New(rand.NewPCG(seed, 0x6e7))
	for k := range 3 {
		sk := mat.NewDense(6, draws, nil)
		for c := range draws {
			j := rng.IntN(6)
			in.first[k] = append(in.first[k], j)
			for q := range k + 1 {
				sk.Set((j+q)%6, c, rng.ExpFloat64())
			}
		}
		in.x[k] = new(mat.Dense)
		in.x[k].Mul(a, sk)
	}
	return in
}

// comeBack returns the shares of the inputs with one, two and three features for which the encoder e has exactly the
// right features active.
func (in *randomInputs) comeBack(e hexagonEncoder) (share [3]float64) {
	for k := range 3 {
		got := e.encode(in.x[k])
		for c := range draws {
			right := true
			for j := range 6 {
				want := (j-in.first[k][c]+6)%6 <= k
				right = right && (got.At(j, c) > 1e-9) == want
			}
			if right {
				share[k] += 1.0 / draws
			}
		}
	}
	return share
}

// khotRows adds the rows of KHot.
func (l *Lab) khotRows(rep *KHotReport) {
	data := record.Generated("all one-, two- and three-hot inputs, six features at the corners of a hexagon")
	where := "post, Comparison with SAEs (the hexagon)"
	text := func(i, k int) string {
		return fmt.Sprintf("SAE trained on single features: %d, on pairs of neighbors too: %d; MAP: %d", rep.Zones[1][k], rep.Zones[2][k], rep.Zones[3][k])
	}
	num := func(v float64, unit, remark string) record.Value {
		return record.Value{Kind: record.KindNumber, Number: v, Unit: unit, Text: remark}
	}
	l.Row(record.Row{ID: "sae-one-hot", What: "one-hot inputs for which exactly the right feature is active in a ReLU encoder with tied weights",
		Published: record.Published(6, "of 6", where+": \"If x is one-hot, you're in good shape\""), Measured: num(float64(rep.Zones[0][0]), "of 6", text(0, 0)),
		Rule: record.Within(0), Data: data})
	l.Row(record.Row{ID: "sae-two-hot", What: "two-hot inputs for which exactly the right features are active in a ReLU encoder with tied weights",
		Published: record.Published(6, "of 15", where+": \"one of the 6 pairs for which there is an overlap\""), Measured: num(float64(rep.Zones[0][1]), "of 15", text(0, 1)),
		Rule: record.Within(0), Data: data,
		Reason: "these are the pairs of neighbors. The sum of two features 120 degrees apart equals the feature between them, and opposite features cancel"})
	three := record.Row{ID: "sae-three-hot", What: "three-hot inputs for which exactly the right features are active in a ReLU encoder with tied weights",
		Published: record.Published(0, "of 20", where+": \"there isn't a zone in the latent where the latent zones of 3 features overlap\""), Measured: num(float64(rep.Zones[0][2]), "of 20", text(0, 2)),
		Rule: record.Within(0), Data: data}
	if rep.Zones[0][2] > 0 {
		three.Reason = "the zone of a ReLU feature is a half plane, not a wedge. Three neighbors sum to twice the middle one, a point in all three half planes, so the three zones do overlap. But the middle feature alone at amplitude 2 gives the same point, so the answer is right by chance"
	}
	l.Row(three)
	l.Row(record.Row{ID: "sae-three-hot-values", What: "three-hot inputs whose three coefficients are recovered, best method",
		Published: record.Published(0, "of 20", where+": \"If x is three-hot, you're out of luck\""),
		Measured:  num(float64(max(rep.Values[0][2], rep.Values[1][2], rep.Values[2][2], rep.Values[3][2])), "of 20", "the best of the four methods"),
		Rule:      record.Within(0), Data: data,
		Reason: "this limit comes from the plane, not from the ReLU: two numbers do not determine three unknowns, and a basic solution has at most two nonzeros, so MAP cannot recover these inputs either"})
	faces, all := facesActive()
	l.Row(record.Row{ID: "sae-three-hot-3d", What: "three-hot inputs on the faces of an icosahedron (3D) for which exactly the right features are active in a tied ReLU encoder",
		Published: record.Text("\"In a 3D latent, such zones would correspond to a face\"", where),
		Measured:  num(float64(faces), "of 20", fmt.Sprintf("of all 220 three-hot inputs, %d have exactly the right features active", all)), Rule: record.AtLeast(20), Data: record.Generated("all three-hot inputs, twelve features at the corners of an icosahedron"),
		Reason: "this is true of no other three-hot input"})
	better := rep.Zones[3][1] > rep.Zones[0][1] || rep.Zones[3][2] > rep.Zones[0][2]
	l.Row(record.Row{ID: "sae-map-more-combinations", What: "ICA's inference (MAP) finds the right features for more two-hot or more three-hot inputs than the tied ReLU encoder",
		Measured: record.Bool(better, fmt.Sprintf("one-, two-, three-hot: MAP %d, %d, %d; ReLU %d, %d, %d", rep.Zones[3][0], rep.Zones[3][1], rep.Zones[3][2], rep.Zones[0][0], rep.Zones[0][1], rep.Zones[0][2])),
		Rule:     record.Holds(), Data: data,
		Reason: "MAP finds no additional combinations; its advantage is correct values, at any amplitude (sae-map-values)"})
	l.Row(record.Row{ID: "sae-map-values", What: "pairs of neighbors with random amplitudes: share with exactly the right features active, MAP minus the tied ReLU encoder",
		Published: record.Text("\"relying on ReLU to hydrate your individual features presupposes that your data is sparse\"", "post, Comparison with SAEs"),
		Measured: num(100*(rep.Amplitudes[3][1]-rep.Amplitudes[0][1]), "percentage points", fmt.Sprintf("MAP %.0f %%, tied %.0f %%, trained on pairs %.0f %%; two-hot inputs with the right values: MAP %d, tied %d, trained on pairs %d",
			100*rep.Amplitudes[3][1], 100*rep.Amplitudes[0][1], 100*rep.Amplitudes[2][1], rep.Values[3][1], rep.Values[0][1], rep.Values[2][1])),
		Rule: record.AtLeast(5), Data: record.Generated("pairs of neighboring features with exponential amplitudes"), Repeat: 2,
		Reason: "a half plane that excludes a neighbor of amplitude a (its projection is a/2) also excludes its own feature below a/2, so ReLU zones work only for amplitudes within a factor of 2. MAP divides the plane into wedges, in each of which two features have their exact values"})
}

// trainedRow adds the row about how many one-hot inputs a trained autoencoder recovers, as a mean over several draws of
// the training inputs. For each draw, trainHexagon compares runs from two starts. One of the starts is the tied
// encoder, which recovers all six inputs. So a number below six does not mean that training failed to find such an
// encoder; it means that another encoder has a lower loss.
func (l *Lab) trainedRow(a *mat.Dense, hot *hotInputs) {
	seeds := l.Pick(1, 5, 5)
	counts := make([]float64, seeds)
	for k := range seeds {
		l.Heed()
		zones, _ := hot.comeBack(l.trainHexagon(a, true, l.Seed+uint64(k)))
		counts[k] = float64(zones[0])
	}
	l.Row(record.Row{ID: "sae-one-hot-trained", What: fmt.Sprintf("one-hot inputs for which exactly the right feature is active in an autoencoder trained on single features and pairs of neighbors, mean over draws of the training inputs (%d)", seeds),
		Measured: record.Value{Kind: record.KindNumber, Number: stat.Mean(counts, nil), Unit: "of 6", Text: fmt.Sprintf("%v", counts)},
		Spread:   (slices.Max(counts) - slices.Min(counts)) / 2, SpreadOf: "half the range over draws",
		Rule: record.AtLeast(6), Repeat: 1, Data: record.Generated("single features and pairs of neighbors, six features at the corners of a hexagon"), Seeds: seedList(l.Seed, seeds),
		Reason: "training starts from the hexagon and from the tied encoder, which recovers all six; the run with the smaller training loss counts. If it recovers fewer than six, slightly active neighbors cost less in the objective than the bias that would silence them"})
}

// facesActive considers twelve features, the columns of A, at the corners of an icosahedron. The result all is the
// number of three-hot inputs s for which ReLU(A'x − ¾), with x = As, has exactly the right features active. The result
// faces is the number of these inputs whose three features form a face, which means that the features are mutual
// neighbors.
func facesActive() (faces, all int) {
	golden := (1 + math.Sqrt(5)) / 2
	r := math.Hypot(1, golden)
	a := mat.NewDense(3, 12, nil)
	j := 0
	for axis := range 3 {
		for _, u := range []float64{-1, 1} {
			for _, v := range []float64{-golden, golden} {
				a.Set((axis+1)%3, j, u/r)
				a.Set((axis+2)%3, j, v/r)
				j++
			}
		}
	}
	var g mat.Dense // cosines: 1/√5 between neighbors
	g.Mul(a.T(), a)
	for mask := range 1 << 12 {
		if bits.OnesCount(uint(mask)) != 3 {
			continue
		}
		right, face := true, true
		for j := range 12 {
			sum := 0.0
			on := mask>>j&1 == 1
			for i := range 12 {
				if mask>>i&1 == 1 {
					sum += g.At(j, i)
					face = face && (!on || g.At(j, i) > 0.4)
				}
			}
			right = right && (sum > 0.75) == on
		}
		if right {
			all++
			if face {
				faces++
			}
		}
	}
	return faces, all
}

// trainHexagon trains autoencoders with six features. Each training input has a single feature of amplitude 1; if
// pairs is set, half of the inputs also have an adjacent feature. The post's argument is about the hexagon, so
// training starts there: once with the encoder A' and no bias, and once with the tied encoder, 4·ReLU(A'x − ¾). For
// each of several λ, the run with the smaller training loss is kept.
//
// trainHexagon returns the encoder for the largest λ with a training error below 2 percent of the variance or, if there
// is no such λ, for the smallest one. The features are in the order of the columns of a.
func (l *Lab) trainHexagon(a *mat.Dense, pairs bool, seed uint64) hexagonEncoder {
	rng := rand.New(rand.NewPCG(seed, 0x5ae))
	const n = 1200
	s := mat.NewDense(6, n, nil)
	for c := range n {
		j := rng.IntN(6)
		s.Set(j, c, 1)
		if pairs && c%2 == 0 {
			s.Set((j+1)%6, c, 1)
		}
	}
	var x mat.Dense
	x.Mul(a, s)
	var starts []*autoencoder.Model
	for _, gain := range []float64{1, 4} {
		start := autoencoder.New(2, 6, seed)
		start.Wdec.Copy(a)
		start.Wenc.Scale(gain, a.T())
		if gain > 1 {
			for j := range start.Benc {
				start.Benc[j] = -0.75 * gain
			}
		}
		starts = append(starts, start)
	}
	variance := 0.0
	for _, v := range x.RawMatrix().Data {
		variance += v * v / n
	}
	// Take the largest λ with an error below 2 percent of the variance.
	var r *autoencoder.Result
	for _, lambda := range []float64{0.01, 0.03, 0.1, 0.3, 1} {
		var best *autoencoder.Result
		for _, start := range starts {
			t, err := autoencoder.Fit(l.Context(), &x, &autoencoder.Options{Lambda: lambda, Steps: l.Pick(1000, 4000, 20000), Seed: seed, Start: start, Every: 1 << 30})
			lab.Check(err)
			if best == nil || t.Loss.Total < best.Loss.Total {
				best = t
			}
		}
		if r == nil || best.Loss.Error < 0.02*variance {
			r = best
		}
	}
	perm := ica.Match(a, r.Model.Wdec).Perm
	// The function Match pairs lines, and opposite columns lie on the same line. So pair the columns here by
	// their directions.
	used := make([]bool, 6)
	for i := range 6 {
		best, cos := -1, math.Inf(-1)
		for j := range 6 {
			if c := a.At(0, i)*r.Model.Wdec.At(0, j) + a.At(1, i)*r.Model.Wdec.At(1, j); !used[j] && c > cos {
				best, cos = j, c
			}
		}
		perm[i], used[best] = best, true
	}
	return hexagonEncoder{encode: func(x *mat.Dense) *mat.Dense {
		e := r.Model.Transform(x)
		_, p := e.Dims()
		out := mat.NewDense(6, p, nil)
		for i := range 6 {
			out.SetRow(i, mat.Row(nil, perm[i], e))
		}
		return out
	}, gain: 1}
}

// A pairing is one data set of AgainstAutoencoder, with the results of ICA and of the sparse autoencoder (SAE).
type pairing struct {
	name, id        string
	truth, x, test  *mat.Dense
	features        int
	nonNegative     bool
	icaA            *mat.Dense
	icaWorst        float64
	icaActive       float64 // nonzeros per sample
	sae             *autoencoder.Model
	saeWorst        float64
	saeLoss         autoencoder.Loss
	lambda          float64
	lowest, highest float64   // extremes of the worst angle over the sweep of λ
	several         []float64 // worst angles on several data sets, each computed by the method fairest
	variance        float64   // E‖x‖² of the test data
	excess          float64   // excess of the SAE's objective over the objective of the best code for the same decoder, in percent
}

// AgainstAutoencoder learns bases by ICA and by a sparse autoencoder from the same data: 2 mixtures of 3 sources that
// are sparse, and either non-negative or symmetric.
//
// The columns of the decoder have norm 1. The autoencoder has 3 features for non-negative sources, and 6 for symmetric
// ones. Its λ, the weight of the penalty, is chosen from a few values: the largest with an error on validation data
// below 2 percent of the variance. If there is no such value, λ is the one with the smallest error. Of several random
// starts, the one with the smallest training loss is kept. Neither choice uses the true basis.
func (l *Lab) AgainstAutoencoder() *figure.Grid {
	seed := 4000 + l.Seed
	truth := ica.EvenBasis(3, 80)
	sets := []*pairing{{name: "symmetric sources", id: "symmetric", features: 6}, {name: "non-negative sources", id: "non-negative", features: 3, nonNegative: true}}
	for i, p := range sets {
		p.truth = truth
		if p.nonNegative {
			// Columns are 120 degrees apart, so their non-negative combinations fill the plane.
			p.truth = mat.NewDense(2, 3, nil)
			for j := range 3 {
				p.truth.Set(0, j, math.Cos((80+120*float64(j))*math.Pi/180))
				p.truth.Set(1, j, math.Sin((80+120*float64(j))*math.Pi/180))
			}
		}
		draw := func(seed uint64) *mat.Dense {
			s := ica.DrawSources(ica.BernoulliLaplacian{P: 0.3}, 3, 1000, seed)
			if p.nonNegative {
				s.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, s)
			}
			return ica.Mix(p.truth, s, 0, seed)
		}
		p.x = draw(seed + uint64(10*i))
		p.test = draw(seed + uint64(10*i) + 1)
		for _, v := range p.test.RawMatrix().Data {
			p.variance += v * v / 1000
		}
		l.compare(p, draw(seed+uint64(10*i)+2), seed)
		for k := range l.Pick(1, 5, 10) {
			seed := seed + 100*uint64(k) + uint64(10*i)
			p.several = append(p.several, l.fairest(p, draw(seed), draw(seed+2), seed))
		}
	}

	var panels []*figure.Figure
	for _, p := range sets {
		r := spread(p.x)
		panel := func(title string, a *mat.Dense) *figure.Figure {
			a = mat.DenseCopyOf(a)
			ica.Normalize(a)
			return figure.Cloud(title, p.x).Limit(r).Basis("truth", p.truth, 0.75*r).Use(figure.Vermilion).Basis("learned", a, 0.6*r)
		}
		panels = append(panels, panel(fmt.Sprintf("ICA, %s: %.2g°", p.name, p.icaWorst), p.icaA),
			panel(fmt.Sprintf("SAE (%d), %s: %.2g°", p.features, p.name, p.saeWorst), p.sae.Wdec))
	}
	g := figure.NewGrid("ICA and a sparse autoencoder on the same data", 2, panels...).Size(3.9, 3.3)
	l.Save("ica-against-sae", "Two mixtures of three sparse sources (active 30 %, no noise), with the true columns (black) and the learned columns (vermilion, drawn shorter). The number is the worst angle. "+
		"Top: sources of either sign, for which an autoencoder needs one feature per sign. Bottom: non-negative sources.", g)

	for _, p := range sets {
		l.againstRows(p)
	}
	return g
}

// againstRows adds the rows of AgainstAutoencoder for one data set. They are this project's own checks, because the
// post makes no claim here: "what if we used Lewicki and Sejnowski to try and find features instead of SAEs?" is a
// question. The post's phrase "exactly equivalent to the objective of SAEs" is about the objective (see the row
// e2-lp-limit), and not about an encoder with one linear map, which is what these rows measure.
func (l *Lab) againstRows(p *pairing) {
	data := record.Generated("Bernoulli-Laplacian mixtures, 2 of 3, active 30 %, " + p.name)
	ext := func(what, id string, worst, spread float64, remark, reason string) {
		row := record.Row{ID: id, What: what,
			Measured: record.Value{Kind: record.KindNumber, Number: worst, Unit: "degrees", Text: remark},
			Rule:     record.AtMost(threshold), Repeat: 0.5, Data: data, Figure: "ica-against-sae"}
		if spread > 0 {
			row.Spread, row.SpreadOf = spread, "half the range over data sets"
		}
		if worst > threshold {
			row.Reason = reason
		}
		l.Row(row)
	}
	ext("worst angle of ICA's columns, "+p.name, "sae-ica-"+p.id, p.icaWorst, 0, fmt.Sprintf("exact reconstruction with %.2f nonzeros per sample", p.icaActive), "the L1 solution is not the truth when all three sources are active")
	ext(fmt.Sprintf("worst angle of the autoencoder's columns (%d features), %s, median over data sets (%d); λ chosen so that its decoder reproduces validation data exactly (s ≥ 0, basis pursuit) with the least ‖s‖₁", p.features, p.name, len(p.several)), "sae-autoencoder-"+p.id, quantile(p.several, 0.5), (slices.Max(p.several)-slices.Min(p.several))/2,
		fmt.Sprintf("by data set: %.2g; in the figure %.2g, with an error of %.2g %% of the variance and %.2f active features per sample at λ = %g (the largest with a validation error below 2 %%, or else the one with the smallest error); over all λ from 0.003 to 0.3 the angle is %.2g to %.2g", p.several, p.saeWorst, 100*p.saeLoss.Error/p.variance, p.saeLoss.Active, p.lambda, p.lowest, p.highest),
		"the zone of a ReLU feature is a half plane: one linear map has to separate what ICA finds by optimization for each sample. The columns move to where this restriction costs least")
	row := record.Row{ID: "sae-same-objective-" + p.id, What: "excess of the autoencoder's objective ‖x − Ds‖² + λ‖s‖₁ over its minimum for the same decoder, " + p.name,
		Measured: record.Value{Kind: record.KindNumber, Number: p.excess, Unit: "%", Text: "0 would mean that the encoder finds the minimum"},
		Rule:     record.AtMost(1).Partly(9), Repeat: 1, Data: data, Figure: "ica-against-sae"}
	if p.excess > 1 {
		row.Reason = "the objectives agree (the lasso with s ≥ 0; the linear program is its limit λ → 0, with norms of A bounded), but the problems differ: an SAE's s must be ReLU(Wx + b), with one linear map for all samples, while the linear program is solved for each sample. This excess is the cost of that restriction"
	}
	l.Row(row)
}

// compare learns a basis from the data of p by ICA, and another by a sparse autoencoder, and stores both with their
// results in p. It uses the validation data to choose the autoencoder's λ.
func (l *Lab) compare(p *pairing, validation *mat.Dense, seed uint64) {
	r, err := ica.FitRestarts(l.Context(), p.x, 3, &ica.RestartOptions{Starts: l.Pick(12, 40, 40), Seed: seed, Fit: &ica.FitOptions{Scale: 0.3, RecordEvery: -1}})
	lab.Check(err)
	mt := ica.Match(p.truth, r.A)
	p.icaA, p.icaWorst = mt.Align(r.A), mt.Worst
	if p.nonNegative {
		// The sign of a column is undetermined, so choose the sign that gives more positive coefficients.
		inf, err := ica.Infer(l.Context(), p.icaA, p.x, nil)
		lab.Check(err)
		for j := range 3 {
			if mat.Sum(inf.S.RowView(j)) < 0 {
				for i := range 2 {
					p.icaA.Set(i, j, -p.icaA.At(i, j))
				}
			}
		}
	}
	inf, err := ica.Infer(l.Context(), p.icaA, p.test, nil)
	lab.Check(err)
	for _, v := range inf.S.RawMatrix().Data {
		if math.Abs(v) > 1e-9 {
			p.icaActive += 1.0 / 1000
		}
	}

	starts := l.Pick(1, 4, 10)
	results := l.trainAutoencoders(p.features, p.x, starts, seed)
	ctx := l.Context()
	least := math.Inf(1)
	p.lowest, p.highest = 90, 0
	for i, lambda := range lambdas {
		best := results[i]
		w := ica.Match(p.truth, best.Model.Wdec).Worst
		p.lowest, p.highest = min(p.lowest, w), max(p.highest, w)
		e := best.Model.Evaluate(validation, lambda).Error
		if e < 0.02*p.variance || e < least && least > 0.02*p.variance {
			p.sae, p.lambda, least = best.Model, lambda, e
		}
	}
	p.saeWorst = ica.Match(p.truth, p.sae.Wdec).Worst
	p.saeLoss = p.sae.Evaluate(p.test, p.lambda)

	// Compute the best code for the same decoder: lasso with s ≥ 0 on x − b. Lasso's objective is
	// half of the autoencoder's, so alpha = λ/2.
	x := mat.DenseCopyOf(p.test)
	x.Apply(func(i, _ int, v float64) float64 { return v - p.sae.Bdec[i] }, x)
	s, err := pursuit.Lasso(ctx, p.sae.Wdec, x, p.lambda/2, &pursuit.LassoOptions{NonNegative: true})
	lab.Check(err)
	p.excess = 100 * (p.saeLoss.Total/(2*s.MeanObjective()) - 1)
}

// lambdas is the sweep of λ in AgainstAutoencoder.
var lambdas = []float64{0.003, 0.01, 0.03, 0.1, 0.3}

// trainAutoencoders trains autoencoders on x with every λ in lambdas, each time from several starts. For each λ it
// returns the autoencoder with the least training loss.
func (l *Lab) trainAutoencoders(features int, x *mat.Dense, starts int, seed uint64) []*autoencoder.Result {
	all := make([]*autoencoder.Result, len(lambdas)*starts)
	ctx := l.Context()
	lab.Parallel(ctx, len(all), func(k int) {
		r, err := autoencoder.Fit(ctx, x, &autoencoder.Options{Features: features, Lambda: lambdas[k/starts], Steps: l.Pick(1500, 5000, 20000), Seed: seed + uint64(k%starts), Every: 1 << 30})
		lab.Check(err)
		all[k] = r
	})
	var best []*autoencoder.Result
	for i := range lambdas {
		best = append(best, slices.MinFunc(all[i*starts:(i+1)*starts], func(a, b *autoencoder.Result) int { return cmp.Compare(a.Loss.Total, b.Loss.Total) }))
	}
	return best
}

// fairest trains autoencoders on x with several λ, chooses one of them, and returns the worst angle of its decoder.
// For each decoder, with columns of norm 1, basis pursuit finds the non-negative codes s that reproduce the validation
// data exactly with the least ‖s‖₁. The decoder with the smallest mean ‖s‖₁ is chosen, as ICA would choose among
// bases. (An autoencoder's own criterion would be the error, which is always smallest for the smallest λ.) The choice
// does not use the true basis.
func (l *Lab) fairest(p *pairing, x, validation *mat.Dense, seed uint64) (worst float64) {
	var least float64
	for k, r := range l.trainAutoencoders(p.features, x, l.Pick(1, 2, 4), seed) {
		b, err := pursuit.BasisPursuitBatch(l.Context(), r.Model.Wdec, validation, &pursuit.PursuitOptions{NonNegative: true})
		lab.Check(err)
		// The sum is infinite if the decoder's cone does not contain all data.
		if sum := floats.Sum(b.Objective); k == 0 || sum < least {
			least, worst = sum, ica.Match(p.truth, r.Model.Wdec).Worst
		}
	}
	return worst
}
