package tsne

import (
	"math"
	"sync"
)

// lanes is the number of points that the inner loops process together: a float32 vector with AVX-512.
const lanes = 16

// crowd is the number of points that share one traversal of the tree. A larger crowd means longer lists and
// fewer traversals.
const crowd = 4 * lanes

// A barnesHut computes the gradient in float32. One cell stands for many distant points (van der Maaten, section 4.2).
//
// A crowd is a group of consecutive points on the Hilbert curve (see tree). Its points share one list of cells and of
// ranges of points. A cell must look small from the nearest point of the box around the crowd, so no point has a
// coarser list than it would have alone. All points of a crowd go through the same list, so vectors can do the
// arithmetic for many points at a time.
type barnesHut struct {
	*Affinities
	team  team
	p     []float32 // as Affinities.P
	pos   []float32 // 2n, the map
	tree  tree
	rep   []float32 // 2n, Σ_j w_ij² (y_i − y_j)
	z     []float64 // one per crowd: Σ_i Σ_j≠i w_ij
	lists sync.Pool // of *list
}

func newBarnesHut(a *Affinities, theta float64, t team) *barnesHut {
	b := &barnesHut{
		Affinities: a,
		team:       t,
		p:          make([]float32, len(a.P)),
		pos:        make([]float32, 2*a.N),
		tree:       tree{theta: float32(theta)},
		rep:        make([]float32, 2*a.N),
		z:          make([]float64, (a.N+crowd-1)/crowd),
	}
	for c, p := range a.P {
		b.p[c] = float32(p)
	}
	b.lists.New = func() any { return new(list) }
	return b
}

// A list holds the cells and points whose repulsion acts on a crowd, the group of points that share the list; see
// barnesHut.
type list struct {
	x, y, mass []float32  // cells
	ranges     [][2]int32 // ranges in the tree's order
	own        [crowd / lanes]block
	sum        [crowd / lanes]sums[float64]
	acc        [crowd / lanes]sums[float32]
	pending    int // number of interactions in acc
}

// A block holds the coordinates of consecutive points of a crowd. Their number is the constant lanes. If fewer
// points are left, the last one is repeated.
type block struct{ x, y [lanes]float32 }

// A sums holds, for each point of a block, its part of Z (in z) and its repulsion (in x and y).
type sums[T float] struct{ z, x, y [lanes]T }

// gradient is like exactField.gradient, but the repulsion and the Z in C are approximate.
func (b *barnesHut) gradient(y []float64, exaggeration float64, g []float64, withKL bool) float64 {
	for k, v := range y {
		b.pos[k] = float32(v)
	}
	b.tree.build(b.pos, b.team.workers)
	const crowds = strip / crowd
	strips(b.N, b.team, func(s, from, to int) {
		l := b.lists.Get().(*list)
		for c := s * crowds; c*crowd < to; c++ {
			b.z[c] = b.repel(l, c*crowd, min(to, (c+1)*crowd))
		}
		b.lists.Put(l)
	})
	Z := total(b.z)
	scale := 4 / Z
	strips(b.N, b.team, func(_, from, to int) {
		for i := from; i < to; i++ {
			at, end := b.Row[i], b.Row[i+1]
			ax, ay := attract(b.Col[at:end], b.p[at:end], b.pos, i)
			g[2*i] = 4*exaggeration*float64(ax) - scale*float64(b.rep[2*i])
			g[2*i+1] = 4*exaggeration*float64(ay) - scale*float64(b.rep[2*i+1])
		}
	})
	if !withKL {
		return math.NaN()
	}
	return b.attraction(y, b.team) + math.Log(Z)
}

// repel computes the repulsion of the points [from, to), counted in the tree's order, and stores it in b.rep. It
// returns these points' part of Z.
func (b *barnesHut) repel(l *list, from, to int) float64 {
	t := &b.tree
	l.walk(t, from, to)
	clear(l.sum[:])
	clear(l.acc[:])
	l.pending = 0
	l.act(l.x, l.y, l.mass)
	for _, r := range l.ranges {
		// The crowd itself comes last.
		a, b := int(r[0]), int(r[1])
		if e := min(b, from); a < e {
			l.act(t.xs[a:e], t.ys[a:e], nil)
		}
		if e := max(a, to); e < b {
			l.act(t.xs[e:b], t.ys[e:b], nil)
		}
	}
	l.flush()
	for h := range l.own {
		for k := from; k < to; k += lanes {
			end := min(to, k+lanes)
			if k == from+h*lanes {
				repelAmong(end-k, &l.own[h], &l.acc[h])
			} else {
				repelPoints(t.xs[k:end], t.ys[k:end], &l.own[h], &l.acc[h])
			}
		}
	}
	l.flush()
	z := 0.0
	for c := range to - from {
		i := t.order[from+c]
		sum, lane := &l.sum[c/lanes], c%lanes
		z += sum.z[lane]
		b.rep[2*i], b.rep[2*i+1] = float32(sum.x[lane]), float32(sum.y[lane])
	}
	return z
}

// walk collects the cells and points that act on the points [from, to).
func (l *list) walk(t *tree, from, to int) {
	l.x, l.y, l.mass, l.ranges = l.x[:0], l.y[:0], l.mass[:0], l.ranges[:0]
	x0, y0 := t.xs[from], t.ys[from]
	x1, y1 := x0, y0
	for c := range crowd {
		k := min(from+c, to-1)
		x, y := t.xs[k], t.ys[k]
		l.own[c/lanes].x[c%lanes], l.own[c/lanes].y[c%lanes] = x, y
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
	// In each coordinate, the distance from a point to the box is its distance to the middle of the box minus
	// half the side.
	mx, my, hx, hy := (x0+x1)/2, (y0+y1)/2, (x1-x0)/2, (y1-y0)/2
	nodes := t.nodes
	for k := 0; k < len(nodes); {
		nd := &nodes[k]
		dx, dy := abs(nd.x-mx)-hx, abs(nd.y-my)-hy
		if dx < 0 {
			dx = 0
		}
		if dy < 0 {
			dy = 0
		}
		// A cell that holds a point of the crowd is always opened.
		if dx*dx+dy*dy > nd.reach && (int(nd.to) <= from || int(nd.from) >= to) {
			l.x, l.y, l.mass = append(l.x, nd.x), append(l.y, nd.y), append(l.mass, nd.mass)
			k = int(nd.skip)
			continue
		}
		k++
		if int(nd.skip) == k { // a leaf
			if last := len(l.ranges) - 1; last >= 0 && l.ranges[last][1] == nd.from {
				l.ranges[last][1] = nd.to
			} else {
				l.ranges = append(l.ranges, [2]int32{nd.from, nd.to})
			}
		}
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// run is the maximum number of interactions that are summed in float32 before the sum is added in float64.
const run = 2048

// act adds the repulsion by cells with the given centers and masses to the sums of the crowd. If mass is nil, x and y
// are the coordinates of single points.
func (l *list) act(x, y, mass []float32) {
	for len(x) > 0 {
		m := min(len(x), run-l.pending)
		for h := range l.own {
			if mass == nil {
				repelPoints(x[:m], y[:m], &l.own[h], &l.acc[h])
			} else {
				repelCells(x[:m], y[:m], mass[:m], &l.own[h], &l.acc[h])
			}
		}
		x, y = x[m:], y[m:]
		if mass != nil {
			mass = mass[m:]
		}
		if l.pending += m; l.pending == run {
			l.flush()
		}
	}
}

func (l *list) flush() {
	for h := range l.acc {
		acc, sum := &l.acc[h], &l.sum[h]
		for c := range lanes {
			sum.z[c] += float64(acc.z[c])
			sum.x[c] += float64(acc.x[c])
			sum.y[c] += float64(acc.y[c])
		}
	}
	clear(l.acc[:])
	l.pending = 0
}
