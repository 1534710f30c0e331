package iconframework

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Augmentations shows digits and random views of them.
func (l *Lab) Augmentations() *figure.Figure {
	s := l.digitSet()
	const n = 10
	X := mat.DenseCopyOf(s.X.Slice(0, n, 0, Side*Side))
	rows := append([]float64(nil), X.RawMatrix().Data...)
	labels := []string{"original"}
	for v := range 2 {
		V := icon.Digits(Side).Views(X, Side, Side, l.Seed+uint64(v))
		rows = append(rows, V.RawMatrix().Data...)
	}
	for r := 1; r < 5; r++ {
		for len(labels) < r*n {
			labels = append(labels, "")
		}
		labels = append(labels, fmt.Sprintf("view %d", r))
	}
	f := gallery.Figure(mat.NewDense(5*n, Side*Side, rows), Side, Side, &gallery.Options{
		Title: "Digits and four views of each", Columns: n, Grays: gallery.Range, Hi: 1, Labels: labels})
	l.Save("augmentations", fmt.Sprintf("Shifted by up to a tenth of the side, rotated by up to 15 degrees, scaled by up to a fifth, with noise. For SimCLR, p puts probability 1 on the other view of the same digit. Data: %v.", s.data()), f)
	return f
}

// heldOut returns the number of digits that SimCLR is not trained on. They are the first digits of allDigits.
func (l *Lab) heldOut() int { return l.Pick(300, 2000, 5000) }

// Contrasted returns SimCLR's trained network. It is trained without labels, on digits that follow the first heldOut
// digits of allDigits. Later calls return the same network.
func (l *Lab) Contrasted() *icon.ContrastResult {
	if l.net == nil {
		from, n := l.heldOut(), l.Pick(400, 2000, 20_000)
		X := l.allDigits().X
		have, _ := X.Dims()
		l.net = must.Get(icon.FitContrast(l.Context(), X.Slice(from, min(from+n, have), 0, Side*Side), &icon.ContrastOptions{
			Height: Side, Width: Side, Batch: l.Pick(64, 128, 256), Steps: l.Pick(60, 300, 1000), Seed: l.Seed}))
	}
	return l.net
}

// Features is one way to describe a digit, with measurements of how well a digit's neighbors vote for its class.
type Features struct {
	What    string
	Numbers int
	// Clean is the share of digits whose class wins the vote of their 5 nearest neighbors. Disturbed is the
	// same share after each digit has been replaced by a random view of it. The neighbors are unchanged digits.
	Clean, Disturbed string
}

// Contrast compares SimCLR's features with pixels and with the features of an untrained network. It measures how often
// a digit's nearest neighbors vote for its class. SimCLR was trained on none of these digits and neighbors.
func (l *Lab) Contrast() []Features {
	c := l.Contrasted()
	from, to := 0, l.heldOut()
	half := (from + to) / 2
	a := l.allDigits()
	known, asked := mat.DenseCopyOf(a.X.Slice(from, half, 0, Side*Side)), mat.DenseCopyOf(a.X.Slice(half, to, 0, Side*Side))
	views := icon.Digits(Side).Views(asked, Side, Side, l.Seed+100)
	disturbed := mat.DenseCopyOf(views.Slice(0, to-half, 0, Side*Side))
	raw := icon.NewEncoder(l.Seed, 1, c.Net.Sizes...)
	var out []Features
	share := map[string][2]float64{}
	for _, f := range []struct {
		what string
		of   func(*mat.Dense) *mat.Dense
	}{
		{"pixels", func(X *mat.Dense) *mat.Dense { return X }},
		{"untrained network", func(X *mat.Dense) *mat.Dense { return unit(raw.Transform(X)) }},
		{"network trained by SimCLR", func(X *mat.Dense) *mat.Dense { return unit(c.Net.Transform(X)) }},
	} {
		K := f.of(known)
		_, numbers := K.Dims()
		clean := votes(K, a.Labels[from:half], f.of(asked), a.Labels[half:to], 5, nil)
		noisy := votes(K, a.Labels[from:half], f.of(disturbed), a.Labels[half:to], 5, nil)
		share[f.what] = [2]float64{clean, noisy}
		out = append(out, Features{f.what, numbers, fmt.Sprintf("%.1f %%", 100*clean), fmt.Sprintf("%.1f %%", 100*noisy)})
	}
	data := record.Data{Name: fmt.Sprintf("%d %s, neighbors among %d others", to-half, a.Name, half-from), Generated: !a.Real}
	pixels, learned := share["pixels"], share["network trained by SimCLR"]
	l.Row(record.Row{
		ID: "simclr-disturbed", What: "5-nearest-neighbor accuracy on distorted digits: SimCLR features minus pixels",
		Measured: record.Number(100*(learned[1]-pixels[1]), "points"), Rule: record.AtLeast(1), Data: data, Figure: "simclr", Repeat: 1,
		Reason: fmt.Sprintf("%.1f versus %.1f %%. SimCLR trains the features to ignore the differences between views", 100*learned[1], 100*pixels[1]),
	})
	l.Row(record.Row{
		ID: "simclr-clean", What: "5-nearest-neighbor accuracy on undistorted digits: SimCLR features minus pixels",
		Measured: record.Number(100*(learned[0]-pixels[0]), "points"), Rule: record.AtLeast(-5), Data: data, Figure: "simclr", Repeat: 1,
		Reason: fmt.Sprintf("%.1f versus %.1f %%", 100*learned[0], 100*pixels[0]),
	})
	h := c.History
	var x, y []float64
	for i, s := range h {
		x, y = append(x, float64(i)), append(y, s.Loss)
	}
	chance := math.Log(float64(2*l.Pick(64, 128, 256) - 1))
	l.Row(record.Row{
		ID: "simclr-loss", What: "loss of the last batch (N digits, two views each) as a percentage of log(2N − 1), the loss of guessing",
		Measured: record.Number(100*h[len(h)-1].Loss/chance, "%"), Rule: record.AtMost(75), Data: record.Data{Name: a.Name, Generated: !a.Real}, Figure: "simclr", Repeat: 2,
	})
	f := figure.New("SimCLR: loss of each batch", "step", "nats").Lines("", x, y)
	f.Use(figure.Black).HLine("guessing among 2N − 1", chance)
	f.Y.Min = 0
	order := lab.Order{Names: []string{"distorted digits by SimCLR features", "distorted digits by pixels"}, Values: [][]float64{{100 * learned[1], 100 * pixels[1]}}, Places: []string{""}, Unit: "%", Data: data}
	l.Save("simclr", fmt.Sprintf("Each step draws new views, so no two steps use the same pictures. Data: %v.%s", record.Data{Name: a.Name, Generated: !a.Real}, order.Note()), f)
	l.contrast = f
	return out
}

// ContrastLoss draws the loss of SimCLR's network during training.
func (l *Lab) ContrastLoss() *figure.Figure {
	if l.contrast == nil {
		l.Contrast()
	}
	return l.contrast
}

// votes returns the share of the rows of Q (m×d) whose own label wins the vote of their k nearest rows of K (n×d). The
// slice yK holds the labels of the rows of K; the slice yQ holds those of the rows of Q. In a tie the label of the
// nearer row wins. Row self[i] of K is the same point as row i of Q and does not vote; self is nil if no row of K is a
// row of Q. The cost is O(n m d) operations, and only the distances of 256 rows of Q are held at a time.
func votes(K *mat.Dense, yK []int, Q *mat.Dense, yQ []int, k int, self []int) float64 {
	n, d := K.Dims()
	m, _ := Q.Dims()
	square := make([]float64, n)
	for j := range n {
		square[j] = mat.Dot(K.RowView(j), K.RowView(j))
	}
	const block = 256
	hits := 0
	for from := 0; from < m; from += block {
		to := min(from+block, m)
		var D mat.Dense
		D.Mul(Q.Slice(from, to, 0, d), K.T()) // block×d · d×n
		for i := from; i < to; i++ {
			row := D.RawRowView(i - from)
			near := make([]int, 0, k+1)
			dist := make([]float64, 0, k+1)
			for j, p := range row {
				v := square[j] - 2*p
				if self != nil && self[i] == j {
					continue
				}
				if len(near) == k && v >= dist[k-1] {
					continue
				}
				at := len(near)
				for at > 0 && dist[at-1] > v {
					at--
				}
				near, dist = append(near, 0), append(dist, 0)
				copy(near[at+1:], near[at:])
				copy(dist[at+1:], dist[at:])
				near[at], dist[at] = j, v
				if len(near) > k {
					near, dist = near[:k], dist[:k]
				}
			}
			count := map[int]int{}
			for _, j := range near {
				count[yK[j]]++
			}
			best := yK[near[0]]
			for _, j := range near {
				if count[yK[j]] > count[best] {
					best = yK[j]
				}
			}
			if best == yQ[i] {
				hits++
			}
		}
	}
	return float64(hits) / float64(m)
}
