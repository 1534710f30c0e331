package iconframework

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// logits returns logits (n×k) that describe hard clusters. The softmax of a row is exactly 1 for the point's cluster
// and exactly 0 for the other clusters.
func logits(labels []int, k int) *mat.Dense {
	Z := mat.NewDense(len(labels), k, nil)
	for i, c := range labels {
		Z.Set(i, c, 1000)
	}
	return Z
}

// reverseIdentity adds rows about K-means with hard clusters and a Gaussian p of width σ. One says whether the loss is
// finite. Another says whether this identity holds for the loss with p and q exchanged:
//
//	Σ_i KL(q(·|i)‖p(·|i)) = J/σ² + Σ_i log Z_i − Σ_i log n_c(i).
//
// J is the inertia, Z_i is the sum that normalizes p(·|i), and n_c(i) is the size of the cluster of point i. The
// result is the relative difference between the two sides.
func (l *Lab) reverseIdentity(X *mat.Dense, labels []int) float64 {
	n, k := len(labels), 3
	const sigma = 0.8
	o := must.Get(icon.KMeans(X, k, sigma, -1, l.Seed))
	o.Params()[0].X.Copy(logits(labels, k))
	P, Q := o.Supervisory(), o.Learned()
	count := make([]float64, k)
	for _, c := range labels {
		count[c]++
	}
	left, right := 0.0, inertia(X, labels, k)/(sigma*sigma)
	infinite := 0
	for i := range n {
		Z, outside := 0.0, false
		for j := range n {
			Z += math.Exp(-squaredDistance(X, i, j) / (2 * sigma * sigma))
			switch q, p := Q.At(i, j), P.At(i, j); {
			case q > 0:
				left += q * math.Log(q/p)
			case p > 0:
				outside = true // p log(p/0)
			}
		}
		if outside {
			infinite++
		}
		right += math.Log(Z) - math.Log(count[labels[i]])
	}
	data := record.Generated(fmt.Sprintf("%d points in 6 dimensions", n))
	rel := relativeError(left, right)
	l.Row(record.Row{
		ID: "instance-k-means-finite", What: "K-means with hard clusters in the post's loss as stated: points i with a finite KL(p(·|i)‖q(·|i))",
		Measured: record.Number(float64(n-infinite), fmt.Sprintf("of %d", n)), Rule: record.AtMost(0), Data: data,
		Reason: "p is Gaussian and q uniform within clusters, so q(j|i) = 0 < p(j|i) outside the cluster of i: the loss is infinite for every clustering into more than one cluster. Spreading a share ε of q over all points (or soft clusters) makes it finite, but in general it is not the inertia: for small ε a cut of the graph p dominates it (rows k-means-...)",
	})
	l.Row(record.Row{
		ID: "instance-k-means-exchanged", What: "p and q exchanged: Σ_i KL(q(·|i)‖p(·|i)) = J/σ² + Σ log Z_i − Σ log n_c(i), with J the inertia: relative error",
		Measured: record.Number(rel, ""), Rule: record.AtMost(1e-9), Data: data, Repeat: 1e-9,
		Reason: "so K-means is an instance of the reverse divergence, except for the term −Σ log n_c(i), which favors unequal cluster sizes",
	})
	l.Row(namedRow("k-means", "K-means", "p and q exchanged, up to a term in the cluster sizes", infinite == 0, rel < 1e-9, data))
	return rel
}

// A partition is one way to divide points between two clusters. The field equal is true if the clusters have the same
// size.
type partition struct {
	labels  []int
	equal   bool
	J, L, R float64 // inertia; loss; and, up to a constant, the loss with p and q exchanged
}

// partitions returns all ways to divide the rows of X between two clusters, with their losses for a Gaussian p of
// width sigma. The co-membership q is uniform within clusters, except that a share eps of it is spread over all
// points.
func partitions(X *mat.Dense, sigma, eps float64) []partition {
	n, _ := X.Dims()
	P := mat.NewDense(n, n, nil)
	for i := range n {
		z := 0.0
		for j := range n {
			P.Set(i, j, math.Exp(-squaredDistance(X, i, j)/(2*sigma*sigma)))
			z += P.At(i, j)
		}
		for j := range n {
			P.Set(i, j, P.At(i, j)/z)
		}
	}
	var out []partition
	for mask := 1; mask < 1<<(n-1); mask++ { // the last point is always in cluster 0
		p := partition{labels: make([]int, n)}
		count := [2]float64{}
		for i := range n {
			p.labels[i] = mask >> i & 1
			count[p.labels[i]]++
		}
		p.equal = count[0] == count[1]
		p.J = inertia(X, p.labels, 2)
		for i := range n {
			size := count[p.labels[i]]
			p.R -= math.Log(size)
			for j := range n {
				q, v := eps/float64(n), P.At(i, j)
				if v == 0 { // underflow: 0 log 0 is 0
					continue
				}
				if p.labels[i] == p.labels[j] {
					q += (1 - eps) / size
				}
				p.L += v * math.Log(v/q) / float64(n)
			}
		}
		p.R += p.J / (sigma * sigma)
		out = append(out, p)
	}
	return out
}

// best returns the partition for which f is least.
func best(ps []partition, f func(partition) float64) partition {
	b := ps[0]
	for _, p := range ps {
		if f(p) < f(b) {
			b = p
		}
	}
	return b
}

// KMeansLoss compares I-Con's loss with the inertia on every partition of ten points.
func (l *Lab) KMeansLoss() *figure.Grid {
	l.bestPartitionRows(l.bestPartitions())
	X := icon.Normal(ten, 2, 1, l.Seed+1000)
	x, y, labels := sharpenedLoss(X)
	l.cutRow(X, x, y, labels)
	return l.kMeansLossFigure(X, x, y)
}

// The number of points of KMeansLoss, and the ε of their co-membership q.
const (
	ten = 10
	eps = 0.01
)

func byJ(p partition) float64 { return p.J }

// A bestCounts holds the numbers of draws of points for which a loss and the inertia have the same best partition.
type bestCounts struct {
	draws  int
	same   map[string]int // by the width of p; with "exchanged" in the key, for the loss with p and q exchanged
	affine float64        // the largest deviation of the loss for a wide p from an affine function of the inertia
}

// bestPartitions draws ten points several times. For each draw it finds the best of all partitions by inertia and by
// each loss, and counts how often these agree. It also measures how far the loss for a wide p is from an affine
// function of the inertia, among partitions into clusters of equal size.
func (l *Lab) bestPartitions() *bestCounts {
	byL, byR := func(p partition) float64 { return p.L }, func(p partition) float64 { return p.R }
	b := &bestCounts{draws: l.Pick(20, 100, 400), same: map[string]int{}}
	for d := range b.draws {
		l.Heed()
		X := icon.Normal(ten, 2, 1, l.Seed+1000+uint64(d))
		for _, c := range []struct {
			name  string
			sigma float64
		}{{"sharp", 0.1}, {"narrow", 0.5}, {"wide", 100}} {
			ps := partitions(X, c.sigma, eps)
			lloyd := best(ps, byJ)
			if best(ps, byL).J == lloyd.J {
				b.same[c.name]++
			}
			if best(ps, byR).J == lloyd.J {
				b.same[c.name+" exchanged"]++
			}
			if c.name != "wide" {
				continue
			}
			var equal []partition
			for _, p := range ps {
				if p.equal {
					equal = append(equal, p)
				}
			}
			lo, hi := best(equal, byJ), best(equal, func(p partition) float64 { return -p.J })
			slope := (hi.L - lo.L) / (hi.J - lo.J)
			for _, p := range equal {
				b.affine = math.Max(b.affine, math.Abs((p.L-lo.L)/slope-(p.J-lo.J))/(hi.J-lo.J))
			}
			if slope <= 0 {
				b.affine = math.Inf(1)
			}
		}
	}
	return b
}

func (l *Lab) bestPartitionRows(b *bestCounts) {
	data := record.Generated(fmt.Sprintf("%d draws of %d points in the plane", b.draws, ten))
	share := func(name string) float64 { return 100 * float64(b.same[name]) / float64(b.draws) }
	l.Row(record.Row{
		ID: "k-means-affine", What: "wide p, two clusters of five: largest deviation of the loss from an increasing affine function of the inertia, as a fraction of the range",
		Measured: record.Number(b.affine, ""), Rule: record.AtMost(0.01), Data: data, Figure: "k-means-loss", Repeat: 1e-3,
	})
	l.Row(record.Row{
		ID: "k-means-same-best", What: "share of draws in which the loss (p of width 0.5) and the inertia are least for the same one of the 511 partitions",
		Published: post.Quote("Many representation learning approaches—including t-SNE, SimCLR, and K-Means clustering—can be understood as instances of the I-Con framework.", motivation),
		Measured:  record.Number(share("narrow"), "%"), Rule: record.AtLeast(100), Data: data, Figure: "k-means-loss", Repeat: 1,
		Reason: fmt.Sprintf("in general a different objective, even where both find the obvious clusters. At σ = 100: %.0f %%. With p and q exchanged (J/σ² − Σ log n_c(i) plus a constant): %.0f %% at σ = 0.5 and %.0f %% at σ = 0.1, where J dominates", share("wide"), share("narrow exchanged"), share("sharp exchanged")),
	})
}

// sharpenedLoss divides ten points into the two clusters with the least inertia, and returns their labels. It also
// returns a curve: y is the loss of these clusters if partitions is called with eps = ε. The coordinate x is log₁₀ 1/ε,
// from 1 to 12. As ε → 0, the loss grows as log 1/ε times the mass of p between the clusters.
func sharpenedLoss(X *mat.Dense) (x, y []float64, labels []int) {
	lloyd := best(partitions(X, 0.5, eps), byJ)
	for e := 1.0; e <= 12; e++ {
		for _, p := range partitions(X, 0.5, math.Pow(10, -e)) {
			if p.J == lloyd.J {
				x, y = append(x, e), append(y, p.L)
			}
		}
	}
	return x, y, lloyd.labels
}

// cutRow adds a row that compares the slope of the curve (x, y) of sharpenedLoss with the mass of p between the
// clusters.
func (l *Lab) cutRow(X *mat.Dense, x, y []float64, labels []int) {
	slope := (y[len(y)-1] - y[len(y)-2]) / math.Ln10
	P := must.Get(icon.GaussianP(X, 0.5, true)).P
	cut := 0.0
	for i := range ten {
		for j := range ten {
			if labels[i] != labels[j] {
				cut += P.At(i, j) / ten
			}
		}
	}
	l.Row(record.Row{
		ID: "k-means-cut", What: "as ε → 0 the loss grows as log 1/ε times the mass of p between the clusters: ratio of slope to mass",
		Measured: record.Number(slope/cut, ""), Rule: record.Between(0.999, 1.001), Data: record.Generated("10 points in the plane"), Figure: "k-means-loss", Repeat: 1e-6,
		Reason: fmt.Sprintf("the mass is %.4f. So for small ε the loss is dominated by a cut of the graph p, as in spectral clustering", cut),
	})
}

func (l *Lab) kMeansLossFigure(X *mat.Dense, x, y []float64) *figure.Grid {
	panel := func(title string, sigma float64) *figure.Figure {
		f := figure.New(title, "inertia J", "loss L")
		var x, y, ex, ey []float64
		ps := partitions(X, sigma, eps)
		for _, p := range ps {
			if p.equal {
				ex, ey = append(ex, p.J), append(ey, p.L)
			} else {
				x, y = append(x, p.J), append(y, p.L)
			}
		}
		if sigma < 1 { // for a wider p only the sizes matter, and they would hide the rest
			f.Use(figure.Gray).Scatter("unequal sizes", x, y)
		}
		f.Use(figure.Blue).Scatter("equal sizes", ex, ey)
		return f
	}
	f := figure.New("σ = 0.5: ε → 0", "1/ε", "loss L")
	inverse := make([]float64, len(x))
	for i := range x {
		inverse[i] = math.Pow(10, x[i])
	}
	f.Marked("clusters of least inertia", inverse, y).LogX()
	g := figure.NewGrid("I-Con's loss and the inertia of K-means", 3, panel("σ = 100", 100), panel("σ = 0.5", 0.5), f).Size(2.9, 2.6)
	l.Save("k-means-loss", "All 511 partitions of ten points in the plane into two clusters, ε = 0.01. Left: for a wide p and clusters of equal size, the loss is nearly linear in the inertia. (Unequal clusters are not shown: their loss is much lower, far outside the tiny range of this axis.) Middle: for a narrow p it is not, and the lowest point need not be the leftmost. Right: as ε → 0 the loss grows without bound.", g)
	return g
}

// Clustering is one clustering of the digits.
type Clustering struct {
	Way       string
	Inertia   string
	Loss      string // I-Con's loss of its hard clusters
	Matched   string // share of digits whose cluster is the one matched to their class
	Agreement string // adjusted Rand index with the other clustering
}

// KMeans clusters the digits in two ways: by Lloyd's algorithm, and by descent on I-Con's loss.
func (l *Lab) KMeans() []Clustering {
	s := l.digitSet()
	lloyd := must.Get(kmeans.Fit(l.Context(), s.Z, &kmeans.Options{K: 10, Seed: l.Seed}))
	var o *icon.Objective
	for _, e := range l.Embedded() {
		if e.Method == "K-means" {
			o = e.Objective
		}
	}
	mine := icon.Clusters(o.Params()[0].X)
	out := l.digitClusters(s, o, lloyd, mine)
	l.clearClusters()
	l.clusters = l.clusterMeans(s, lloyd.Labels, mine)
	return out
}

// digitClusters compares two clusterings of the digits: one by Lloyd's algorithm, and one by descent on I-Con's
// objective o. The argument mine holds the labels of the second.
func (l *Lab) digitClusters(s *Digits, o *icon.Objective, lloyd *kmeans.Model, mine []int) []Clustering {
	n, _ := s.Z.Dims()
	rand := kmeans.AdjustedRand(mine, lloyd.Labels)
	J := inertia(s.Z, mine, 10)
	loss := func(labels []int) float64 {
		p := o.Params()[0]
		before := mat.DenseCopyOf(p.X)
		defer p.X.Copy(before)
		p.X.Copy(logits(labels, 10))
		return o.Loss()
	}
	lossLloyd, lossMine := loss(lloyd.Labels), loss(mine)
	text := func(x float64) string { return fmt.Sprintf("%.4g", x) }
	percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
	out := []Clustering{
		{"Lloyd, 10 restarts", text(lloyd.Inertia), text(lossLloyd), percent(kmeans.MatchedAccuracy(lloyd.Labels, s.Labels)), fmt.Sprintf("%.2f", rand)},
		{"I-Con, by descent", text(J), text(lossMine), percent(kmeans.MatchedAccuracy(mine, s.Labels)), fmt.Sprintf("%.2f", rand)},
	}
	l.Row(record.Row{
		ID: "k-means-digits", What: fmt.Sprintf("%d digits in 10 clusters: inertia of I-Con's clusters divided by that of Lloyd's clusters", n),
		Measured: record.Number(J/lloyd.Inertia, ""), Rule: record.AtMost(1.3), Data: s.data(), Figure: "clusters", Repeat: 0.02,
		Reason: fmt.Sprintf("adjusted Rand index between the two: %.2f. I-Con's p gives weight only to near neighbors and ignores how far apart the members of a cluster are", rand),
	})
	l.Row(record.Row{
		ID: "k-means-digits-loss", What: "same digits: I-Con's loss of its own clusters minus its loss of Lloyd's clusters",
		Measured: record.Number(lossMine-lossLloyd, "nats"), Rule: record.AtMost(0), Data: s.data(), Figure: "clusters", Repeat: 0.05,
		Reason: "one descent from one start versus Lloyd's best of ten. A value above 0 would mean that I-Con ended in a local minimum that is worse, by its own loss, than Lloyd's clusters",
	})
	return out
}

// clearClusters adds the row on three well-separated clusters.
func (l *Lab) clearClusters() {
	X, labels, _ := l.small()
	X = mat.DenseCopyOf(X)
	for i, c := range labels {
		X.Set(i, c, X.At(i, c)+4)
	}
	ob := must.Get(icon.KMeans(X, 3, 2, 0, l.Seed))
	r := must.Get(icon.Minimize(l.Context(), ob, &icon.Options{Steps: 300, Rate: 0.1}))
	clear := kmeans.AdjustedRand(icon.Clusters(r.Embedding), must.Get(kmeans.Fit(l.Context(), X, &kmeans.Options{K: 3, Seed: l.Seed})).Labels)
	l.Row(record.Row{
		ID: "k-means-clear", What: "three well-separated clusters: adjusted Rand index between I-Con's and Lloyd's clusters",
		Published: post.Quote("Many representation learning approaches—including t-SNE, SimCLR, and K-Means clustering—can be understood as instances of the I-Con framework.", motivation),
		Measured:  record.Number(clear, ""), Rule: record.AtLeast(1), Data: record.Generated("30 points in 6 dimensions"),
		Reason: "same clusters from a different objective",
	})
}

// clusterMeans draws the mean digit of each cluster of both clusterings.
func (l *Lab) clusterMeans(s *Digits, lloyd, mine []int) *figure.Figure {
	means := mat.NewDense(20, Side*Side, nil)
	var captions []string
	for r, c := range [][]int{lloyd, matchLabels(mine, lloyd, 10)} {
		count := make([]float64, 10)
		for i, a := range c {
			count[a]++
			for p, v := range s.X.RawRowView(i) {
				means.Set(10*r+a, p, means.At(10*r+a, p)+v)
			}
		}
		for a := range 10 {
			for p := range Side * Side {
				if count[a] > 0 {
					means.Set(10*r+a, p, means.At(10*r+a, p)/count[a])
				}
			}
			captions = append(captions, fmt.Sprintf("%.0f", count[a]))
		}
	}
	f := gallery.Figure(means, Side, Side, &gallery.Options{Title: "Cluster means: Lloyd (top) and I-Con (bottom)", Columns: 10, Labels: captions, Grays: gallery.Range, Hi: 1})
	l.Save("clusters", fmt.Sprintf("Top: clusters of Lloyd's algorithm. Bottom: clusters of I-Con, each below the Lloyd cluster matched to it by overlap. Numbers: digits in each cluster. Data: %v.", s.data()), f)
	return f
}

// Clusters shows the means of the clusters of KMeans as pictures.
func (l *Lab) Clusters() *figure.Figure {
	if l.clusters == nil {
		l.KMeans()
	}
	return l.clusters
}

// matchLabels returns the clustering a with new labels: each of its clusters gets the label of a cluster of the
// clustering b, in descending order of overlap.
func matchLabels(a, b []int, k int) []int {
	overlap := mat.NewDense(k, k, nil)
	for i := range a {
		overlap.Set(a[i], b[i], overlap.At(a[i], b[i])+1)
	}
	name := make([]int, k)
	for range k {
		r, c := 0, 0
		for i := range k {
			for j := range k {
				if overlap.At(i, j) > overlap.At(r, c) {
					r, c = i, j
				}
			}
		}
		name[r] = c
		for i := range k {
			overlap.Set(r, i, -1)
			overlap.Set(i, c, -1)
		}
	}
	out := make([]int, len(a))
	for i, x := range a {
		out[i] = name[x]
	}
	return out
}
