package lecturepca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/record"
)

// roll draws n points (t cos t, h, t sin t) of a rolled-up sheet in space, with random t and h. It also returns each
// point's place on the sheet, in two results: along (the arc lengths from the inner edge) and across (the values of h).
func roll(n int, seed uint64) (X *mat.Dense, along, across []float64) {
	rng := rand.New(rand.NewPCG(seed, 0x7011))
	X = mat.NewDense(n, 3, nil)
	arc := func(t float64) float64 { return (t*math.Sqrt(1+t*t) + math.Asinh(t)) / 2 }
	from, to := 1.5*math.Pi, 4*math.Pi
	for i := range n {
		// Uniform on the sheet: draw the arc length, and find t by bisection.
		s := arc(from) + (arc(to)-arc(from))*rng.Float64()
		lo, hi := from, to
		for range 50 {
			if mid := (lo + hi) / 2; arc(mid) < s {
				lo = mid
			} else {
				hi = mid
			}
		}
		h := 20 * rng.Float64()
		X.SetRow(i, []float64{lo * math.Cos(lo), h, lo * math.Sin(lo)})
		along, across = append(along, s-arc(from)), append(across, h)
	}
	return X, along, across
}

// flat draws n points of a tilted plane in space, and adds independent normal noise with the given standard deviation
// to each coordinate.
func flat(n int, noise float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0xf1a7))
	X := mat.NewDense(n, 3, nil)
	u, v := []float64{0.8, 0.3, 0.5}, []float64{-0.4, 0.9, 0.2}
	for i := range n {
		a, b := 4*rng.Float64()-2, 4*rng.Float64()-2
		for j := range 3 {
			X.Set(i, j, 1+a*u[j]+b*v[j]+noise*rng.NormFloat64())
		}
	}
	return X
}

// Manifold draws points in space that are each described by two numbers: if the
// points lie on a plane, PCA finds these numbers; if they lie on a rolled
// sheet, it cannot.
func (l *Lab) Manifold() *figure.Grid {
	n := l.Pick(300, 1000, 1000)
	P := flat(n, 0, l.Seed)
	plane := fit(l.Context(), P, nil)
	hyp := "The \"manifold hypothesis\""
	l.Row(record.Row{
		ID: "plane-two-coordinates", What: "points of a plane in space: residual of the projection onto two principal axes, as a fraction of ‖X̄‖",
		Published: slides.Quote("could uniquely describe each point with just 2 coordinates", "e.g. of Dimensionality reduction"),
		Measured:  record.Bool(plane.Loss(P, 2) < 1e-12*math.Sqrt(plane.Total), fmt.Sprintf("%.1g", plane.Loss(P, 2)/math.Sqrt(plane.Total))),
		Rule:      record.Holds(), Data: record.Generated(fmt.Sprintf("%d points of a tilted plane", n)), Figure: "manifold",
	})
	X, along, across := roll(n, l.Seed)
	m := fit(l.Context(), X, nil)
	local := localShare(l.Context(), X, 12)
	data := record.Generated(fmt.Sprintf("%d points of a rolled sheet in space", n))
	l.Row(record.Row{
		ID: "manifold-local", What: "rolled sheet, neighborhoods of 12 points: mean share of the variance explained by 2 of 3 axes",
		Published: slides.Quote("a space that locally feels like a Euclidean space", hyp),
		Measured:  record.Number(100*local, "%"), Rule: record.AtLeast(97), Data: data, Figure: "manifold", Repeat: 1e-3,
	})
	l.Row(record.Row{
		ID: "manifold-global", What: "the whole rolled sheet: share of the variance explained by 2 of 3 axes (PCA does not unroll it)",
		Measured: record.Number(100*m.Explained(2), "%"), Rule: record.AtMost(90), Data: data, Figure: "manifold", Repeat: 1e-3,
	})

	Z := m.Scores(X)
	a := figure.New("The sheet in space, oblique view", "", "")
	b := figure.New("Scores on two axes", "", "")
	c := figure.New("Unrolled", "", "")
	// Five stripes along the sheet, each in its own color.
	const stripes = 5
	span := slices.Max(along) * (1 + 1e-12)
	for s := range stripes {
		var px, py, zx, zy, ux, uy []float64
		for i := range n {
			if int(stripes*along[i]/span) != s {
				continue
			}
			x, y, z := X.At(i, 0), X.At(i, 1), X.At(i, 2)
			px, py = append(px, x+0.45*y), append(py, z+0.3*y)
			zx, zy = append(zx, Z.At(i, 0)), append(zy, Z.At(i, 1))
			ux, uy = append(ux, along[i]), append(uy, across[i])
		}
		a.Scatter("", px, py)
		b.Scatter("", zx, zy)
		c.Scatter("", ux, uy)
	}
	for _, f := range []*figure.Figure{a, b, c} {
		f.Equal = true
	}
	g := figure.NewGrid("Points in space described by two numbers", 3, a, b, c)
	l.Save("manifold", "The sheet is two-dimensional, and each small piece is nearly flat. The best plane for the whole sheet is nearly perpendicular to the roll's axis, so points from one edge of the sheet land on points from the opposite edge (middle). Methods that follow the sheet would find the picture on the right; PCA is linear and does not.", g)
	return g
}

// localShare returns how flat the data are locally: for each point, the share of variance that two principal axes
// explain among the k points nearest to it (itself included), averaged over all points.
func localShare(ctx context.Context, X *mat.Dense, k int) float64 {
	n, _ := X.Dims()
	sum := 0.0
	order := make([]int, n)
	dist := make([]float64, n)
	for i := range n {
		for j := range n {
			order[j] = j
			dist[j] = 0
			for c := range 3 {
				d := X.At(i, c) - X.At(j, c)
				dist[j] += d * d
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if dist[a] < dist[b] {
				return -1
			}
			return 1
		})
		near := mat.NewDense(k, 3, nil)
		for r, j := range order[:k] {
			near.SetRow(r, X.RawRowView(j))
		}
		sum += fit(ctx, near, &pca.Options{Method: pca.BySVD}).Explained(2)
	}
	return sum / float64(n)
}
