package s3c2011

import (
	"fmt"
	"slices"

	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
)

// A Code says which expectations under the posterior are the features of an image: of the spikes, of their products
// with the slabs, or both.
type Code string

// The codes. The signs of E[hs] are split: max(0, E[hs]), then max(0, −E[hs]).
const (
	Spikes   Code = "E[h]"           // N numbers per patch, as in the paper
	Products Code = "E[hs]"          // 2N
	Both     Code = "E[h] and E[hs]" // 3N
)

// channels returns the range [from, to) of the channels that belong to the code c, among the 3N channels that
// codesEncoder computes for each patch. units is N.
func (c Code) channels(units int) (from, to int) {
	switch c {
	case Spikes:
		return 0, units
	case Products:
		return units, 3 * units
	case Both:
		return 0, 3 * units
	}
	panic(fmt.Sprintf("s3c2011: no code %q", string(c)))
}

// Updates names the schedule of an E step: number of updates and damping.
type Updates string

// The schedule of the published E step, and other schedules. With fewer updates there is less explaining away: after
// a single undamped update no unit depends on any other.
const (
	Published Updates = "19, as published"
	One       Updates = "1, not damped"
	First6    Updates = "the first 6"
	Light     Updates = "8, lightly damped"
)

// schedule returns the schedule that u names.
func (u Updates) schedule() s3c.Schedule {
	p := s3c.DefaultSchedule()
	switch u {
	case Published:
		return p
	case One:
		return s3c.Schedule{H: []float64{1}, S: []float64{1}, Rho: p.Rho}
	case First6:
		return s3c.Schedule{H: p.H[:6], S: p.S[:6], Rho: p.Rho}
	case Light:
		return s3c.Schedule{H: slices.Repeat([]float64{0.4}, 8), S: append([]float64{0.7}, slices.Repeat([]float64{0.3}, 7)...), Rho: p.Rho}
	}
	panic(fmt.Sprintf("s3c2011: no updates %q", string(u)))
}

// slug returns the short name of the schedule, which is used in keys and file names.
func (u Updates) slug() string {
	return map[Updates]string{Published: "published", One: "one", First6: "first6", Light: "light"}[u]
}

// codesEncoder returns an encoder with 3N channels per patch: E[h], then max(0, E[hs]), then max(0, −E[hs]).
// One E step gives all codes.
func (p *pipeline) codesEncoder(u Updates) vision.Encoder {
	first, how := p.eStep(u.schedule(), !p.skips())
	m := p.Model()
	d, n := m.Dims()
	name := fmt.Sprintf("S3C %s, %s, updates: %s, E[h] and E[hs] with its signs split", m.Checksum(), how, u)
	return vision.Wrap(name, d, 3*n, func() vision.PatchEncoder { return &bothCodes{e: first.Fork(), units: n} })
}

// bothCodes is the vision.PatchEncoder of codesEncoder. It keeps buffers, so each goroutine needs its own.
type bothCodes struct {
	e     *s3c.Encoder
	units int
	h, s  []float32 // n×N
}

// Encode performs the E step for the n patches in X. It stores E[h], max(0, E[hs]) and max(0, −E[hs]) of each patch in
// a row of dst (n×3N).
func (c *bothCodes) Encode(dst, X []float32, n int) {
	N := c.units
	if len(c.h) < n*N {
		c.h, c.s = make([]float32, n*N), make([]float32, n*N)
	}
	h, s := c.h[:n*N], c.s[:n*N]
	c.e.EncodeBoth(h, s, X, n)
	for i := range n {
		out := dst[3*i*N : 3*(i+1)*N]
		copy(out, h[i*N:(i+1)*N])
		pos, neg := out[N:2*N], out[2*N:]
		for j, on := range h[i*N : (i+1)*N] {
			hs := on * s[i*N+j]
			pos[j], neg[j] = max(0, hs), max(0, -hs)
		}
	}
}

// columns is the part of X that a recipe uses, as points for a support vector machine. From each row of X it takes
// several runs of consecutive columns: one run for each cell of the recipe's pool, with the channels of the recipe's
// code.
type columns struct {
	X      l2svm.Points
	starts []int // start of each run of columns
	run    int   // length of each run
}

func (c columns) Dims() (n, d int) {
	n, _ = c.X.Dims()
	return n, len(c.starts) * c.run
}

func (c columns) Read(dst []float32, from, to int) error {
	_, all := c.X.Dims()
	row := make([]float32, all)
	for i := from; i < to; i++ {
		if err := c.X.Read(row, i, i+1); err != nil {
			return err
		}
		for _, s := range c.starts {
			copy(dst, row[s:s+c.run])
			dst = dst[c.run:]
		}
	}
	return nil
}

// selectColumns returns the columns of X with the features of the code c and the given pool. X must hold the 3N
// channels of codesEncoder, pooled in the ways listed in pools, one after the other. units is N. selectColumns panics
// if pool is not in pools.
func (c Code) selectColumns(X l2svm.Points, pool vision.Pool, pools []vision.Pool, units int) columns {
	from, to := c.channels(units)
	out, at := columns{X: X, run: to - from}, 0
	for _, p := range pools {
		if p == pool {
			for cell := range p.Grid * p.Grid {
				out.starts = append(out.starts, at+cell*3*units+from)
			}
			return out
		}
		at += p.Grid * p.Grid * 3 * units
	}
	panic(fmt.Sprintf("s3c2011: %v is not among the pools %v", pool, pools))
}
