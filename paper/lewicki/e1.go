package lewicki

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// planeBasis returns the true basis of the experiments E1 to E4: three directions in the plane at
// equal angles, 90, 150 and 210 degrees.
func planeBasis() *mat.Dense { return ica.EvenBasis(3, 90) }

// DataClouds runs E1: it draws data from the same basis with three kinds of sources.
func (l *Lab) DataClouds() *figure.Grid {
	A := planeBasis()
	shown := l.Pick(500, 1000, 1000)
	measured := l.Pick(5_000, 50_000, 200_000)
	kinds := []struct {
		title string
		src   ica.Source
	}{
		{"Laplacian: round", ica.Laplacian{}},
		{"Exponential, mean 2: a wedge", ica.Exponential{Mean: 2}},
		{"Laplacian, active 30 %: rays", ica.BernoulliLaplacian{P: 0.3}},
	}
	var panels []*figure.Figure
	for i, k := range kinds {
		mix := ica.NewMixture(A, k.src, shown, 0, l.Seed+uint64(i))
		panels = append(panels, figure.Cloud(k.title, mix.X).Basis("columns of A", A, 0))
	}

	// The post's statement about the Laplacian data.
	lap := ica.NewMixture(A, ica.Laplacian{}, measured, 0, l.Seed+10)
	data := record.Generated(fmt.Sprintf("%d mixtures of 3 Laplacian sources", measured))
	x, y := lap.X.RawRowView(0), lap.X.RawRowView(1)
	sd := stat.StdDev(x, nil)
	off := math.Hypot(stat.Mean(x, nil), stat.Mean(y, nil)) / sd
	skew := math.Max(math.Abs(stat.Skew(x, nil)), math.Abs(stat.Skew(y, nil)))
	// Both statements are about the generator's data, and not about what is learned from them. These rows check that
	// the generator produces the data that the post describes.
	said := blog.Quote("It gives a symmetric spherical dataset, much like a multivariate Gaussian.", "E1")
	l.Row(record.Row{
		ID: "e1-laplacian-symmetric", What: "mixtures of Laplacian sources are symmetric about 0",
		Published: said, Measured: record.Bool(off < 0.05 && skew < 0.2, fmt.Sprintf("mean %.3f standard deviations from 0, skewness %.2f", off, skew)),
		Rule: record.Holds(), Data: data, Figure: "e1-data",
	})
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, lap.X.T(), nil)
	var eig mat.EigenSym
	if !eig.Factorize(&cov, false) {
		panic("lewicki: the eigenvalues of a 2×2 covariance were not found")
	}
	v := eig.Values(nil)
	l.Row(record.Row{
		ID: "e1-laplacian-spherical", What: "mixtures of Laplacian sources are spherical: ratio of the larger to the smaller eigenvalue of the covariance",
		Published: said, Measured: record.Number(v[1]/v[0], ""), Rule: record.AtMost(1.1), Data: data, Figure: "e1-data",
		Reason: "for directions at equal angles AA' is a multiple of the identity, so second moments cannot show the basis",
	})
	lo, hi := math.Inf(1), math.Inf(-1)
	for deg := 0; deg < 180; deg += 5 {
		k := stat.ExKurtosis(project(lap.X, float64(deg)), nil)
		lo, hi = math.Min(lo, k), math.Max(hi, k)
	}
	l.Row(record.Row{
		ID: "e1-laplacian-gaussian", What: "mixtures of Laplacian sources resemble a Gaussian: excess kurtosis, midrange over directions (Gaussian 0, one Laplacian source 3)",
		Published: record.Published(0, "", "the post, E1"), Measured: record.Number((lo+hi)/2, ""), Spread: (hi - lo) / 2, SpreadOf: "half the range over directions",
		Rule: record.Within(0.5).Partly(1.5), Data: data, Figure: "e1-data",
		Reason: "the tails are heavier by the same amount in every direction (1.5 in theory), so fourth moments cannot show a basis of equal angles either",
	})

	exp := ica.NewMixture(A, ica.Exponential{Mean: 2}, l.Pick(500, 2000, 5000), 0, l.Seed+11)
	inf, err := ica.Infer(l.Context(), A, exp.X, &ica.InferOptions{NonNegative: true})
	lab.Check(err)
	_, p := exp.X.Dims()
	data = record.Generated(fmt.Sprintf("%d mixtures of 3 exponential sources of mean 2", p))
	l.Row(record.Row{
		ID: "e1-exponential-cone", What: "mixtures of exponential sources lie in the cone of the columns: samples outside it",
		Published: blog.Quote("I was able to recover something like that using an exponential prior", "E1"),
		Measured:  record.Number(float64(inf.Projected), "samples"), Rule: record.AtMost(0), Data: data, Figure: "e1-data",
	})
	l.Row(record.Row{
		ID: "e1-exponential-mean", What: "mean of exponential coefficients with rate 0.5",
		Published: record.Published(2, "", "the post, E1: λ = 0.5, i.e. mean of 2"), Measured: record.Number(mat.Sum(exp.S)/float64(3*p), ""),
		Rule: record.Within(0.1), Data: data, Figure: "e1-data",
	})

	l.identicalRow()
	g := figure.NewGrid("E1: three sources, two mixtures, three priors", 3, panels...)
	l.Save("e1-data", "The same three directions in each panel. Dense Laplacian sources give a round cloud in which no direction is visible. Exponential sources fill the cone between the outer columns. Sparse sources put many samples on the line of each column.", g)
	return g
}

// identicalRow tests the post's statement that a Laplacian prior gives the same results as an exponential one. It
// learns two bases from the same start: one from exponential sources, and one from Laplacian sources, which are the
// same magnitudes with random signs. Then it compares the two bases.
func (l *Lab) identicalRow() {
	seeds, p := l.Pick(3, 12, 50), l.Pick(100, 1000, 5000)
	A := planeBasis()
	apart := make([]float64, seeds)
	angles := [2][]float64{make([]float64, seeds), make([]float64, seeds)}
	lab.Parallel(l.Context(), seeds, func(k int) {
		seed := l.Seed + 30 + uint64(k)
		positive := ica.DrawSources(ica.Exponential{}, 3, p, seed)
		signs := ica.DrawSources(ica.Laplacian{}, 3, p, seed)
		var either mat.Dense // the same magnitudes, with random signs
		either.Apply(func(i, j int, v float64) float64 { return math.Copysign(v, signs.At(i, j)) }, positive)
		start := ica.PerturbBasis(A, 10, seed)
		var learned [2]*mat.Dense
		for i, S := range []*mat.Dense{positive, &either} {
			r, err := ica.Fit(l.Context(), start, ica.Mix(A, S, 0, seed), &ica.FitOptions{Steps: 300, RecordEvery: -1, Infer: &ica.InferOptions{Workers: 1}})
			lab.Check(err)
			learned[i], angles[i][k] = r.A, ica.Match(A, r.A).Worst
		}
		apart[k] = ica.Match(learned[0], learned[1]).Worst
	})
	l.Row(record.Row{
		ID: "e1-identical", What: "exponential and Laplacian coefficients lead to identical results: share of runs whose two learned bases are within 5 degrees of each other",
		Published: blog.Quote("identical results were obtained by drawing s from a Laplacian prior (positive and negative coefficients)", "E1, of the paper"),
		Measured:  record.Value{Kind: record.KindNumber, Number: shareBelow(apart, threshold), Unit: "%", Text: fmt.Sprintf("median %.2g degrees apart; from the truth %.2g (exponential) and %.2g (Laplacian)", quantile(apart, 0.5), quantile(angles[0], 0.5), quantile(angles[1], 0.5))},
		Rule:      record.AtLeast(target).Partly(partly), Data: record.Generated(fmt.Sprintf("%d mixtures of 3 sources", p)), Seeds: seedList(l.Seed+30, seeds),
		Reason: "both runs use the same magnitudes, and the rule with the right sign. The shape of each half of the density is not what matters: for non-negative sources, E[sign(s_i) s_j] = b off the diagonal instead of 0 (see e4-relu-symmetry)",
	})
}

// project returns the coordinate of each sample along the direction at the angle deg, in degrees.
func project(X *mat.Dense, deg float64) []float64 {
	sin, cos := math.Sincos(deg * math.Pi / 180)
	x, y := X.RawRowView(0), X.RawRowView(1)
	u := make([]float64, len(x))
	for i := range u {
		u[i] = cos*x[i] + sin*y[i]
	}
	return u
}

// Densities draws the absolute values of Laplacian samples next to exponential samples, to show that both
// have the same density.
func (l *Lab) Densities() *figure.Figure {
	n := l.Pick(2_000, 20_000, 100_000)
	lap := ica.DrawSources(ica.Laplacian{}, 1, n, l.Seed+20).RawRowView(0)
	exp := ica.DrawSources(ica.Exponential{}, 1, n, l.Seed+21).RawRowView(0)
	abs := make([]float64, n)
	for i, s := range lap {
		abs[i] = math.Abs(s)
	}
	slices.Sort(abs)
	sorted := slices.Sorted(slices.Values(exp))
	d := stat.KolmogorovSmirnov(abs, nil, sorted, nil)
	// Two samples of the same distribution exceed this Kolmogorov-Smirnov distance once in a hundred times.
	bound := 1.628 * math.Sqrt(2/float64(n))
	l.Row(record.Row{
		ID: "e1-half-laplacian", What: "each half of a Laplacian has the shape of an exponential density: Kolmogorov-Smirnov distance between |s| and exponential draws",
		Published: blog.Quote("Their shapes are exactly the same up to a scaling factor", "E1"), Measured: record.Number(d, ""),
		Rule: record.AtMost(bound), Data: record.Generated(fmt.Sprintf("%d draws of each", n)), Figure: "e1-densities",
		Reason: "true of each half, but the learning rule needs the two halves to balance (see e4-relu-symmetry)",
	})
	f := figure.New("E1: |Laplacian| and exponential draws", "s", "density")
	f.Histogram("|s|, s Laplacian", capped(abs, 6), 60).Histogram("s exponential", capped(sorted, 6), 60)
	f.Use(figure.Black).Curve("exp(−s)", func(s float64) float64 { return math.Exp(-s) }, 0, 6)
	l.Save("e1-densities", "Both histograms follow exp(−s). Each half of a Laplacian has this shape; the exponential density has only one half.", f)
	return f
}

// capped returns those values of a sorted slice that are below max.
func capped(sorted []float64, max float64) []float64 {
	i, _ := slices.BinarySearch(sorted, max)
	return sorted[:i]
}
