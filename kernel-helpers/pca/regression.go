package pca

import (
	"context"
	"fmt"
	"math"

	"overcomplete/internal/finite"

	"gonum.org/v1/gonum/mat"
)

// A Line is a line through the mean of points in the plane.
type Line struct {
	Name string
	// Slope is dy/dx; ±Inf for a vertical line.
	Slope float64
	// Vertical, Horizontal and Orthogonal are mean squared residuals, measured along y,
	// along x and at right angles to the line.
	Vertical, Horizontal, Orthogonal float64
}

// Lines holds three lines that fit points (x, y). All three go through the mean of the points.
type Lines struct {
	X, Y float64 // the mean
	YonX Line    // least squares of y − (a + bx): minimizes Vertical
	XonY Line    // least squares of x − (a + by): minimizes Horizontal
	TLS  Line    // the first principal axis, total least squares: minimizes Orthogonal
}

// String returns a one-line summary.
func (l *Lines) String() string {
	return fmt.Sprintf("lines through (%.4g, %.4g) with slopes %.4g (y on x), %.4g (x on y) and %.4g (total least squares)",
		l.X, l.Y, l.YonX.Slope, l.XonY.Slope, l.TLS.Slope)
}

// FitLines fits three lines to the points that are the rows of P (n×2). With the centered sums Sxx, Sxy and Syy, YonX
// has the slope Sxy/Sxx, XonY has Syy/Sxy, and TLS has that of the first eigenvector. If x and y are correlated and
// the points are not collinear, the absolute slope of TLS is between those of YonX and XonY; that of YonX is the
// smallest.
//
// FitLines returns an error if P is not n×2 with n >= 2 and finite elements, if x or y does not vary, or if Sxy = 0:
// then the lines are parallel to the coordinate axes, and there is nothing to compare.
func FitLines(P mat.Matrix) (*Lines, error) {
	n, d, err := dims("P", P)
	if err != nil {
		return nil, fmt.Errorf("pca: FitLines: %w", err)
	}
	if d != 2 {
		return nil, fmt.Errorf("pca: FitLines: P is %d×%d, not n×2", n, d)
	}
	if n < 2 {
		return nil, fmt.Errorf("pca: FitLines: %d points do not determine a line", n)
	}
	data := finite.AsDense(P)
	mean, _, err := moments(context.Background(), data, false)
	if err != nil {
		return nil, fmt.Errorf("pca: FitLines: %w", err)
	}
	S, err := scatter(context.Background(), data, mean, nil)
	if err != nil {
		return nil, fmt.Errorf("pca: FitLines: %w", err)
	}
	sxx, sxy, syy := S.At(0, 0), S.At(0, 1), S.At(1, 1)
	if sxx == 0 || syy == 0 || sxy == 0 {
		return nil, fmt.Errorf("pca: FitLines: Sxx = %v, Sxy = %v, Syy = %v: x and y must vary and be correlated", sxx, sxy, syy)
	}
	// b is the tangent of the angle of the first eigenvector.
	h := (syy - sxx) / 2
	r := math.Hypot(h, sxy)
	tls := (h + r) / sxy
	if h < 0 { // the same value without cancellation
		tls = sxy / (r - h)
	}
	line := func(name string, b float64) Line {
		v := syy - 2*b*sxy + b*b*sxx // Σ (y − bx)²
		v = math.Max(0, v) / float64(n)
		return Line{name, b, v, v / (b * b), v / (1 + b*b)}
	}
	return &Lines{
		X: mean[0], Y: mean[1],
		YonX: line("y on x", sxy/sxx),
		XonY: line("x on y", syy/sxy),
		TLS:  line("first principal axis", tls),
	}, nil
}

// At returns the y of the line at the given x. (x0, y0) is the mean, through which the line goes.
func (l Line) At(x, x0, y0 float64) float64 { return y0 + l.Slope*(x-x0) }
