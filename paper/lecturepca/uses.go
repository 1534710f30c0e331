package lecturepca

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// why holds the title of the slide that Denoise, Compress and SpeedUp examine.
const why = "Why might we want to reduce dimensionality?"

// Compress stores faces as scores, with one byte for each score, and measures how much of the variance of the faces
// these bytes preserve. The principal axes are computed from other faces.
func (l *Lab) Compress() *figure.Figure {
	s := l.faceSet()
	n, d := s.X.Dims()
	half := n / 2
	m := fit(l.Context(), lab.First(s.X, half), &pca.Options{Components: min(300, half-1)})
	Y := s.X.Slice(half, n, 0, d).(*mat.Dense) // (n−half)×d
	var exact, rounded, ks []float64
	for _, k := range []int{5, 10, 20, 50, 100, 200, 300} {
		if k > m.K() {
			continue
		}
		ks = append(ks, float64(k))
		exact = append(exact, 100*shareKept(m, Y, k, 0))
		rounded = append(rounded, 100*shareKept(m, Y, k, 256))
	}
	const k = 100
	share, lost := 100*shareKept(m, Y, k, 256), 100*shareKept(m, Y, k, 0)
	lost -= share
	// The axes and the mean, in float32, are stored once.
	paid := math.Ceil(4 * float64((k+1)*d) / float64(d-k))
	l.Row(record.Row{
		ID: "compress", What: fmt.Sprintf("held-out faces stored in %d bytes instead of %d, one byte per score: share of the variance preserved", k, d),
		Published: slides.Quote("To compress the data (e.g. audio, images)", why),
		Measured:  record.Number(share, "%"), Rule: record.AtLeast(90), Data: s.Data, Repeat: 0.5, Figure: "compress",
		Reason: fmt.Sprintf("axes computed from the first %d faces, tested on the other %d; the axes and the mean take 4 bytes per number, so space is saved only from %.0f faces on", half, n-half, paid),
	})
	l.Row(record.Row{
		ID: "compress-rounding", What: "held-out faces, 100 scores: share of the variance lost by rounding the scores to one byte, in percentage points",
		Measured: record.Number(lost, "points"), Rule: record.Between(0, 0.5), Data: s.Data, Repeat: 0.2, Figure: "compress",
		Reason: "256 levels on each axis, within ±4 standard deviations of the scores of the first half",
	})
	f := figure.New("Held-out faces, one byte per score", "bytes per face", "share of the variance, %")
	f.Marked("unrounded scores", ks, exact).Marked("rounded to one byte", ks, rounded)
	f.LogX()
	f.Y.Min, f.Y.Max = min(floats.Min(rounded), 50), 100
	l.Save("compress", fmt.Sprintf("The axes were computed from other faces. Instead of %d bytes, one per pixel, a face with k scores takes k bytes; for example %d.", d, k), f)
	return f
}

// shareKept returns the share of the variance of Y, around the model's mean, that k scores preserve. Each score is
// rounded to a grid within four standard deviations on its axis. levels is the number of points of the grid; 0 means
// no rounding.
func shareKept(m *pca.Model, Y *mat.Dense, k, levels int) float64 {
	n, _ := Y.Dims()
	Z := m.Scores(Y).Slice(0, n, 0, k).(*mat.Dense)
	if levels > 0 {
		for j, v := range m.Variances()[:k] {
			reach := 4 * math.Sqrt(v) // larger values are clipped
			step := 2 * reach / float64(levels-1)
			for i := range n {
				z := max(-reach, min(reach, Z.At(i, j)))
				Z.Set(i, j, math.Round((z+reach)/step)*step-reach)
			}
		}
	}
	around := mat.NewDense(n, len(m.Mean), nil)
	for i := range n {
		around.SetRow(i, m.Mean)
	}
	return 1 - meanSquare(m.Reconstruct(Z), Y)/meanSquare(around, Y)
}

// SpeedUp trains a classifier on all pixels of digits, and again on a few scores. It compares the times, and the shares
// of new digits that are classified correctly.
func (l *Lab) SpeedUp() *figure.Grid {
	n, test := l.Pick(300, 3000, 10000), l.Pick(200, 1000, 2000)
	s, err := synth.Digits(l.Context(), synth.DigitsOptions{N: n + test, Balanced: true, Noise: 0.1, Seed: l.Seed})
	lab.Check(err)
	_, d := s.Images.Dims()
	X, Y := lab.First(s.Images, n), s.Images.Slice(n, n+test, 0, d).(*mat.Dense)
	y, truth := s.Labels[:n], s.Labels[n:]
	// trained returns two numbers: the seconds from the images to the classifier (the shortest of three runs), and
	// the share of new digits that the classifier labels correctly. k = 0 means that the classifier uses the pixels.
	trained := func(k int) (seconds, right float64) {
		seconds = math.Inf(1)
		for range 3 {
			begin := time.Now()
			features := func(A *mat.Dense) *mat.Dense { return A }
			if k > 0 {
				m := fit(l.Context(), X, &pca.Options{Components: k})
				features = func(A *mat.Dense) *mat.Dense { return m.Scores(A) }
			}
			c, err := classify.FitMaxent(l.Context(), features(X), y, &classify.MaxentOptions{Alpha: 1e-3, Classes: 10})
			lab.Check(err)
			seconds = min(seconds, time.Since(begin).Seconds())
			right = 1 - classify.ErrorRate(c.Predict(features(Y)), truth)
		}
		return seconds, right
	}
	ks := []int{5, 10, 20, 50, 100}
	const chosen = 50
	all, allRight := trained(0)
	var x, times, rights []float64
	var few, fewRight float64
	for _, k := range ks {
		t, r := trained(k)
		x, times, rights = append(x, float64(k)), append(times, t), append(rights, 100*r)
		if k == chosen {
			few, fewRight = t, r
		}
	}
	name := fmt.Sprintf("%d generated digits of %d × %d, and %d new ones", n, s.Size, s.Size, test)
	l.Row(record.Row{
		ID: "speed-up", What: fmt.Sprintf("time to train a maximum-entropy classifier on %d pixels of digits, divided by that on %d scores, including PCA", d, chosen),
		Published: slides.Quote("To speed up supervised learning, or other analyses.", why),
		Measured:  record.Number(all/few, "times"), Rule: record.AtLeast(1), Data: record.Times(record.Generated(name)), Repeat: 1e4, Figure: "speed-up",
		Reason: "shortest of three runs each, trained to the same tolerance",
	})
	l.Row(record.Row{
		ID: "speed-up-accuracy", What: fmt.Sprintf("accuracy on new digits: on %d scores minus on all pixels", chosen),
		Measured: record.Number(100*(fewRight-allRight), "points"), Rule: record.AtLeast(-1), Data: record.Generated(name), Repeat: 1, Figure: "speed-up",
		Reason: fmt.Sprintf("%.1f and %.1f %%", 100*fewRight, 100*allRight),
	})
	a := figure.New("Time", "scores", "seconds")
	a.Marked("scores", x, times)
	a.Use(figure.Black).HLine(fmt.Sprintf("all %d pixels", d), all)
	a.LogX().LogY()
	b := figure.New("Accuracy on new digits", "scores", "accuracy, %")
	b.Marked("", x, rights)
	b.Use(figure.Black).HLine("", 100*allRight)
	b.LogX()
	g := figure.NewGrid("Classifying digits from few scores", 2, a, b)
	l.Save("speed-up", fmt.Sprintf("Maximum-entropy classifier on %s. Left: time of PCA and training together. Right: accuracy on the new digits. Black: all %d pixels.", name, d), g.Size(3.4, 2.6))
	return g
}
