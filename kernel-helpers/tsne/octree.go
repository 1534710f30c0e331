package tsne

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// A space computes the gradient of a map in three dimensions. One cell stands for many distant points, as in barnesHut,
// but the tree is an octree, and the arithmetic is in float64 and without assembly. The attraction is computed as in
// exactField.
type space struct {
	exactField
	tree  octree
	lists sync.Pool // of *spaceList
}

func newSpace(a *Affinities, theta float64, t team) *space {
	s := &space{exactField: exactField{Affinities: a, team: t, rep: make([]float64, 3*a.N), z: make([]float64, a.N)}, tree: octree{theta: theta, student: a.student()}}
	s.lists.New = func() any { return new(spaceList) }
	return s
}

// gradient is like exactField.gradient, but the repulsion and the Z in C are approximate.
func (s *space) gradient(y []float64, exaggeration float64, g []float64, withKL bool) float64 {
	t := &s.tree
	t.build(y)
	const crowds = strip / spaceCrowd
	strips(s.N, s.team, func(at, _, to int) {
		l := s.lists.Get().(*spaceList)
		for c := at * crowds; c < (at+1)*crowds && c*spaceCrowd < to; c++ {
			from, end := c*spaceCrowd, min(to, (c+1)*spaceCrowd)
			l.walk(t, from, end)
			for k := from; k < end; k++ {
				l.repel(t, k, &s.exactField)
			}
		}
		s.lists.Put(l)
	})
	s.attract(y, exaggeration, g)
	if !withKL {
		return math.NaN()
	}
	return s.attraction(y, s.team) + math.Log(total(s.z))
}

// spaceCrowd is the number of points that share one traversal of the tree; see crowd.
const spaceCrowd = 16

// A spaceCell is a cell of the octree; see node.
type spaceCell struct {
	at             [3]float64 // center of mass
	mass           float64
	reach          float64 // (s/θ)²
	from, to, skip int32
}

// An octree is a tree over points in three dimensions. The points are sorted along the Morton curve, so that a
// cell is a range of points. The cells are in one array in preorder, as in the type tree.
type octree struct {
	order []int32   // n, point numbers along the curve
	pos   []float64 // 3n, in that order
	cells []spaceCell

	theta   float64
	student student
	places  []spacePlace
}

// A spacePlace is a point and its code on the Morton curve, with 3 bits per level. The codes give the order of the
// points.
type spacePlace struct {
	code  uint64
	point int32
}

// spaceLevels is the number of bits of a coordinate on the curve.
const spaceLevels = 21

// spread inserts two zero bits between the bits of x < 2^21.
func spread(x uint64) uint64 {
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	x = (x | x<<2) & 0x1249249249249249
	return x
}

// build builds the tree of the points y (n×3).
func (t *octree) build(y []float64) {
	n := len(y) / 3
	if len(t.order) != n {
		t.order, t.pos, t.places = make([]int32, n), make([]float64, 3*n), make([]spacePlace, n)
	}
	low, high := [3]float64{y[0], y[1], y[2]}, [3]float64{y[0], y[1], y[2]}
	for k, v := range y {
		low[k%3], high[k%3] = min(low[k%3], v), max(high[k%3], v)
	}
	scale := 0.0
	if side := max(high[0]-low[0], high[1]-low[1], high[2]-low[2]); side > 0 {
		scale = (1<<spaceLevels - 0.5) / side
	}
	for i := range n {
		code := uint64(0)
		for c := range 3 {
			code |= spread(min(uint64((y[3*i+c]-low[c])*scale), 1<<spaceLevels-1)) << c
		}
		t.places[i] = spacePlace{code, int32(i)}
	}
	slices.SortFunc(t.places, func(a, b spacePlace) int {
		switch {
		case a.code < b.code:
			return -1
		case a.code > b.code:
			return 1
		}
		return int(a.point - b.point)
	})
	for k, p := range t.places {
		t.order[k] = p.point
		copy(t.pos[3*k:3*k+3], y[3*p.point:])
	}
	t.cells = t.cells[:0]
	t.divide(0, n)
}

// divide adds to t the cell of the points [from, to) and the cells below it. It returns the sums of the points'
// coordinates, and their smallest and largest coordinates.
func (t *octree) divide(from, to int) (sum, low, high [3]float64) {
	k := len(t.cells)
	t.cells = append(t.cells, spaceCell{})
	include := func(s, l, h [3]float64) {
		for c := range 3 {
			sum[c] += s[c]
			low[c], high[c] = min(low[c], l[c]), max(high[c], h[c])
		}
	}
	first, last := t.places[from].code, t.places[to-1].code
	low = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	high = [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	if to-from <= leaf || first == last {
		for i := from; i < to; i++ {
			p := [3]float64(t.pos[3*i : 3*i+3])
			include(p, p, p)
		}
	} else {
		// The smallest cell that holds all points, as in tree.
		shift := (bits.Len64(first^last) - 1) / 3 * 3
		for at := from; at < to; {
			octant := t.places[at].code >> shift
			end := at + 1
			for end < to && t.places[end].code>>shift == octant {
				end++
			}
			include(t.divide(at, end))
			at = end
		}
	}
	cell := spaceCell{mass: float64(to - from), from: int32(from), to: int32(to), skip: int32(len(t.cells))}
	for c := range 3 {
		cell.at[c] = sum[c] / cell.mass
		s := (high[c] - low[c]) / t.theta // θ = 0: Inf, or NaN for 0/0
		cell.reach += s * s
	}
	t.cells[k] = cell
	return sum, low, high
}

// A spaceList holds the cells and ranges of points that act on a crowd, the group of points that share the list; see
// barnesHut.
type spaceList struct {
	cells  [][4]float64 // x, y, z, mass
	ranges [][2]int
}

// walk collects the cells and points that act on the points [from, to); see list.walk.
func (l *spaceList) walk(t *octree, from, to int) {
	l.cells, l.ranges = l.cells[:0], l.ranges[:0]
	low, high := [3]float64(t.pos[3*from:]), [3]float64(t.pos[3*from:])
	for k := 3 * from; k < 3*to; k++ {
		low[k%3], high[k%3] = min(low[k%3], t.pos[k]), max(high[k%3], t.pos[k])
	}
	for k := 0; k < len(t.cells); {
		cell := &t.cells[k]
		far := 0.0 // the squared distance from the box around the crowd
		for c, x := range cell.at {
			d := max(low[c]-x, x-high[c], 0)
			far += d * d
		}
		if far > cell.reach && (int(cell.to) <= from || int(cell.from) >= to) {
			l.cells = append(l.cells, [4]float64{cell.at[0], cell.at[1], cell.at[2], cell.mass})
			k = int(cell.skip)
			continue
		}
		k++
		if int(cell.skip) == k { // a leaf
			if last := len(l.ranges) - 1; last >= 0 && l.ranges[last][1] == int(cell.from) {
				l.ranges[last][1] = int(cell.to)
			} else {
				l.ranges = append(l.ranges, [2]int{int(cell.from), int(cell.to)})
			}
		}
	}
}

// repel stores in e.rep the repulsion of the point at place k on the curve. In e.z it stores the sum of the weights w
// between this point and all others.
func (l *spaceList) repel(t *octree, k int, e *exactField) {
	p := [3]float64(t.pos[3*k:])
	s := t.student
	scale, cauchy := 1/s.nu, s.isCauchy()
	var z, fx, fy, fz float64
	for i := range l.cells {
		q := &l.cells[i]
		dx, dy, dz := p[0]-q[0], p[1]-q[1], p[2]-q[2]
		u := 1 / (1 + (dx*dx+dy*dy+dz*dz)*scale)
		w := u
		if !cauchy {
			w = s.weight(u)
		}
		mw := q[3] * w
		z += mw
		mw *= u
		fx += mw * dx
		fy += mw * dy
		fz += mw * dz
	}
	for _, r := range l.ranges {
		for part := range 2 { // the points before point k, then the points after it
			from, to := r[0], min(r[1], k)
			if part == 1 {
				from, to = max(r[0], k+1), r[1]
			}
			if from >= to {
				continue
			}
			for q := t.pos[3*from : 3*to]; len(q) >= 3; q = q[3:] {
				dx, dy, dz := p[0]-q[0], p[1]-q[1], p[2]-q[2]
				u := 1 / (1 + (dx*dx+dy*dy+dz*dz)*scale)
				w := u
				if !cauchy {
					w = s.weight(u)
				}
				z += w
				w *= u
				fx += w * dx
				fy += w * dy
				fz += w * dz
			}
		}
	}
	i := t.order[k]
	e.z[i] = z
	e.rep[3*i], e.rep[3*i+1], e.rep[3*i+2] = fx, fy, fz
}
