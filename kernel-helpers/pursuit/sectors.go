package pursuit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Sector is a cone in the plane in which basis pursuit always uses the same two columns, I and J. If
// coefficients may be negative, a sector also stands for its mirror image in the origin, where both
// coefficients change sign.
type Sector struct {
	I, J         int
	SignI, SignJ float64       // signs of s_I and s_J inside (not mirrored)
	Y            [2]float64    // the vertex of the dual polygon: sum w|s| = |Y'x| inside
	Inv          [2][2]float64 // (s_I, s_J)' = Inv (x_0, x_1)'
}

// Coefficients returns (s_I, s_J) for a signal in the sector.
func (s *Sector) Coefficients(x0, x1 float64) (si, sj float64) {
	return s.Inv[0][0]*x0 + s.Inv[0][1]*x1, s.Inv[1][0]*x0 + s.Inv[1][1]*x1
}

// Sectors solves basis pursuit for m = 2 exactly. By duality the optimal value is the maximum of y'x over the polygon
// |a_j'y| <= w_j (a_j'y <= w_j if s >= 0). The maximum is reached at a vertex, where two constraints meet, and their
// two columns are the active ones. The vertices depend only on A and w; there are at most n up to sign, and they are
// computed once, in O(n³). A signal then costs one scalar product per vertex.
type Sectors struct {
	N           int // columns of A
	NonNegative bool
	List        []Sector
	Norms       []float64 // of the columns (N)
}

var errParallel = errors.New("all parallel or zero")

// NewSectors computes the sectors of A (2×n) with weights w > 0 (nil: all 1). If coefficients may be negative and all
// columns are parallel or zero, there is no sector, and NewSectors returns an error.
//
// Some columns get no sector. Let each column be divided by its weight. A column gets no sector if it is inside the
// convex hull of 0 and the other columns; if coefficients may be negative, the hull also includes the negatives of the
// other columns. In particular, the shorter of two parallel columns gets no sector. Of identical columns the first is
// used. If three or more columns lie on one edge of the hull, only pairs of neighbors on the edge get a sector.
func NewSectors(a mat.Matrix, w []float64, nonNegative bool) (*Sectors, error) {
	return newSectors(context.Background(), a, w, nonNegative)
}

func newSectors(ctx context.Context, a mat.Matrix, w []float64, nonNegative bool) (*Sectors, error) {
	m, n := dims("NewSectors", "A", a)
	if m != 2 {
		panic(fmt.Sprintf("pursuit: NewSectors: A is %d×%d, but sectors are for 2 rows", m, n))
	}
	if err := checkMatrix("NewSectors", "A", a); err != nil {
		return nil, err
	}
	if w == nil {
		w = make([]float64, n)
		for j := range w {
			w[j] = 1
		}
	}
	if len(w) != n {
		panic(fmt.Sprintf("pursuit: NewSectors: %d weights for %d columns", len(w), n))
	}
	// Dividing each column by its weight makes all weights 1.
	c, long := make([][2]float64, n), make([]float64, n)
	for j := range c {
		if !(w[j] > 0) || math.IsInf(w[j], 0) {
			return nil, fmt.Errorf("pursuit: NewSectors: weight %d is %v, must be positive and finite", j, w[j])
		}
		c[j] = [2]float64{a.At(0, j) / w[j], a.At(1, j) / w[j]}
		long[j] = w[j] * math.Hypot(c[j][0], c[j][1])
	}
	out := &Sectors{N: n, NonNegative: nonNegative, List: make([]Sector, 0, n), Norms: long}
	const tol = 1e-11
	for i := range n {
		for j := i + 1; j < n; j++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, sg := range [2]float64{1, -1} {
				if sg < 0 && nonNegative {
					continue
				}
				u, v := c[i], [2]float64{sg * c[j][0], sg * c[j][1]}
				det := u[0]*v[1] - u[1]*v[0]
				// The test is relative to the terms, so that the scale of a row does not make columns
				// parallel.
				if math.Abs(det) <= 1e-13*(math.Abs(u[0]*v[1])+math.Abs(u[1]*v[0])) {
					continue
				}
				// y with u'y = 1 and v'y = 1.
				y := [2]float64{(v[1] - u[1]) / det, (u[0] - v[0]) / det}
				ok := true
				for k := range n {
					if k == i || k == j {
						continue
					}
					t := c[k][0]*y[0] + c[k][1]*y[1]
					if !nonNegative && t < 0 {
						t = -t
						if t > 1-tol && t <= 1+tol && isOnEdge(u, v, [2]float64{-c[k][0], -c[k][1]}, k, i, j) {
							ok = false
						}
					} else if t > 1-tol && t <= 1+tol && isOnEdge(u, v, c[k], k, i, j) {
						ok = false
					}
					if t > 1+tol {
						ok = false
					}
					if !ok {
						break
					}
				}
				if !ok {
					continue
				}
				wi, wj := 1/w[i], sg/w[j]
				out.List = append(out.List, Sector{
					I: i, J: j, SignI: 1, SignJ: sg, Y: y,
					Inv: [2][2]float64{
						{v[1] / det * wi, -v[0] / det * wi},
						{-u[1] / det * wj, u[0] / det * wj},
					},
				})
			}
		}
	}
	if len(out.List) == 0 && !nonNegative {
		return nil, fmt.Errorf("pursuit: NewSectors: the %d columns of A are %w", n, errParallel)
	}
	return out, nil
}

// isOnEdge reports whether the point q, known to lie on the line through u and v, makes the pair (u, v) redundant: q
// lies between u and v, or equals one of them and has a smaller column number. k, i and j are the column numbers of q,
// u and v.
func isOnEdge(u, v, q [2]float64, k, i, j int) bool {
	d := [2]float64{v[0] - u[0], v[1] - u[1]}
	t := ((q[0]-u[0])*d[0] + (q[1]-u[1])*d[1]) / (d[0]*d[0] + d[1]*d[1])
	const tol = 1e-9
	switch {
	case t < -tol || t > 1+tol:
		return false
	case t <= tol:
		return k < i
	case t >= 1-tol:
		return k < j
	}
	return true
}

// Find returns the sector of the signal x = (x0, x1). It returns nil if x is 0, or if coefficients must not be
// negative and x is outside the cone of the columns.
func (sc *Sectors) Find(x0, x1 float64) *Sector {
	if x0 == 0 && x1 == 0 {
		return nil
	}
	best := -1
	var bv float64
	if !sc.NonNegative {
		for k := range sc.List {
			y := &sc.List[k].Y
			if v := math.Abs(y[0]*x0 + y[1]*x1); v > bv {
				best, bv = k, v
			}
		}
		if best < 0 {
			return nil
		}
		// At a vertex shared by several pairs (three columns on one edge) the value does not distinguish
		// them, but the signs of the coefficients do.
		s := &sc.List[best]
		if s.inside(x0, x1) >= 0 {
			return s
		}
		top := s.inside(x0, x1)
		for k := range sc.List {
			y := &sc.List[k].Y
			if math.Abs(y[0]*x0+y[1]*x1) >= bv*(1-1e-12) {
				if t := sc.List[k].inside(x0, x1); t > top {
					best, top = k, t
				}
			}
		}
		return &sc.List[best]
	}
	// Inside the cone some pair has both coefficients >= 0.
	top := math.Inf(-1)
	for k := range sc.List {
		s := &sc.List[k]
		a, b := s.Coefficients(x0, x1)
		if sc.Norms != nil { // coefficients for columns of length 1
			a, b = a*sc.Norms[s.I], b*sc.Norms[s.J]
		}
		if t := min(a, b) / (math.Abs(a) + math.Abs(b)); t > top {
			best, top = k, t
		}
	}
	if best < 0 || top < -1e-12 {
		return nil
	}
	return &sc.List[best]
}

// inside returns the smaller of the two coefficients of x = (x0, x1), each multiplied by its sign in the sector or, for
// a mirrored x, in the mirror image. The result is negative if x is outside the sector.
func (s *Sector) inside(x0, x1 float64) float64 {
	a, b := s.Coefficients(x0, x1)
	a, b = a*s.SignI, b*s.SignJ
	if s.Y[0]*x0+s.Y[1]*x1 < 0 {
		a, b = -a, -b
	}
	return min(a, b)
}
