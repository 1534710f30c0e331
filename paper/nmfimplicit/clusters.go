package nmfimplicit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// blocks returns a matrix A (n×d) with noise and k diagonal blocks of ones, of unequal sizes. Its rows and columns are
// in random order; blocks also returns the block of each row and of each column.
func blocks(rng *rand.Rand, n, d, k int, noise float64) (A *mat.Dense, rows, columns []int) {
	label := func(n int) []int {
		v := make([]int, n)
		for i := range v {
			v[i] = i % k
			if i%7 == 0 { // block 0 is larger
				v[i] = 0
			}
		}
		rng.Shuffle(n, func(i, j int) { v[i], v[j] = v[j], v[i] })
		return v
	}
	rows, columns = label(n), label(d)
	A = mat.NewDense(n, d, nil)
	A.Apply(func(i, j int, _ float64) float64 {
		v := noise * math.Abs(rng.NormFloat64())
		if rows[i] == columns[j] {
			v++
		}
		return v
	}, A)
	return A, rows, columns
}

// indicator returns the normalized indicator matrix of a clustering, r×k, for r labels from 0 to k−1. Column c has
// 1/√(size of cluster c) in the rows with label c and 0 elsewhere, so the columns are orthonormal. No cluster may be
// empty.
func indicator(label []int, k int) *mat.Dense {
	count := make([]float64, k)
	for _, c := range label {
		count[c]++
	}
	U := mat.NewDense(len(label), k, nil)
	for i, c := range label {
		U.Set(i, c, 1/math.Sqrt(count[c]))
	}
	return U
}

func means(ctx context.Context, X mat.Matrix, k int, seed uint64) *kmeans.Model {
	return must.Get(kmeans.Fit(ctx, X, &kmeans.Options{K: k, Seed: seed, Restarts: 20}))
}

// equivalent is the post's sentence on K-means.
const equivalent = "Note that NMF (nonnegative matrix factorization) is equivalent to K-means clustering on a bipartite graph (where nodes correspond to both samples and features), with relaxation that allows soft assignments to the K clusters(Ding et al.)."

// groups is the number of clusters in Clusters, for blocks and for parts.
const groups = 4

// Clusters compares NMF with K-means, and shows where they agree and where they do not.
func (l *Lab) Clusters() *figure.Grid {
	rng := l.stream(4)
	n, d := l.Pick(40, 80, 80), l.Pick(30, 60, 60)
	l.clusterIdentities(rng, n, d)
	clean := l.clusterBlocks(rng, n, d)
	general := l.clusterPlane(rng)
	l.clusterOverlap(rng, n, clean.columns)
	return l.clustersFigure(clean, general)
}

// clusterIdentities adds two rows that compare the objectives of NMF and K-means on random clusterings. If the factors
// of NMF are indicator matrices, the two objectives are equal, whatever the clusters are.
func (l *Lab) clusterIdentities(rng *rand.Rand, n, d int) {
	const k = groups
	X := drawSparse(rng, n, d, 0.3)
	off, graph := 0.0, 0.0
	for range 20 {
		rows, columns := partition(rng, n, k), partition(rng, d, k)
		U, W := indicator(rows, k), indicator(columns, k)
		var UUA mat.Dense
		UUA.Mul(product(U, U), X)
		UUA.Sub(X, &UUA)
		e := mat.Norm(&UUA, 2)
		off = math.Max(off, math.Abs(e*e/inertia(X, rows, k)-1))
		// The same on the graph with the n + d nodes of rows and columns: kernel K-means
		// with B = [0 A; A' 0] and H = [U; W]/√2 maximizes tr H'BH = tr U'AW.
		B, H := mat.NewDense(n+d, n+d, nil), mat.NewDense(n+d, k, nil)
		B.Slice(0, n, n, n+d).(*mat.Dense).Copy(X)
		B.Slice(n, n+d, 0, n).(*mat.Dense).Copy(X.T())
		H.Slice(0, n, 0, k).(*mat.Dense).Scale(math.Sqrt(0.5), U)
		H.Slice(n, n+d, 0, k).(*mat.Dense).Scale(math.Sqrt(0.5), W)
		var BH, HBH mat.Dense
		BH.Mul(B, H)
		HBH.Mul(H.T(), &BH)
		size := mat.Norm(X, 2)
		want := size*size + k - 2*mat.Trace(&HBH)
		graph = math.Max(graph, math.Abs(2*loss(X, U, W)/want-1))
	}
	l.Row(record.Row{
		ID: "kmeans-identity", What: "‖A − UU'A‖² equals the K-means objective if the columns of U are normalized cluster indicators: largest relative difference in 20 random clusterings",
		Published: post.Quote(equivalent, motivation),
		Measured:  record.Bool(off < 1e-12, fmt.Sprintf("%.1g", off)), Rule: record.Holds(), Data: record.Generated(fmt.Sprintf("a %d × %d matrix", n, d)),
		Reason: "this is the precise form: K-means is the factorization with W = A'U over all U ≥ 0 with U'U = I and UU'1 = 1. Only normalized indicators satisfy these constraints",
	})
	l.Row(record.Row{
		ID: "bipartite-identity", What: "‖A − UW'‖² equals ‖A‖² + k − 2 tr H'BH (kernel K-means on the bipartite graph) if U and W are normalized indicators: largest relative difference in 20 random clusterings",
		Published: post.Quote(equivalent, motivation),
		Measured:  record.Bool(graph < 1e-12, fmt.Sprintf("%.1g", graph)), Rule: record.Holds(), Data: record.Generated(fmt.Sprintf("a %d × %d matrix", n, d)),
		Reason: "this holds for U'U = I and W'W = I (C. Ding, X. He and H. Simon, SIAM Data Mining 2005): orthogonal nonnegative columns cannot overlap, so they define clusters. Without orthogonality the assignments are soft, and the objectives are no longer equal",
	})
}

// A blockCase holds a matrix of noisy blocks, the true block of each of its columns, and the NMF fitted to the matrix.
type blockCase struct {
	A       *mat.Dense
	columns []int // the block of each column
	fit     *nmf.Model
}

// clusterBlocks generates a matrix of noisy blocks, for which NMF and K-means should find the same clusters. It adds a
// row that says whether they do, and returns the matrix with its factorization.
func (l *Lab) clusterBlocks(rng *rand.Rand, n, d int) blockCase {
	const k = groups
	A, rows, columns := blocks(rng, n, d, k, 0.15)
	r := fit(l.Context(), A, &nmf.Options{Components: k, MaxIterations: 1000})
	byRows, byColumns := means(l.Context(), A, k, l.Seed), means(l.Context(), A.T(), k, l.Seed)
	all := []float64{
		kmeans.AdjustedRand(r.RowClusters(), rows), kmeans.AdjustedRand(r.ColumnClusters(), columns),
		kmeans.AdjustedRand(r.RowClusters(), byRows.Labels), kmeans.AdjustedRand(r.ColumnClusters(), byColumns.Labels),
	}
	l.Row(record.Row{
		ID: "kmeans-clean", What: fmt.Sprintf("%d noisy blocks: the NMF clusters of rows and columns match the blocks and the K-means clusters", k),
		Published: post.Quote(equivalent, motivation),
		Measured:  record.Bool(all[0] == 1 && all[1] == 1 && all[2] == 1 && all[3] == 1, fmt.Sprintf("adjusted Rand indices of rows and columns: %.2f and %.2f with the blocks, %.2f and %.2f with K-means", all[0], all[1], all[2], all[3])),
		Rule:      record.Holds(), Data: record.Generated(fmt.Sprintf("a %d × %d matrix of %d blocks", n, d, k)), Figure: "clusters",
	})
	return blockCase{A, columns, r}
}

// A planeCase holds points that have two directions and two lengths. It also holds two clusterings of the points:
// byNMF, which is by direction, and byKM, which is by length.
type planeCase struct {
	P           *mat.Dense
	byNMF, byKM []int
}

// clusterPlane generates points in two directions and of two lengths, which NMF clusters by direction and K-means by
// length. It adds a row that compares the two clusterings, and returns the points with both clusterings.
func (l *Lab) clusterPlane(rng *rand.Rand) planeCase {
	m := l.Pick(60, 200, 200)
	P := mat.NewDense(m, 2, nil)
	direction, length := make([]int, m), make([]int, m)
	for i := range m {
		direction[i], length[i] = i%2, i/2%2
		angle := (20 + 50*float64(direction[i]) + 3*rng.NormFloat64()) * math.Pi / 180
		size := 1 + 5*float64(length[i]) + 0.2*rng.NormFloat64()
		sin, cos := math.Sincos(angle)
		P.SetRow(i, []float64{size * cos, size * sin})
	}
	// After scaling, the columns of W are the two directions.
	f := fit(l.Context(), P, &nmf.Options{Components: 2, MaxIterations: 5000, Tolerance: 1e-12})
	km := means(l.Context(), P, 2, l.Seed)
	between := kmeans.AdjustedRand(f.RowClusters(), km.Labels)
	l.Row(record.Row{
		ID: "kmeans-general", What: "points in two directions and of two lengths, in 2 clusters: adjusted Rand index between NMF clusters and K-means clusters",
		Published: post.Quote(equivalent, motivation),
		Measured:  record.Value{Kind: record.KindNumber, Number: between, Text: fmt.Sprintf("with the true directions: NMF %.2f, K-means %.2f", kmeans.AdjustedRand(f.RowClusters(), direction), kmeans.AdjustedRand(km.Labels, direction))},
		Rule:      record.AtLeast(0.9), Data: record.Generated(fmt.Sprintf("%d points in the plane", m)), Figure: "clusters", Repeat: 0.02,
		Reason: "true as a relaxation: without orthogonality, the problems of rows kmeans-identity and bipartite-identity become NMF. But the optima of NMF may differ: a row of U may scale a column of W by any factor, so the length of a data row has no effect on its NMF cluster, whereas K-means measures the distance to a mean",
	})
	return planeCase{P, f.RowClusters(), km.Labels}
}

// clusterOverlap generates a matrix whose rows are sums of two parts, and adds a row that compares the errors of NMF
// and K-means on it. columns[j] is the part to which column j of the matrix belongs.
func (l *Lab) clusterOverlap(rng *rand.Rand, n int, columns []int) {
	const k = groups
	d := len(columns)
	over := product(mixtures(rng, n, k), indicator(columns, k))
	over.Apply(func(_, _ int, v float64) float64 { return v + 0.01*math.Abs(rng.NormFloat64()) }, over)
	o := fit(l.Context(), over, &nmf.Options{Components: k, MaxIterations: 1000})
	U, _ := o.Normalized()
	cosine := overlap(U)
	lossN, lossK := 2*o.Objective, means(l.Context(), over, k, l.Seed).Inertia
	l.Row(record.Row{
		ID: "kmeans-overlap", What: fmt.Sprintf("rows that are sums of two of %d parts: ‖A − UW'‖² of NMF as a fraction of the K-means inertia", k),
		Measured: record.Number(lossN/lossK, ""), Rule: record.AtMost(0.5), Data: record.Generated(fmt.Sprintf("a %d × %d matrix", n, d)),
		Reason: fmt.Sprintf("the gain comes from soft assignments; the largest cosine between two columns of U is %.2f", cosine), Repeat: 0.01,
	})
}

func (l *Lab) clustersFigure(clean blockCase, general planeCase) *figure.Grid {
	A, r, P := clean.A, clean.fit, general.P
	n, d := A.Dims()
	shown := func(title string, byRow, byColumn []int) *figure.Figure {
		h := figure.Heatmap(title, sortByLabel(A, byRow, byColumn))
		h.X.Label.Text, h.Y.Label.Text = "columns", "rows"
		return h
	}
	index := func(n int) []int { return make([]int, n) }
	cloud := func(title string, label []int) *figure.Figure {
		c := figure.New(title, "", "")
		for v := range 2 {
			var x, y []float64
			for i, c := range label {
				if c == v {
					x, y = append(x, P.At(i, 0)), append(y, P.At(i, 1))
				}
			}
			if len(x) > 0 {
				c.Scatter("", x, y)
			}
		}
		c.X.Min, c.Y.Min = 0, 0
		return c
	}
	g := figure.NewGrid("NMF and K-means", 2,
		shown("Original order", index(n), index(d)), shown("Sorted by NMF clusters", r.RowClusters(), r.ColumnClusters()),
		cloud("NMF clusters", general.byNMF), cloud("K-means clusters", general.byKM)).Size(3.3, 2.8)
	l.Save("clusters", "Top: a matrix of blocks, for which the two methods agree. Bottom: points in two directions and of two lengths, for which they do not.", g)
	return g
}

// partition draws n random labels from 0 to k−1. Each label occurs at least once.
func partition(rng *rand.Rand, n, k int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = rng.IntN(k)
		if i < k {
			v[i] = i
		}
	}
	return v
}

// inertia returns the objective of K-means for the rows of X, clustered by label: the sum of the squared distances
// from each row to the mean of its cluster.
func inertia(X *mat.Dense, label []int, k int) float64 {
	n, d := X.Dims()
	mean, count := mat.NewDense(k, d, nil), make([]float64, k)
	for i, c := range label {
		count[c]++
		for j := range d {
			mean.Set(c, j, mean.At(c, j)+X.At(i, j))
		}
	}
	sum := 0.0
	for i := range n {
		c := label[i]
		for j := range d {
			e := X.At(i, j) - mean.At(c, j)/count[c]
			sum += e * e
		}
	}
	return sum
}

// mixtures returns an n×k matrix with two ones in each row, at random positions, and zeros elsewhere.
func mixtures(rng *rand.Rand, n, k int) *mat.Dense {
	U := mat.NewDense(n, k, nil)
	for i := range n {
		p := rng.Perm(k)
		U.Set(i, p[0], 1)
		U.Set(i, p[1], 1)
	}
	return U
}

// overlap returns the largest cosine between two columns of U.
func overlap(U *mat.Dense) float64 {
	_, k := U.Dims()
	m := 0.0
	for a := range k {
		for b := range a {
			x, y := U.ColView(a), U.ColView(b)
			m = math.Max(m, mat.Dot(x, y)/(mat.Norm(x, 2)*mat.Norm(y, 2)))
		}
	}
	return m
}

// sortByLabel returns A with its rows and its columns in the order of their labels.
func sortByLabel(A *mat.Dense, rows, columns []int) *mat.Dense {
	order := func(label []int) []int {
		var v []int
		for c := range 64 {
			for i, x := range label {
				if x == c {
					v = append(v, i)
				}
			}
		}
		return v
	}
	r, c := order(rows), order(columns)
	out := mat.NewDense(len(r), len(c), nil)
	out.Apply(func(i, j int, _ float64) float64 { return A.At(r[i], c[j]) }, out)
	return out
}
