package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// LeavesOptions configures DeadLeaves.
type LeavesOptions struct {
	Size int // pixels per side, 16 to 2048; 0: 256
	// RMin and RMax bound the radii, in pixels; 0 means 1 for RMin, and Size for RMax. RMin is at least 0.5, RMax at
	// most 4 Size.
	RMin, RMax float64
	// Elongation is the largest ratio of a leaf's axes, 1 to 10. The logarithm of a leaf's ratio is uniform between 0
	// and the logarithm of Elongation; the area remains that of the disk. 0 means 1: all leaves are disks.
	Elongation float64
	// Oversample is the number of samples along each side of a pixel, 1 to 4. The value of the pixel is the mean of its
	// samples. 0 means 2. With 1 the edges are jagged.
	Oversample int
	Seed       uint64
}

// A Leaf is one ellipse. Coordinates are in pixels, x to the right and y down; pixel (0, 0) is the square
// from (0, 0) to (1, 1).
type Leaf struct {
	X, Y   float64 // center
	Radius float64 // of the disk with the same area
	Aspect float64 // ratio of the axes, at least 1
	Angle  float64 // of the long axis, radians from x to y
	Gray   float64 // 0 (black) to 1 (white)
}

// Leaves holds a dead leaves image and its ground truth.
type Leaves struct {
	Image   *mat.Dense // Size × Size, 0 (black) to 1 (white)
	Visible []Leaf     // the leaves that are visible in at least one sample, from front to back
	Fallen  int        // number of leaves that touched the image until it was covered
}

// DeadLeaves draws an image of the dead leaves model; see the package comment.
// The same options lead to the same image.
//
// Leaves are laid from front to back until the image is covered: each new leaf is visible only where there is
// no leaf yet. This is an exact draw from the stationary distribution of leaves that fall forever (W.
// Kendall, E. Thönnes, "Perfect simulation in stochastic geometry", 1999). Laying from back to front would
// only approach that distribution.
func DeadLeaves(opt LeavesOptions) (*Leaves, error) {
	if opt.Size == 0 {
		opt.Size = 256
	}
	if opt.RMin == 0 {
		opt.RMin = 1
	}
	if opt.RMax == 0 {
		opt.RMax = float64(opt.Size)
	}
	if opt.Elongation == 0 {
		opt.Elongation = 1
	}
	if opt.Oversample == 0 {
		opt.Oversample = 2
	}
	switch {
	case opt.Size < 16 || opt.Size > 2048:
		return nil, fmt.Errorf("synth: DeadLeaves: an image of %d pixels a side, must be 16 to 2048", opt.Size)
	case !(opt.RMin >= 0.5 && opt.RMin < opt.RMax && opt.RMax <= 4*float64(opt.Size)):
		return nil, fmt.Errorf("synth: DeadLeaves: radii from %v to %v; they must rise from at least 0.5 to at most four times the size, %d", opt.RMin, opt.RMax, opt.Size)
	case !(opt.Elongation >= 1 && opt.Elongation <= 10):
		return nil, fmt.Errorf("synth: DeadLeaves: elongation %v, must be from 1 to 10", opt.Elongation)
	case opt.Oversample < 1 || opt.Oversample > 4:
		return nil, fmt.Errorf("synth: DeadLeaves: %d samples along a pixel, must be 1 to 4", opt.Oversample)
	}
	over := opt.Oversample
	fine := opt.Size * over
	rnd := random(opt.Seed, streamLeaves, 0)
	samples := make([]float32, fine*fine)
	for i := range samples {
		samples[i] = -1 // not covered yet
	}
	// next[i·(fine+1)+j] ≥ j leads toward the first uncovered sample of row i at or after j, so that covered
	// samples are skipped quickly.
	next := make([]int32, fine*(fine+1))
	for i := range fine {
		for j := range fine + 1 {
			next[i*(fine+1)+j] = int32(j)
		}
	}
	out := &Leaves{}
	for left := fine * fine; left > 0; out.Fallen++ {
		leaf := fall(opt, rnd)
		if n := cover(samples, next, leaf, fine, over); n > 0 {
			left -= n
			out.Visible = append(out.Visible, leaf)
		}
	}
	out.Image = mat.NewDense(opt.Size, opt.Size, nil)
	for i := range fine {
		for j := range fine {
			v := out.Image.At(i/over, j/over) + float64(samples[i*fine+j])/float64(over*over)
			out.Image.Set(i/over, j/over, min(1, v))
		}
	}
	return out, nil
}

// fall draws a leaf that may touch the image. In the model, leaves are a Poisson process with uniform positions and
// with radii r of density r⁻³. A leaf of radius r reaches at most ρ = e r from its center (e = √Elongation), so it can
// touch an image of S pixels a side only if its center is in the square [−ρ, S+ρ]². Therefore fall draws radii with
// the density (S + 2 e r)² r⁻³ = S² r⁻³ + 4 S e r⁻² + 4 e² r⁻¹, a mixture of three powers.
func fall(opt LeavesOptions, rnd *rand.Rand) Leaf {
	S, a, b, e := float64(opt.Size), opt.RMin, opt.RMax, math.Sqrt(opt.Elongation)
	// Mass of each of the three powers between a and b.
	cubic := S * S / 2 * (1/(a*a) - 1/(b*b))
	square := 4 * S * e * (1/a - 1/b)
	simple := 4 * e * e * math.Log(b/a)
	var l Leaf
	pick, u := rnd.Float64()*(cubic+square+simple), rnd.Float64()
	switch {
	case pick < cubic:
		l.Radius = 1 / math.Sqrt(1/(a*a)+u*(1/(b*b)-1/(a*a)))
	case pick < cubic+square:
		l.Radius = 1 / (1/a + u*(1/b-1/a))
	default:
		l.Radius = a * math.Pow(b/a, u)
	}
	l.X = rnd.Float64()*(S+2*e*l.Radius) - e*l.Radius
	l.Y = rnd.Float64()*(S+2*e*l.Radius) - e*l.Radius
	l.Aspect = math.Pow(opt.Elongation, rnd.Float64())
	l.Angle = math.Pi * rnd.Float64()
	l.Gray = rnd.Float64()
	return l
}

// form returns the coefficients of a quadratic form: a point at the offset (dx, dy) from the center is in the leaf if
// p dx² + 2 q dx dy + r dy² ≤ 1.
func (l Leaf) form() (p, q, r float64) {
	sin, cos := math.Sincos(l.Angle)
	long, short := 1/(l.Radius*l.Radius*l.Aspect), l.Aspect/(l.Radius*l.Radius)
	return long*cos*cos + short*sin*sin, (long - short) * sin * cos, long*sin*sin + short*cos*cos
}

// cover assigns the leaf's gray to all uncovered samples that are in the leaf, and returns their number. fine is the
// number of samples along one side of the image, and over is the number along one side of a pixel. A comment in
// DeadLeaves describes next.
func cover(samples []float32, next []int32, l Leaf, fine, over int) int {
	p, q, r := l.form()
	// In y the ellipse reaches √(p/(pr−q²)); pr−q² is 1/Radius⁴.
	reach := math.Sqrt(p) * l.Radius * l.Radius
	count := 0
	first := int(math.Floor(clamp((l.Y-reach)*float64(over), 0, float64(fine))))
	last := int(math.Ceil(clamp((l.Y+reach)*float64(over), 0, float64(fine))))
	for i := first; i < last; i++ {
		dy := (float64(i)+0.5)/float64(over) - l.Y
		// p dx² + 2 q dy dx + r dy² − 1 = 0
		disc := q*q*dy*dy - p*(r*dy*dy-1)
		if disc < 0 {
			continue
		}
		root := math.Sqrt(disc)
		lo, hi := l.X+(-q*dy-root)/p, l.X+(-q*dy+root)/p
		j := int(math.Ceil(clamp(lo*float64(over)-0.5, 0, float64(fine))))
		end := int(math.Floor(clamp(hi*float64(over)-0.5, -1, float64(fine-1))))
		row := next[i*(fine+1) : (i+1)*(fine+1)]
		for j = nextUncovered(row, j); j <= end; j = nextUncovered(row, j) {
			samples[i*fine+j] = float32(l.Gray)
			row[j] = int32(j + 1)
			count++
		}
	}
	return count
}

// nextUncovered returns the index of the first uncovered sample of a row at or after j, or len(row)−1 if there is
// none. If sample j is uncovered, row[j] is j; otherwise row[j] is the index of a later sample, from which the search
// continues. nextUncovered shortens these chains as it follows them.
func nextUncovered(row []int32, j int) int {
	for int(row[j]) != j {
		row[j] = row[row[j]]
		j = int(row[j])
	}
	return j
}

// Patches cuts n square patches of p × p pixels from random places of an image and returns them as the rows
// of a matrix (n × p²), with the pixels of a patch in row-major order. If removeMean is set, every patch has
// mean 0. Patches panics if the image is smaller than a patch, if n or p is not positive, or if the patches
// have more than 2²⁶ pixels in total. An image with NaN or infinite values is an error.
func Patches(image *mat.Dense, p, n int, removeMean bool, seed uint64) (*mat.Dense, error) {
	h, w := image.Dims()
	if p <= 0 || n <= 0 || p > h || p > w || n > maxValues/(p*p) {
		panic(fmt.Sprintf("synth: Patches: %d patches of %d × %d pixels from an image of %d × %d", n, p, p, h, w))
	}
	for i := range h {
		for j := range w {
			if v := image.At(i, j); !finite.Is(v) {
				return nil, fmt.Errorf("synth: Patches: pixel %d, %d of the image is %v", i, j, v)
			}
		}
	}
	rnd := random(seed, streamPatches, 0)
	X := mat.NewDense(n, p*p, nil)
	for k := range n {
		top, left := rnd.IntN(h-p+1), rnd.IntN(w-p+1)
		patch := X.RawRowView(k)
		mean := 0.0
		for i := range p {
			for j := range p {
				v := image.At(top+i, left+j)
				patch[i*p+j] = v
				mean += v / float64(p*p)
			}
		}
		if removeMean {
			for i := range patch {
				patch[i] -= mean
			}
		}
	}
	return X, nil
}
