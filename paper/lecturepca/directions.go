package lecturepca

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pca/pcaplot"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// ellipse draws n points of a Gaussian in the plane. The arguments long and short are the standard deviations along
// the longer and the shorter axis. The longer axis is at the given angle in degrees to the horizontal; in the
// lecture's drawings it is at 30 degrees.
func ellipse(n int, long, short, degrees float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0xe11))
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	X := mat.NewDense(n, 2, nil)
	for i := range n {
		a, b := long*rng.NormFloat64(), short*rng.NormFloat64()
		X.SetRow(i, []float64{2 + cos*a - sin*b, 1 + sin*a + cos*b})
	}
	return X
}

// Directions turns a line through the mean of a cloud of points. For each angle it shows the variance of the points
// along the line, and the loss: their mean squared distance from the line.
func (l *Lab) Directions() *figure.Grid {
	n := l.Pick(200, 500, 500)
	X := ellipse(n, 2, 0.7, 30, l.Seed)
	m := fit(l.Context(), X, nil)
	C := subtractMean(X)
	var deg, along, loss, sum []float64
	best, least := 0, 0
	for a := range 361 {
		t := float64(a) / 2
		sin, cos := math.Sincos(t * math.Pi / 180)
		v, r := 0.0, 0.0
		for i := range n {
			x, y := C.At(i, 0), C.At(i, 1)
			p := cos*x + sin*y
			v += p * p
			r += (x-p*cos)*(x-p*cos) + (y-p*sin)*(y-p*sin)
		}
		deg, along, loss, sum = append(deg, t), append(along, v/float64(n)), append(loss, r/float64(n)), append(sum, (v+r)/float64(n))
		if v > along[best]*float64(n) {
			best = a
		}
		if r < loss[least]*float64(n) {
			least = a
		}
	}
	axis := math.Mod(math.Atan2(m.Components.At(1, 0), m.Components.At(0, 0))*180/math.Pi+180, 180)
	data := record.Generated(fmt.Sprintf("%d points of a Gaussian in the plane", n))
	heading := "Look for the direction in the original space"
	l.Row(record.Row{
		ID: "direction-loss-variance", What: "of 361 directions, the one with the lowest reconstruction loss is the one with the largest variance",
		Published: slides.Quote("Direction with lowest reconstruction loss, is the direction with maximal variance in the data", heading),
		Measured:  record.Bool(best == least, fmt.Sprintf("largest variance at %.1f degrees, lowest loss at %.1f; the first axis is at %.1f", deg[best], deg[least], axis)),
		Rule:      record.Holds(), Data: data, Figure: "directions",
	})
	l.Row(record.Row{
		ID: "direction-axis", What: "angle between the best of 361 directions and the first eigenvector",
		Measured: record.Number(math.Abs(deg[best]-axis), "degrees"), Rule: record.AtMost(0.26), Data: data, Figure: "directions", Repeat: 1e-6,
	})
	l.recursion()
	l.most()

	cloud := pcaplot.PrincipalAxes(m, "Points and their principal axes", X)
	cloud.Width, cloud.Height = 0, 0
	turn := figure.New("A line rotated about the mean", "angle of the line, degrees", "mean square")
	turn.Lines("variance along the line", deg, along).Lines("loss", deg, loss).Dashed("sum", deg, sum)
	turn.Use(figure.Black).VLine("first axis", axis)
	turn.Y.Min = 0
	g := figure.NewGrid("Lowest loss coincides with largest variance", 2, cloud, turn).Size(3.6, 3.4)
	l.Save("directions", "By the Pythagorean theorem, the variance along a line and the mean squared distance from it sum to a constant. So the loss is lowest where the variance is largest: along the first eigenvector.", g)
	return g
}

// recursion finds one direction of largest variance after another, removes each from the data before it looks for the
// next, and compares the result with the eigenvectors.
func (l *Lab) recursion() {
	n, d := l.Pick(100, 400, 400), 6
	rng := rand.New(rand.NewPCG(l.Seed, 0x6ec))
	X := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			X.Set(i, j, rng.NormFloat64()/float64(1+j)+0.3*X.At(i, max(0, j-1)))
		}
	}
	m := fit(l.Context(), X, nil)
	left := subtractMean(X)
	Q := mat.NewDense(d, d, nil)
	for j := range d {
		// Find the best single direction in the residual, by power iteration.
		S, err := pca.Scatter(left)
		lab.Check(err)
		q := mat.NewVecDense(d, nil)
		for i := range d {
			q.SetVec(i, rng.NormFloat64())
		}
		for range 3000 {
			var next mat.VecDense
			next.MulVec(S, q)
			next.ScaleVec(1/mat.Norm(&next, 2), &next)
			q.CopyVec(&next)
		}
		Q.SetCol(j, q.RawVector().Data)
		// Remove it from every point.
		var p mat.VecDense
		p.MulVec(left, q)
		for i := range n {
			for c := range d {
				left.Set(i, c, left.At(i, c)-p.AtVec(i)*q.AtVec(c))
			}
		}
	}
	worst, skew := 0.0, 0.0
	for j := range d {
		one := Q.Slice(0, d, j, j+1)
		worst = math.Max(worst, pca.LargestAngle(one, m.Components.Slice(0, d, j, j+1)))
		for k := range j {
			skew = math.Max(skew, math.Abs(mat.Dot(Q.ColView(j), Q.ColView(k))))
		}
	}
	l.Row(record.Row{
		ID: "direction-recursion", What: "directions found one after another, each in the residual of the previous ones: largest angle to the eigenvectors",
		Published: slides.Quote("2nd direction should be orthogonal to the first and be direction of most variance subject to that constraint", "Recursively apply this idea"),
		Measured:  record.Bool(worst < 1e-3 && skew < 1e-8, fmt.Sprintf("%.1g degrees; cosines between the directions at most %.1g", worst, skew)),
		Rule:      record.Holds(), Data: record.Generated(fmt.Sprintf("%d points in %d dimensions", n, d)),
	})
}

// most adds a row that answers a question of the slides: in how many orthogonal directions can n points in d
// dimensions have variance? The number is at most d and at most n − 1.
func (l *Lab) most() {
	rng := rand.New(rand.NewPCG(l.Seed, 0x305))
	rank := func(n, d int) int {
		X := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				X.Set(i, j, rng.NormFloat64())
			}
		}
		f, err := pca.ThinSVD(subtractMean(X))
		lab.Check(err)
		return f.Rank(0)
	}
	many, few := rank(50, 7), rank(5, 7)
	l.Row(record.Row{
		ID: "directions-at-most-d", What: "number of orthogonal directions with nonzero variance: 50 points and 5 points in 7 dimensions",
		Published: slides.Quote("What's the maximum number of such directions we can find?", "Recursively apply this idea"),
		Measured:  record.Bool(many == 7 && few == 4, fmt.Sprintf("%d for 50 points (d = 7), %d for 5 points (n − 1 = 4)", many, few)),
		Rule:      record.Holds(), Data: record.Generated("Gaussian points"),
		Reason: "at most d, since more cannot be mutually orthogonal, and at most n − 1, since the centered points sum to zero",
	})
}
