package tsne

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/vmath"
)

// strip is the number of points that a goroutine processes at a time. Sums over points are taken strip by
// strip, so they do not depend on the number of goroutines.
const strip = 64

// A team says how a computation runs: the number of its goroutines, and a context. When the context is done, the
// goroutines stop, and the results are unfinished.
type team struct {
	workers int
	ctx     context.Context // nil: never ends
}

// strips divides [0, n) into strips of a fixed length, and calls f(s, from, to) for each, where s is the number of the
// strip [from, to). It makes no more calls once t's context is done.
func strips(n int, t team, f func(s, from, to int)) {
	parallel.Do((n+strip-1)/strip, t.workers, func(s int) {
		if t.ctx == nil || t.ctx.Err() == nil {
			f(s, s*strip, min(n, (s+1)*strip))
		}
	})
}

// KL returns the exact divergence that t-SNE minimizes, at the map Y (n×D):
//
//	C = KL(P‖Q) = Σ_ij p_ij log(p_ij/q_ij),   q_ij = w_ij/Z               (2), (4)
//	w_ij = 1/(1 + ‖y_i − y_j‖²),   Z = Σ_k≠l w_kl
//
// If ν = a.DegreesOfFreedom is not 1, w_ij = (1 + ‖y_i − y_j‖²/ν)^(−(ν+1)/2). Z is summed over all pairs in
// float64, which takes about 1 s for 30,000 points, and four times as long for twice as many.
func (a *Affinities) KL(Y mat.Matrix) float64 {
	y := a.mustMap("KL", Y)
	return a.attraction(y, team{}) + math.Log(a.normalizer(y, team{}))
}

// Gradient returns the exact ∂C/∂Y (n×D) at the map Y:
//
//	∂C/∂y_i = 4 Σ_j (p_ij − q_ij) w_ij (y_i − y_j)                        (5)
//
// or, with ν = a.DegreesOfFreedom other than 1, 2(ν+1)/ν Σ_j (p_ij − q_ij) (y_i − y_j)/(1 + ‖y_i − y_j‖²/ν).
func (a *Affinities) Gradient(Y mat.Matrix) *mat.Dense {
	y := a.mustMap("Gradient", Y)
	e := &exactField{Affinities: a, rep: make([]float64, len(y)), z: make([]float64, a.N)}
	g := make([]float64, len(y))
	e.gradient(y, 1, g, false)
	return mat.NewDense(a.N, len(y)/a.N, g)
}

// mustMap returns Y row by row. It panics if Y is not a map of the points.
func (a *Affinities) mustMap(what string, Y mat.Matrix) []float64 {
	if isNil(Y) {
		panic(fmt.Sprintf("tsne: %s: Y is nil", what))
	}
	if r, c := Y.Dims(); r != a.N || c == 0 {
		panic(fmt.Sprintf("tsne: %s: Y is %d×%d, must have %d rows", what, r, c, a.N))
	}
	if err := finite.Check("Y", Y); err != nil {
		panic("tsne: " + err.Error())
	}
	return coordinates(Y)
}

// coordinates returns a copy of Y (n×D), row by row.
func coordinates(Y mat.Matrix) []float64 {
	n, D := Y.Dims()
	y := make([]float64, 0, D*n)
	for i := range n {
		for c := range D {
			y = append(y, Y.At(i, c))
		}
	}
	return y
}

// attraction returns Σ p log(p/w) at the map y. This is C − log Z, because p sums to 1.
func (a *Affinities) attraction(y []float64, t team) float64 {
	parts := make([]float64, (a.N+strip-1)/strip)
	D, s := len(y)/a.N, a.student()
	strips(a.N, t, func(at, from, to int) {
		var w []float64
		sum := 0.0
		for i := from; i < to; i++ {
			col, p := a.Col[a.Row[i]:a.Row[i+1]], a.P[a.Row[i]:a.Row[i+1]]
			w = w[:0]
			for _, j := range col {
				if D == 2 {
					dx, dy := y[2*i]-y[2*j], y[2*i+1]-y[2*j+1]
					w = append(w, 1+(dx*dx+dy*dy)/s.nu)
				} else {
					w = append(w, 1+squaredDistance(y[D*i:D*(i+1)], y[D*int(j):D*(int(j)+1)])/s.nu)
				}
			}
			vmath.Log(w, w)
			for c := range p {
				sum += p[c] * w[c]
			}
		}
		parts[at] = sum
	})
	return a.negEntropy + s.power*total(parts)
}

// normalizer returns Z = Σ_k≠l w_kl at the map y, summed over all pairs.
func (a *Affinities) normalizer(y []float64, t team) float64 {
	n := a.N
	if len(y) != 2*n || !a.student().isCauchy() {
		z := make([]float64, n)
		(&exactField{Affinities: a, team: t, rep: make([]float64, len(y)), z: z}).repel(y)
		return total(z)
	}
	parts := make([]float64, (n+strip-1)/strip)
	strips(n, t, func(s, from, to int) {
		for i := from; i < to; i++ {
			xi, yi, sum := y[2*i], y[2*i+1], 0.0
			for q := y[2*i+2:]; len(q) >= 2; q = q[2:] {
				dx, dy := xi-q[0], yi-q[1]
				sum += 1 / (1 + (dx*dx + dy*dy))
			}
			parts[s] += 2 * sum
		}
	})
	return total(parts)
}

func total(parts []float64) float64 {
	sum := 0.0
	for _, p := range parts {
		sum += p
	}
	return sum
}

// An exactField computes the gradient over all pairs. In the plane, with ν = 1, its inner loop handles both
// coordinates of a pair together; otherwise its inner loops handle one coordinate of all points at a time.
type exactField struct {
	*Affinities
	team team
	rep  []float64 // Dn, Σ_j w_ij u_ij (y_i − y_j), with u as in student
	z    []float64 // n, Σ_j≠i w_ij
}

// gradient stores ∂C/∂y in g (Dn), with P multiplied by exaggeration. It returns C without exaggeration if withKL is
// true, otherwise NaN.
func (e *exactField) gradient(y []float64, exaggeration float64, g []float64, withKL bool) float64 {
	n := e.N
	if len(y) != 2*n || !e.student().isCauchy() {
		e.repel(y)
		e.attract(y, exaggeration, g)
		if !withKL {
			return math.NaN()
		}
		return e.attraction(y, e.team) + math.Log(total(e.z))
	}
	strips(n, e.team, func(_, from, to int) {
		for i := from; i < to; i++ {
			xi, yi := y[2*i], y[2*i+1]
			var z, fx, fy float64
			for q := y; len(q) >= 2; q = q[2:] {
				dx, dy := xi-q[0], yi-q[1]
				w := 1 / (1 + (dx*dx + dy*dy))
				z += w
				fx += w * w * dx
				fy += w * w * dy
			}
			e.z[i] = z - 1 // j = i has w = 1 and no force
			e.rep[2*i], e.rep[2*i+1] = fx, fy
		}
	})
	Z := total(e.z)
	strips(n, e.team, func(_, from, to int) {
		for i := from; i < to; i++ {
			xi, yi := y[2*i], y[2*i+1]
			var ax, ay float64 // Σ_j p_ij w_ij (y_i − y_j)
			for c := e.Row[i]; c < e.Row[i+1]; c++ {
				j := e.Col[c]
				dx, dy := xi-y[2*j], yi-y[2*j+1]
				pw := e.P[c] / (1 + (dx*dx + dy*dy))
				ax += pw * dx
				ay += pw * dy
			}
			g[2*i] = 4 * (exaggeration*ax - e.rep[2*i]/Z)
			g[2*i+1] = 4 * (exaggeration*ay - e.rep[2*i+1]/Z)
		}
	})
	if !withKL {
		return math.NaN()
	}
	return e.attraction(y, e.team) + math.Log(Z)
}

// repel sets e.rep to the repulsion of each point, and e.z to each point's part of Z. The map y may have any number of
// dimensions.
func (e *exactField) repel(y []float64) {
	n, D, s := e.N, len(y)/e.N, e.student()
	axis := make([]float64, len(y)) // D×n: the first coordinates of all points, then the second coordinates, ...
	for i := range n {
		for c := range D {
			axis[c*n+i] = y[D*i+c]
		}
	}
	strips(n, e.team, func(_, from, to int) {
		w := make([]float64, n)
		for i := from; i < to; i++ {
			for j := range w {
				w[j] = s.nu
			}
			for c := range D {
				x := axis[c*n : (c+1)*n]
				for j, v := range x {
					d := x[i] - v
					w[j] += d * d
				}
			}
			z := 0.0
			for j, t := range w {
				u := s.nu / t
				t = u
				if !s.isCauchy() {
					t = s.weight(u)
				}
				z += t
				w[j] = t * u
			}
			e.z[i] = z - 1 // j = i has w = 1 and no force
			for c := range D {
				x, f := axis[c*n:(c+1)*n], 0.0
				for j, v := range x {
					f += w[j] * (x[i] - v)
				}
				e.rep[D*i+c] = f
			}
		}
	})
}

// attract computes the attraction, combines it with the repulsion that repel has stored, and stores the gradient in g.
// It works in any number of dimensions.
func (e *exactField) attract(y []float64, exaggeration float64, g []float64) {
	D, Z, s := len(y)/e.N, total(e.z), e.student()
	factor := s.factor()
	strips(e.N, e.team, func(_, from, to int) {
		for i := from; i < to; i++ {
			yi, gi := y[D*i:D*(i+1)], g[D*i:D*(i+1)]
			clear(gi)
			for c := e.Row[i]; c < e.Row[i+1]; c++ {
				j := int(e.Col[c])
				yj := y[D*j : D*(j+1)]
				pw := e.P[c] / (1 + squaredDistance(yi, yj)/s.nu)
				for k, v := range yi {
					gi[k] += pw * (v - yj[k])
				}
			}
			for k, f := range e.rep[D*i : D*(i+1)] {
				gi[k] = factor * (exaggeration*gi[k] - f/Z)
			}
		}
	})
}
