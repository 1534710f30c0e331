package bradley2008

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A disturbance is a column of table 1: a change to a digit before it is coded again.
type disturbance struct {
	id, name string
	noise    float64 // standard deviation, for pixels from 0 to 1
	shift    float64 // in pixels, in a random direction
}

var disturbances = [4]disturbance{
	{"noise-001", "noise 0.01", 0.01, 0},
	{"noise-01", "noise 0.1", 0.1, 0},
	{"shift-01", "shift 0.1 pixel", 0, 0.1},
	{"shift-1", "shift 1 pixel", 0, 1},
}

// A stabilityMeter measures how much codes of digits change.
type stabilityMeter struct{ *Lab }

// disturb returns test digits from..to−1 with disturbance k, after PCA. The random numbers depend only on the run's
// seed, k and the digit: they are the same for all priors, and for any division of the digits into stages. Noise may
// take pixels out of the range from 0 to 1, because the paper does not mention clipping.
func (m stabilityMeter) disturb(k, from, to int) *mat.Dense {
	d, c := m.Digits(), disturbances[k]
	P := mat.NewDense(to-from, Side*Side, nil)
	for i := range to - from {
		rng := rand.New(rand.NewPCG(m.Seed, uint64(k)<<32|uint64(from+i)))
		x, out := d.TestPixels.RawRowView(from+i), P.RawRowView(i)
		if c.shift > 0 {
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			translate(out, x, c.shift*cos, c.shift*sin)
			continue
		}
		for j, v := range x {
			out[j] = v + c.noise*rng.NormFloat64()
		}
	}
	return d.Project(P)
}

// translate moves a picture by dx pixels to the right and dy pixels down, and stores the result in out. It interpolates
// bilinearly, and treats pixels outside the picture as 0.
func translate(out, picture []float64, dx, dy float64) {
	at := func(r, c int) float64 {
		if r < 0 || c < 0 || r >= Side || c >= Side {
			return 0
		}
		return picture[r*Side+c]
	}
	for r := range Side {
		for c := range Side {
			y, x := float64(r)-dy, float64(c)-dx
			y0, x0 := math.Floor(y), math.Floor(x)
			fy, fx, i, j := y-y0, x-x0, int(y0), int(x0)
			out[r*Side+c] = (1-fy)*((1-fx)*at(i, j)+fx*at(i, j+1)) + fy*((1-fx)*at(i+1, j)+fx*at(i+1, j+1))
		}
	}
}

// change returns |w − v|₁/|w|₁ for each column w of W and the corresponding column v of V. It panics if a column of W
// is 0.
func change(W, V *mat.Dense) []float64 {
	m, N := W.Dims()
	diff, size := make([]float64, N), make([]float64, N)
	for j := range m {
		v := V.RawRowView(j)
		for i, w := range W.RawRowView(j) {
			diff[i] += math.Abs(w - v[i])
			size[i] += math.Abs(w)
		}
	}
	for i := range diff {
		if size[i] == 0 {
			panic(fmt.Errorf("bradley2008: code %d is 0 and has no relative change: λ is too large", i))
		}
		diff[i] /= size[i]
	}
	return diff
}

// A Stability holds the measurements of one prior on test digits, and the prior's settings.
type Stability struct {
	Settings
	Prior string // "L1" or "KL"
	// Change is |w(x) − w(x')|₁/|w(x)|₁ by disturbance and digit; for KL it uses
	// the 2n coefficients on [−B B], as in the paper.
	Change [4][]float64
	// Signed is the same change for w⁺ − w⁻. For L1 it equals Change, because the positive and negative parts of
	// an L1 code together change by as much as the code.
	Signed [4][]float64
	Error  float64 // error of the reconstruction, as a share of the energy of x
	// Floor says how much of the sum of the 2n coefficients cancels in w⁺ − w⁻, as a mean share. It is 0 for L1.
	Floor float64
}

// mean returns the mean change by disturbance k.
func (s *Stability) mean(k int) float64 { return stat.Mean(s.Change[k], nil) }

// stage is the number of test images (handwritten digits) in one stage, whose result is written to disk.
const stage = 500

// stability returns the measurements of one prior on the first N test digits.
func (m stabilityMeter) stability(prior string, s Settings, N int) *Stability {
	out := &Stability{Settings: s, Prior: prior}
	left, energy := 0., 0.
	for from := 0; from < N; from += stage {
		to := min(from+stage, N)
		k := keysOf(m.Lab).stability(prior, s, from, to)
		M := m.store.Matrix(k, func() *mat.Dense {
			m.say("%s", k.Name())
			return lab.Rough(m.measure(prior, s, from, to))
		})
		for k := range disturbances {
			out.Change[k] = append(out.Change[k], M.RawRowView(k)...)
			out.Signed[k] = append(out.Signed[k], M.RawRowView(4+k)...)
		}
		left += mat.Sum(M.Slice(8, 9, 0, to-from))
		energy += mat.Sum(M.Slice(9, 10, 0, to-from))
		out.Floor += mat.Sum(M.Slice(10, 11, 0, to-from)) / float64(N)
	}
	out.Error = left / energy
	return out
}

// measure returns measurements of test digits from..to−1 for a prior and the settings s: a matrix (11×(to−from)) with
// the rows Change (4) and Signed (4) of Stability, ‖x − Bw‖², ‖x‖² and 1 − |w|₁/|w̃|₁. Here w is the signed code, and
// w̃ is the code on [−B B]; for L1 both are the code.
func (m stabilityMeter) measure(prior string, s Settings, from, to int) *mat.Dense {
	d, N := m.Digits(), to-from
	B := m.LearnBasis(s.Atoms, s.BasisLambda)
	X := d.Test.X.Slice(0, Dimensions, from, to).(*mat.Dense)
	var code func(X mat.Matrix) (signed, paper *mat.Dense)
	if prior == "L1" {
		code = func(X mat.Matrix) (signed, paper *mat.Dense) {
			W := CodeL1(m.Context(), B, X, s.L1Lambda)
			return W, W
		}
	} else {
		o := Coding(s.KLLambda, s.P)
		o.Tolerance = 1e-8 // small differences of codes matter here
		c, err := klcoding.New(B, &o)
		lab.Check(err)
		var warm *mat.Dense // the residual of x is near that of x'
		code = func(X mat.Matrix) (signed, paper *mat.Dense) {
			r, err := c.CodeFrom(m.Context(), X, warm)
			lab.Check(err)
			if warm == nil {
				warm = r.R
			}
			return r.W, c.Parts(r.W)
		}
	}
	M := mat.NewDense(11, N, nil)
	W, P := code(X)
	for k := range disturbances {
		V, Q := code(m.disturb(k, from, to))
		M.SetRow(k, change(P, Q))
		M.SetRow(4+k, change(W, V))
	}
	var R mat.Dense
	R.Mul(B, W)
	R.Sub(X, &R)
	for i := range N {
		r, x := mat.Norm(R.ColView(i), 2), mat.Norm(X.ColView(i), 2)
		M.Set(8, i, r*r)
		M.Set(9, i, x*x)
		M.Set(10, i, 1-mat.Norm(W.ColView(i), 1)/mat.Norm(P.ColView(i), 1))
	}
	return M
}

// alikeSettings returns those settings of a prior that the validation digits cannot distinguish from its best settings:
// their error exceeds the least error by at most one standard error. Only L1 was tried on more than one basis. For
// generated digits the result is nil.
func (t *table1) alikeSettings(prior string) []Settings {
	if t.Digits().Data.Generated {
		return nil
	}
	best, trials := t.Search()
	return alikeOf(best, trials, prior, validationDigits)
}

// validationDigits is the number of digits on which Search counts errors. It is the number of a full-size run,
// even in smaller runs.
const validationDigits = 10000

// alikeOf selects the settings for alikeSettings from trials whose errors, in percent, were measured on N validation
// digits. In the settings that it returns, the values for the other prior are copied from best.
func alikeOf(best Settings, trials []Trial, prior string, N int) []Settings {
	least := math.Inf(1)
	for _, t := range trials {
		if t.Prior == prior {
			least = min(least, t.Error)
		}
	}
	var out []Settings
	for _, t := range trials {
		if t.Prior == prior && t.Error <= least+standardError(least, N)+1e-9 {
			s := Settings{Atoms: t.Atoms, BasisLambda: t.BasisLambda, L1Lambda: best.L1Lambda, KLLambda: best.KLLambda, P: best.P}
			if prior == "L1" {
				s.L1Lambda = t.Lambda
			} else {
				s.KLLambda, s.P = t.Lambda, t.P
			}
			out = append(out, s)
		}
	}
	return out
}

// standardError returns the standard error of an error rate of e percent on N digits, in points. It is rounded to
// hundredths of a point; with 10,000 digits, one digit is a hundredth of a point. The rounding matters for L1 with
// half of the chosen λ. This setting makes 20 errors more than the best, and the standard error is 19.6 errors;
// after rounding the two are equal, so the setting counts as equal to the best.
func standardError(e float64, N int) float64 {
	return math.Round(100*math.Sqrt(e*(100-e)/float64(N))) / 100
}

// alikeStabilities measures the settings of alikeSettings on the first 1000 test digits. Below full size it measures
// fewer digits, and only settings whose bases were learned with the chosen λ.
func (t *table1) alikeStabilities(prior string) []*Stability {
	var out []*Stability
	n := min(t.Pick(50, 50, 1000), t.Digits().Test.N())
	for _, s := range t.alikeSettings(prior) {
		if !t.Full() && s.BasisLambda != t.Settings().BasisLambda {
			continue // below full size only the tables' basis is available
		}
		out = append(out, t.stability(prior, s, n))
	}
	return out
}

// words describes the settings of the prior.
func (s *Stability) words() string {
	basis := fmt.Sprintf("n = %d learned with λ = %v", s.Atoms, s.BasisLambda)
	if s.Prior == "L1" {
		return fmt.Sprintf("λ = %v, %s", s.L1Lambda, basis)
	}
	return fmt.Sprintf("λ = %v, p = %v, %s", s.KLLambda, s.P, basis)
}

// Table1Result holds the stabilities of the L1 and KL codes, and table 1 as a sheet.
type Table1Result struct {
	L1, KL *Stability
	record.Sheet
}

// A table1 measures table 1.
type table1 struct {
	stabilityMeter
	N     int // test digits
	out   *Table1Result
	other map[string][]*Stability // by prior, for the settings of alikeSettings
	how   string                  // the settings, in words
}

// Table1 measures table 1: how much codes of test digits change when the digits are disturbed. It
// uses the settings that were chosen on the validation part by the error of a classifier.
// StabilityCurves compares the priors at equal reconstruction error.
func (l *Lab) Table1() *Table1Result { return (&table1{stabilityMeter: stabilityMeter{l}}).run() }

func (t *table1) run() *Table1Result {
	d, s := t.Digits(), t.Settings()
	t.N = min(t.Pick(100, 500, 10000), d.Test.N())
	t.out = &Table1Result{L1: t.stability("L1", s, t.N), KL: t.stability("KL", s, t.N)}
	t.how = fmt.Sprintf("n = %d, L1 λ = %v (reconstruction error %.3f), KL λ = %v, p = %v (%.3f); the paper states none of these, and its rule for choosing p has no solution on [−B B] (see prior-vector)", s.Atoms, s.L1Lambda, t.out.L1.Error, s.KLLambda, s.P, t.out.KL.Error)
	t.other = map[string][]*Stability{"L1": t.alikeStabilities("L1"), "KL": t.alikeStabilities("KL")}
	t.cells()
	t.factors()
	t.sheet()
	return t.out
}

// cells adds three rows for each cell of table 1: one for the mean, one for the spread (see spread), and one for the
// share of the settings of alikeSettings that reproduce the cell.
func (t *table1) cells() {
	over := fmt.Sprintf("standard deviation over %d test digits", t.N)
	// The tolerance of a fifth was chosen before anything was measured, although the published number is for one
	// unknown B and λ. It is less than the effect of λ on L1: with half the chosen λ the noise columns grow by a
	// half, with twice the chosen λ they fall by a quarter (StabilityCurves). So other choices of λ have rows of
	// their own, whose IDs end in -other. If a cell is reproduced with at least half of the settings that validation
	// cannot distinguish, but not with all of them, the row's verdict is PARTIAL.
	cell := record.WithinFraction(0.2).Partly(0.3)
	for k, c := range disturbances {
		for _, p := range []struct {
			id, name  string
			published [4][2]float64
			x         []float64
		}{{"l1", "L1", published1.L1, t.out.L1.Change[k]}, {"kl", "KL", published1.KL, t.out.KL.Change[k]}} {
			row := record.Row{ID: "table1-" + p.id + "-" + c.id, What: "relative L1 change of " + p.name + " codes, " + c.name,
				Published: table(p.published[k][0], "", "table 1, "+p.name+", "+c.name),
				Rule:      cell, SpreadOf: over, Repeat: 1e-3, Data: t.Digits().Data, Reason: t.how}
			row.Published.Text = fmt.Sprintf("± %v", p.published[k][1])
			m, sd := stat.MeanStdDev(p.x, nil)
			row.Measured, row.Spread = record.Number(m, ""), sd
			t.Claim(row)
			t.spread(row, p.published[k][1], sd)
			row.ID, row.What = row.ID+"-other", row.What+": share of the settings tied on validation that reproduce the published value by the rule above"
			row.Spread, row.SpreadOf = 0, ""
			other := t.other[p.name]
			if len(other) == 0 {
				row.Measured, row.Rule, row.Reason = record.Value{}, record.NoData("no settings were searched for on these data"), ""
				t.Row(row)
				continue
			}
			within := 0.
			for _, s := range other {
				v, err := cell.Judge(row.Published, record.Number(s.mean(k), ""))
				lab.Check(err)
				if v == record.Reproduced {
					within += 100 / float64(len(other))
				}
			}
			by := func(a, b *Stability) int { return cmp.Compare(a.mean(k), b.mean(k)) }
			least, most := slices.MinFunc(other, by), slices.MaxFunc(other, by)
			row.Measured, row.Rule = record.Number(within, "% of settings"), record.AtLeast(100).Partly(50)
			row.Reason = fmt.Sprintf("%d settings of %s measured whose validation errors are within one standard error of the lowest. The relative change ranges from %.4g (%s) to %.4g (%s), on %d test digits",
				len(other), p.name, least.mean(k), least.words(), most.mean(k), most.words(), len(least.Change[k]))
			t.Row(row)
		}
	}
}

// spread adds a row for the second number of a cell, the one after ±. The paper does not say what this number
// is; it can only be the standard deviation over digits. The rule is the cell's rule.
func (t *table1) spread(cell record.Row, published, sd float64) {
	row := record.Row{ID: cell.ID + "-spread", What: cell.What + ": standard deviation over digits", Published: table(published, "", cell.Published.Source+", after ±"),
		Measured: record.Number(sd, ""), Rule: cell.Rule, Repeat: cell.Repeat, Data: cell.Data, Reason: cell.Reason}
	t.Claim(row)
}

// factors adds three rows for each disturbance, about the ratio of the change of L1 codes to that of KL codes. The
// first is for the chosen settings, the second for the least ratio among the settings of alikeSettings, and the third
// for KL's signed codes w⁺ − w⁻. A last row says what share of the coefficients on [−B B] cancels in the signed
// codes.
func (t *table1) factors() {
	for k, c := range disturbances {
		published := math.Round(100*published1.L1[k][0]/published1.KL[k][0]) / 100
		// PARTIAL: at least half of the published advantage.
		rule := record.AtLeastPublished(0.15).Partly((published-1)/2 - 0.15)
		row := record.Row{ID: "table1-factor-" + c.id, What: "ratio of the change of L1 codes to that of KL codes, " + c.name,
			Published: table(published, "", "computed from table 1, L1 / KL, "+c.name),
			Measured:  record.Number(t.out.L1.mean(k)/t.out.KL.mean(k), ""),
			Rule:      rule, Repeat: 1e-3, Data: t.Digits().Data, Reason: t.how}
		t.Claim(row)
		row.ID, row.What = row.ID+"-other", row.What+": minimum over all pairs of settings tied on validation"
		if len(t.other["L1"]) == 0 {
			row.Measured, row.Rule, row.Reason = record.Value{}, record.NoData("no settings were searched for on these data"), ""
			t.Row(row)
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		var at string
		for _, a := range t.other["L1"] {
			for _, b := range t.other["KL"] {
				f := a.mean(k) / b.mean(k)
				if f < least {
					least, at = f, fmt.Sprintf("minimum for L1 with %s and KL with %s", a.words(), b.words())
				}
				most = max(most, f)
			}
		}
		row.Measured = record.Number(least, "")
		row.Reason = fmt.Sprintf("%s; maximum %.3g; %d L1 and %d KL settings within one standard error of the lowest validation error, %d test digits", at, most, len(t.other["L1"]), len(t.other["KL"]), len(t.other["L1"][0].Change[k]))
		t.Row(row)
	}
	for k, c := range disturbances {
		m, _ := stat.MeanStdDev(t.out.KL.Signed[k], nil)
		t.Claim(record.Row{ID: "table1-factor-signed-" + c.id, What: fmt.Sprintf("ratio of the change of L1 codes to that of KL's signed codes w⁺ − w⁻ (which change by %.3g), %s", m, c.name),
			Measured: record.Number(t.out.L1.mean(k)/m, ""), Rule: record.AtLeast(1), Repeat: 1e-3, Data: t.Digits().Data,
			Reason: "the other reading of table 1, in which both codes have n coefficients per digit"})
	}
	t.Claim(record.Row{ID: "table1-floor", What: "mean share of |w̃|₁ on [−B B] that cancels in w⁺ − w⁻",
		Measured: record.Number(100*t.out.KL.Floor, "%"), Rule: record.AtMost(50), Repeat: 0.1, Data: t.Digits().Data,
		Reason: "w⁺w⁻ = p² keeps all 2n coefficients above 0. The part that cancels hardly changes but enlarges the denominator of the relative change: this part of KL's advantage is an artifact of the doubled basis"})
}

// sheet lays out the table.
func (t *table1) sheet() {
	d := t.Digits()
	var columns []string
	ids := make([][]string, 4)
	for _, c := range disturbances {
		columns = append(columns, c.name)
		for i, id := range []string{"l1", "kl", "factor", "factor-signed"} {
			ids[i] = append(ids[i], "table1-"+id+"-"+c.id)
		}
	}
	t.out.Sheet = record.Lay("Table 1: relative change of the codes", "", columns, []string{"L1", "KL", "L1 / KL", "L1 / KL's signed codes"}, ids, t.Rows())
	if d.Data.Generated {
		t.out.StandInOf = fmt.Sprintf("measured on %d generated test digits", t.N)
		for k := range disturbances {
			for i, x := range []float64{t.out.L1.mean(k), t.out.KL.mean(k), t.out.L1.mean(k) / t.out.KL.mean(k)} {
				t.out.Instead(i, k, x)
			}
		}
	}
	order := lab.Order{Names: []string{"KL", "L1"}, Less: true, Data: d.Data}
	for k, c := range disturbances {
		order.Values, order.Places = append(order.Values, []float64{t.out.KL.mean(k), t.out.L1.mean(k)}), append(order.Places, c.name)
	}
	t.out.Note = strings.TrimSpace(order.Note())
	t.Sheet("table1", t.out.Sheet)
}

// A curve holds the change of codes against the reconstruction error, as λ varies. The points are in ascending order
// of error.
type curve struct{ error, change []float64 }

func (c *curve) add(e, change float64) {
	i, _ := slices.BinarySearch(c.error, e)
	c.error, c.change = slices.Insert(c.error, i, e), slices.Insert(c.change, i, change)
}

// interpolate returns the change at the error e, interpolated on logarithmic axes between the two nearest points.
func (c *curve) interpolate(e float64) float64 {
	i, _ := slices.BinarySearch(c.error, e)
	i = min(max(i, 1), len(c.error)-1)
	t := math.Log(e/c.error[i-1]) / math.Log(c.error[i]/c.error[i-1])
	return math.Exp((1-t)*math.Log(c.change[i-1]) + t*math.Log(c.change[i]))
}

// advantage returns the smallest and the largest ratio of a's change to b's, over the errors that both curves cover.
// Between its points each curve is a straight line on logarithmic axes. So the ratio is smallest and largest at points
// of a or b, or at the ends of the range of common errors. ok is false if the curves have no errors in common.
func advantage(a, b *curve) (least, largest float64, ok bool) {
	lo, hi := max(a.error[0], b.error[0]), min(a.error[len(a.error)-1], b.error[len(b.error)-1])
	least = math.Inf(1)
	for _, e := range slices.Concat([]float64{lo, hi}, a.error, b.error) {
		if lo <= e && e <= hi {
			f := a.interpolate(e) / b.interpolate(e)
			least, largest, ok = min(least, f), max(largest, f), true
		}
	}
	return least, largest, ok
}

// StabilityCurves plots the changes of codes that table 1 reports, for many λ and p. The horizontal axis is the
// reconstruction error, because values of λ for two priors can be compared only at equal error.
func (l *Lab) StabilityCurves() *figure.Grid {
	c := newStabilityCurves(l)
	for i := range curvePriors {
		c.rows(i)
	}
	c.lambdaRow()
	return c.plot()
}

// curvePriors are the multiples of the chosen p in StabilityCurves.
var curvePriors = []float64{0.1, 1, 10}

// stabilityCurves holds, for each disturbance, the change of the codes against the reconstruction error, as λ varies.
// KL has one curve for each of curvePriors.
type stabilityCurves struct {
	stabilityMeter
	digits     int
	L1         [4]curve
	KL, signed [][4]curve
	lambda     []curve   // of KL, with λ in place of the change
	floor      []float64 // of KL: the largest Stability.Floor over all λ
}

func newStabilityCurves(l *Lab) *stabilityCurves {
	d, chosen := l.Digits(), l.Settings()
	N, n := min(l.Pick(50, 150, 1000), d.Test.N()), len(curvePriors)
	times := [][]float64{{0.25, 1, 2}, {0.125, 0.5, 1, 2}, {0.0625, 0.125, 0.25, 0.5, 1, 2}}[l.Pick(0, 1, 2)]
	c := &stabilityCurves{stabilityMeter: stabilityMeter{l}, digits: N, KL: make([][4]curve, n), signed: make([][4]curve, n), lambda: make([]curve, n), floor: make([]float64, n)}
	for _, t := range times {
		s := chosen
		s.L1Lambda = short(chosen.L1Lambda * t)
		m := c.stability("L1", s, N)
		for k := range disturbances {
			c.L1[k].add(m.Error, m.mean(k))
		}
		for i, q := range curvePriors {
			s.KLLambda, s.P = short(chosen.KLLambda*t), short(chosen.P*q)
			m := c.stability("KL", s, N)
			c.floor[i] = max(c.floor[i], m.Floor)
			c.lambda[i].add(m.Error, s.KLLambda)
			for k := range disturbances {
				c.KL[i][k].add(m.Error, m.mean(k))
				c.signed[i][k].add(m.Error, stat.Mean(m.Signed[k], nil))
			}
		}
	}
	return c
}

// rows adds the rows about KL with curvePriors[i] times the chosen p.
func (c *stabilityCurves) rows(i int) {
	d, q := c.Digits(), curvePriors[i]
	row := func(id, what string, published record.Value, least, largest float64, ok bool, note string) {
		r := record.Row{ID: "curves-" + id, What: what, Published: published, Repeat: 1e-3, Data: d.Data, Figure: "stability",
			Rule: record.NoData("the curves of the two priors have no reconstruction error in common")}
		if ok {
			r.Measured, r.Rule = record.Number(least, ""), record.AtLeast(1)
			r.Reason = fmt.Sprintf("largest ratio %.2f; if the smallest is above 1, KL is more stable at every error that both reach; %d test digits%s", largest, c.digits, note)
		}
		c.Row(r)
	}
	p := short(c.Settings().P * q)
	for _, reading := range []struct {
		id, name  string
		of        *[4]curve
		published record.Value
	}{
		{"", "KL codes", &c.KL[i], record.Text("representations that are significantly more stable", "table 1, caption")},
		{"-signed", "KL's signed codes", &c.signed[i], record.Value{}},
	} {
		note := ""
		if reading.id == "" {
			note = fmt.Sprintf("; up to %.0f %% of KL's |w̃|₁ cancels in w⁺ − w⁻ and hardly changes", 100*c.floor[i])
		}
		what := fmt.Sprintf("smallest ratio of the change of L1 codes to that of %s at equal reconstruction error, p = %v", reading.name, p)
		all, most, some := math.Inf(1), 0., false
		for k, by := range disturbances {
			least, largest, ok := advantage(&c.L1[k], &reading.of[k])
			all, most, some = min(all, least), max(most, largest), some || ok
			if q == 1 { // a row for each column of table 1
				row("chosen-p"+reading.id+"-"+by.id, by.name+": "+what, reading.published, least, largest, ok, note)
			}
		}
		if q != 1 {
			row([]string{"small-p", "", "large-p"}[i]+reading.id, "all disturbances: "+what, record.Value{}, all, most, some, note)
		}
	}
}

// lambdaRow adds a row that says whether, at equal reconstruction error, λ rises with p.
func (c *stabilityCurves) lambdaRow() {
	lo, hi := 0., math.Inf(1)
	for i := range curvePriors {
		e := c.lambda[i].error
		lo, hi = max(lo, e[0]), min(hi, e[len(e)-1])
	}
	r := record.Row{ID: "curves-lambda", What: "at equal reconstruction error, λ increases with p", Data: c.Digits().Data, Figure: "stability",
		Published: record.Text("small values of p require small values of λ", "section 3"), Rule: record.NoData("no reconstruction error is reached at every p")}
	if lo < hi {
		at, rises := math.Sqrt(lo*hi), true
		var seen []string
		for i, q := range curvePriors {
			rises = rises && (i == 0 || c.lambda[i].interpolate(at) > c.lambda[i-1].interpolate(at))
			seen = append(seen, fmt.Sprintf("p = %v: λ = %.3g", short(c.Settings().P*q), c.lambda[i].interpolate(at)))
		}
		r.Measured, r.Rule = record.Bool(rises, strings.Join(seen, ", ")), record.Holds()
		r.Reason = fmt.Sprintf("at a reconstruction error of %.3f (fraction of the energy), %d test digits", at, c.digits)
	}
	c.Claim(r)
}

func (c *stabilityCurves) plot() *figure.Grid {
	d, chosen := c.Digits(), c.Settings()
	panels := make([]*figure.Figure, 4)
	for k, by := range disturbances {
		f := figure.New(by.name, "reconstruction error", "relative change").LogX().LogY()
		f.Marked("L1", c.L1[k].error, c.L1[k].change)
		for i, q := range curvePriors {
			f.Marked(fmt.Sprintf("KL, p = %v", short(chosen.P*q)), c.KL[i][k].error, c.KL[i][k].change)
		}
		for i := range curvePriors {
			f.Use(figure.Vermilion+i).Dashed("", c.signed[i][k].error, c.signed[i][k].change)
		}
		panels[k] = f
	}
	g := figure.NewGrid("Stability of codes under noise and shifts", 2, panels...).Size(3.4, 2.8)
	c.Save("stability", fmt.Sprintf("Mean relative L1 change of the codes against the reconstruction error (fraction of the digits' energy), as λ varies. Dashed: KL's signed codes. %d test digits. Data: %v.", c.digits, d.Data),
		g)
	return g
}

// short rounds x to four significant digits, for keys and legends.
func short(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-3)
	if unit < 1 {
		return math.Round(x/unit) / math.Round(1/unit)
	}
	return math.Round(x/unit) * unit
}
