package tsne

import (
	"math/bits"
	"slices"
)

// A node is a cell of the quadtree. It holds the range [from, to) of points in the tree's order. Their center of mass
// is (x, y), and mass is their number.
type node struct {
	x, y, mass float32
	// reach is (s/θ)², where s is the diagonal of the box around the points, and θ is Options.Theta. At a distance
	// above √reach, the cell counts as one point with the mass of all its points.
	reach    float32
	from, to int32
	// skip is the index of the next node that is not inside this node. For a leaf it is the leaf's own index
	// + 1.
	skip int32
}

// A tree is a quadtree over the points of the plane.
//
// Points are sorted along a Hilbert curve, so that every cell of the quadtree is a range of points, and
// consecutive points are near each other. Nodes are in one array in preorder: the first child of node k is
// k+1, and the field skip leads past the node, so a traversal needs no stack.
type tree struct {
	order  []int32   // n, point numbers along the curve
	xs, ys []float32 // n, their coordinates, in that order
	nodes  []node

	theta float32
	codes []uint64 // n, place on the curve << 32 | point
	spare []uint64
}

// leaf is the number of points up to which a cell is never divided.
const leaf = 16

// levels is the number of bits of a coordinate on the curve.
const levels = 16

// hilbert is indexed by the orientation of the curve (bit 1: the axes are swapped; bit 0: both are reversed),
// and by two bits of x and of y. It gives four bits of the place on the curve, and the orientation at the
// next level.
var hilbert = func() (t [4][16]struct{ digits, attitude uint8 }) {
	for attitude := range t {
		for xy := range t[attitude] {
			a, place := attitude, 0
			for level := 1; level >= 0; level-- {
				x, y := xy>>(2+level)&1, xy>>level&1
				if a&2 != 0 {
					x, y = y, x
				}
				x, y = x^a&1, y^a&1
				place = place<<2 | (3*x ^ y)
				if y == 0 {
					a ^= 2 | x
				}
			}
			t[attitude][xy].digits, t[attitude][xy].attitude = uint8(place), uint8(a)
		}
	}
	return t
}()

// place returns a point's place on the Hilbert curve. The point's coordinates are integers below 2^levels.
func place(x, y uint32) (code uint32) {
	a := uint8(0)
	for level := levels - 2; level >= 0; level -= 2 {
		h := hilbert[a][x>>level&3<<2|y>>level&3]
		code = code<<4 | uint32(h.digits)
		a = h.attitude
	}
	return code
}

// build builds the tree of the points in pos (2n).
func (t *tree) build(pos []float32, workers int) {
	n := len(pos) / 2
	if len(t.order) != n {
		t.order, t.xs, t.ys = make([]int32, n), make([]float32, n), make([]float32, n)
		t.codes, t.spare = make([]uint64, n), make([]uint64, n)
	}
	x0, x1, y0, y1 := pos[0], pos[0], pos[1], pos[1]
	for q := pos; len(q) >= 2; q = q[2:] {
		x, y := q[0], q[1]
		if x < x0 {
			x0 = x
		}
		if x > x1 {
			x1 = x
		}
		if y < y0 {
			y0 = y
		}
		if y > y1 {
			y1 = y
		}
	}
	scale := float32(0)
	if side := max(x1-x0, y1-y0); side > 0 {
		scale = (1<<levels - 0.5) / side
	}
	const last = 1<<levels - 1
	strips(n, team{workers: workers}, func(_, from, to int) {
		for i := from; i < to; i++ {
			x := min(uint32((pos[2*i]-x0)*scale), last)
			y := min(uint32((pos[2*i+1]-y0)*scale), last)
			t.codes[i] = uint64(place(x, y))<<32 | uint64(i)
		}
	})
	t.sort()
	for k, c := range t.codes {
		i := uint32(c)
		t.order[k], t.xs[k], t.ys[k] = int32(i), pos[2*i], pos[2*i+1]
	}
	t.nodes = t.nodes[:0]
	t.divide(0, n)
}

// sort sorts the codes by a stable radix sort, with digits of 11 bits.
func (t *tree) sort() {
	if len(t.codes) < 1<<10 {
		slices.Sort(t.codes)
		return
	}
	var count [3][1 << 11]int32
	for _, c := range t.codes {
		count[0][c>>32&2047]++
		count[1][c>>43&2047]++
		count[2][c>>54]++
	}
	for d := range count {
		at := int32(0)
		for v, c := range count[d] {
			count[d][v], at = at, at+c
		}
		shift := 32 + 11*d
		for _, c := range t.codes {
			v := c >> shift & 2047
			t.spare[count[d][v]] = c
			count[d][v]++
		}
		t.codes, t.spare = t.spare, t.codes
	}
}

// An extent holds the sum of the coordinates of some points, and the box around the points.
type extent struct {
	x, y           float64
	x0, x1, y0, y1 float32
}

// divide adds the node of the points [from, to) and the nodes below it.
func (t *tree) divide(from, to int) extent {
	k := len(t.nodes)
	t.nodes = append(t.nodes, node{})
	var e extent
	first, last := uint32(t.codes[from]>>32), uint32(t.codes[to-1]>>32)
	if to-from <= leaf || first == last {
		x, y := t.xs[from], t.ys[from]
		e = extent{float64(x), float64(y), x, x, y, y}
		for i := from + 1; i < to; i++ {
			x, y := t.xs[i], t.ys[i]
			e.add(extent{float64(x), float64(y), x, x, y, y})
		}
	} else {
		// Find the smallest cell that holds all points: larger cells do not separate them.
		shift := 32 + (bits.Len32(first^last)-1)&^1
		for at := from; at < to; {
			quadrant := t.codes[at] >> shift
			end := at + 1
			for end < to && t.codes[end]>>shift == quadrant {
				end++
			}
			child := t.divide(at, end)
			if at == from {
				e = child
			} else {
				e.add(child)
			}
			at = end
		}
	}
	m := float64(to - from)
	sx, sy := (e.x1-e.x0)/t.theta, (e.y1-e.y0)/t.theta // θ = 0: Inf, or NaN for 0/0
	t.nodes[k] = node{float32(e.x / m), float32(e.y / m), float32(m), sx*sx + sy*sy, int32(from), int32(to), int32(len(t.nodes))}
	return e
}

func (e *extent) add(f extent) {
	e.x += f.x
	e.y += f.y
	if f.x0 < e.x0 {
		e.x0 = f.x0
	}
	if f.x1 > e.x1 {
		e.x1 = f.x1
	}
	if f.y0 < e.y0 {
		e.y0 = f.y0
	}
	if f.y1 > e.y1 {
		e.y1 = f.y1
	}
}
