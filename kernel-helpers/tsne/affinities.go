package tsne

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/vmath"
)

// Affinities holds the joint probabilities p_ij of pairs of points: a symmetric sparse matrix with sum 1 and an
// empty diagonal. The matrix is stored in compressed rows: row i has the values P[Row[i]:Row[i+1]] in the columns
// Col[Row[i]:Row[i+1]], in ascending order.
type Affinities struct {
	N          int
	Row        []int     // N+1
	Col        []int32   // column of each stored p_ij
	P          []float64 // as long as Col
	Perplexity float64
	// DegreesOfFreedom is ν of the kernel that KL and Gradient use. NewAffinities takes it from Options; 0 means 1. P
	// does not depend on ν, so you may change ν to compare maps by the value of C for another ν.
	DegreesOfFreedom float64
	// Beta holds β_i = 1/(2σ_i²) for each point (N), where σ_i is the width of the point's Gaussian. β_i is +Inf if at
	// least Perplexity neighbors of the point are all at the smallest distance.
	Beta []float64
	// Missed is the number of points that have more than Perplexity nearest neighbors, all at the same distance, as in
	// data with many duplicates. The weight of such a point is shared among these neighbors.
	Missed int

	negEntropy float64 // Σ p log p
}

// fields is Affinities without its methods.
type fields Affinities

// GobEncode encodes the affinities for package gob.
func (a *Affinities) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode((*fields)(a))
	return b.Bytes(), err
}

// GobDecode decodes what GobEncode has encoded.
func (a *Affinities) GobDecode(b []byte) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode((*fields)(a)); err != nil {
		return fmt.Errorf("tsne: Affinities.GobDecode: %w", err)
	}
	a.negEntropy = 0
	for _, p := range a.P {
		a.negEntropy += p * math.Log(p)
	}
	return nil
}

// NewAffinities computes the affinities of the rows of X (n×d), or, with Metric Precomputed, of n points whose
// distances are X (n×n). It uses the options Perplexity, Neighbors, Metric, Method (for the default of Neighbors),
// DegreesOfFreedom, Workers and Recorder. opt may be nil. Fit calls NewAffinities itself. Call NewAffinities yourself
// to judge maps of these points that Fit did not make; the method KL returns the divergence of such a map.
func NewAffinities(ctx context.Context, X mat.Matrix, opt *Options) (*Affinities, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	D, err := points(X)
	if err != nil {
		return nil, err
	}
	n, _ := D.Dims()
	o, err := opt.complete(n)
	if err != nil {
		return nil, err
	}
	if D, err = o.Metric.in(D); err != nil {
		return nil, err
	}
	return affinities(ctx, D, &o)
}

// points returns X as a *mat.Dense, without a copy if X is a *mat.Dense. It returns an error for invalid
// data.
func points(X mat.Matrix) (*mat.Dense, error) {
	if isNil(X) {
		return nil, errors.New("tsne: X is nil")
	}
	n, d := X.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("tsne: X is empty, %d×%d", n, d)
	}
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("tsne: X has %d rows, more than an int32 counts", n)
	}
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("tsne: %w", err)
	}
	// The squared distances must not overflow in float32.
	if large := largest(D); large > 1e15/math.Sqrt(float64(d)) {
		return nil, fmt.Errorf("tsne: elements of X reach %.3g, and their squares could overflow: scale X (the map does not depend on the scale)", large)
	} else if large > 0 && large < 1e-12 {
		return nil, fmt.Errorf("tsne: no element of X exceeds %.3g, and their squares could underflow: scale X (the map does not depend on the scale)", large)
	}
	return D, nil
}

// isNil reports whether X is nil or holds a nil pointer.
func isNil(X mat.Matrix) bool {
	v := reflect.ValueOf(X)
	return X == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// largest returns the largest absolute value of an element of X.
func largest(X mat.Matrix) float64 { return math.Max(math.Abs(mat.Max(X)), math.Abs(mat.Min(X))) }

// affinityBytes is the memory that affinities takes for each pair of a point and a neighbor: 16 bytes for the
// neighbor, 8 for p_j|i, 12 for the transpose and 18 for p_ij.
const affinityBytes = 54

// affinities computes the affinities of points. X is the result of Metric.in.
func affinities(ctx context.Context, X *mat.Dense, opt *Options) (*Affinities, error) {
	n, _ := X.Dims()
	if err := ram.Check(fmt.Sprintf("the affinities of %d points with %d neighbors each", n, opt.Neighbors), affinityBytes*float64(n)*float64(opt.Neighbors)); err != nil {
		return nil, fmt.Errorf("tsne: %w: give Neighbors, or fewer points", err)
	}
	near, err := opt.Metric.neighbors(ctx, X, opt.Neighbors, opt)
	if err != nil {
		return nil, fmt.Errorf("tsne: nearest neighbors: %w", err)
	}
	a := &Affinities{N: len(near), Perplexity: opt.Perplexity, DegreesOfFreedom: opt.DegreesOfFreedom}
	cond, missed := a.conditional(ctx, near, opt)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("tsne: affinities: %w", err)
	}
	a.Missed = missed
	a.symmetrize(near, cond)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("tsne: affinities: %w", err)
	}
	return a, nil
}

// conditional returns p_j|i for the neighbors j of each point i, and the number of points for which calibrate finds no
// β. It also sets a.Beta.
//
//	p_j|i = e^(−β_i ‖x_i−x_j‖²) / Σ_k e^(−β_i ‖x_i−x_k‖²)            (1)
func (a *Affinities) conditional(ctx context.Context, near [][]neighbor, opt *Options) (cond [][]float64, missed int) {
	a.Beta = make([]float64, a.N)
	cond = make([][]float64, a.N)
	bad := make([]bool, a.N)
	const block = 64
	parallel.Do((a.N+block-1)/block, opt.Workers, func(b int) {
		d2 := make([]float64, opt.Neighbors)
		for i := b * block; i < min(a.N, (b+1)*block) && ctx.Err() == nil; i++ {
			for c, v := range near[i] {
				d2[c] = v.d2
			}
			p := make([]float64, len(d2))
			a.Beta[i], bad[i] = calibrate(p, d2, opt.Perplexity)
			cond[i] = p
		}
	})
	for _, b := range bad {
		if b {
			missed++
		}
	}
	return cond, missed
}

// calibrate computes p (k) from ascending squared distances d2 (k), and returns the β at which p has the entropy H =
// log perplexity. If missed is true, there is no such β, because the number of distances that equal the least one is
// larger than the perplexity.
//
// H falls with β, from log k at β = 0 to the logarithm of the number of distances that equal the least one. Let D be a
// squared distance minus the least one, S = Σe^(−βD), and let E and Var be taken over p. Then
//
//	H = log S + βE[D],   dH/dβ = −β Var[D]
//
// calibrate uses Newton's method within a bracket.
func calibrate(p, d2 []float64, perplexity float64) (beta float64, missed bool) {
	least, ties := d2[0], 0
	mean := 0.0
	for _, d := range d2 {
		if d == least {
			ties++
		}
		mean += (d - least) / float64(len(d2))
	}
	if float64(ties) >= perplexity {
		for j := range p {
			p[j] = 0
			if j < ties {
				p[j] = 1 / float64(ties)
			}
		}
		return math.Inf(1), float64(ties) > perplexity
	}
	goal := math.Log(perplexity)
	lo, hi := 0.0, math.Inf(1)
	beta = 1 / mean
	for range 200 {
		for j, d := range d2 {
			p[j] = -beta * (d - least)
		}
		vmath.Exp(p, p)
		var s, e, e2 float64 // Σ e^(−βD), Σ D e^(−βD), Σ D² e^(−βD)
		for j, d := range d2 {
			d -= least
			s += p[j]
			e += d * p[j]
			e2 += d * d * p[j]
		}
		e, e2 = e/s, e2/s
		for j := range p {
			p[j] /= s
		}
		excess := math.Log(s) + beta*e - goal
		if math.Abs(excess) < 1e-10 {
			break
		}
		if excess > 0 {
			lo = beta
		} else {
			hi = beta
		}
		next := beta + excess/(beta*(e2-e*e))
		if !(next > lo && next < hi) || next > 8*beta || next < beta/8 {
			switch {
			case math.IsInf(hi, 1):
				next = 2 * beta
			default:
				next = (lo + hi) / 2
			}
		}
		if next == beta {
			break
		}
		beta = next
	}
	return beta, false
}

// symmetrize computes the joint probabilities p_ij = (p_j|i + p_i|j) / 2n.
func (a *Affinities) symmetrize(near [][]neighbor, cond [][]float64) {
	n := a.N
	// This is the transpose, in compressed rows. The columns in each row ascend because i does.
	at := make([]int, n+1)
	for i := range n {
		for _, v := range near[i] {
			at[v.j+1]++
		}
	}
	for i := range n {
		at[i+1] += at[i]
	}
	col, val := make([]int32, at[n]), make([]float64, at[n])
	next := append([]int(nil), at[:n]...)
	for i := range n {
		for c, v := range near[i] {
			col[next[v.j]], val[next[v.j]] = int32(i), cond[i][c]
			next[v.j]++
		}
	}
	// Row by row: p_j|i by ascending j, merged with row i of the transpose.
	a.Row = make([]int, 1, n+1)
	a.Col, a.P = make([]int32, 0, 3*len(col)/2), make([]float64, 0, 3*len(col)/2)
	type element struct {
		j int32
		p float64
	}
	own := make([]element, 0, len(near[0]))
	for i := range n {
		own = own[:0]
		for c, v := range near[i] {
			own = append(own, element{v.j, cond[i][c]})
		}
		slices.SortFunc(own, func(a, b element) int { return int(a.j - b.j) })
		c, t := 0, at[i]
		for c < len(own) || t < at[i+1] {
			var j int32
			p := 0.0
			switch {
			case t == at[i+1] || c < len(own) && own[c].j < col[t]:
				j, p = own[c].j, own[c].p
				c++
			case c == len(own) || col[t] < own[c].j:
				j, p = col[t], val[t]
				t++
			default:
				j, p = col[t], own[c].p+val[t]
				c, t = c+1, t+1
			}
			if p > 0 {
				p /= 2 * float64(n)
				a.Col, a.P = append(a.Col, j), append(a.P, p)
				a.negEntropy += p * math.Log(p)
			}
		}
		a.Row = append(a.Row, len(a.P))
	}
}
