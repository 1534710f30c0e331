package tsne

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/ui/progress"
)

// A Method is a way to compute the gradient.
type Method int

const (
	// BarnesHut uses one cell for many distant points, and leaves out the affinities of points that are not
	// near neighbors: O(n log n) per step. It is for maps in two and three dimensions. In other dimensions it
	// leaves out the same affinities but uses no cells, and Result.Method is Exact.
	BarnesHut Method = iota
	// Exact sums over all pairs, in float64: O(n²) per step, and about 54 n² bytes unless Options.Neighbors is given
	// (see package memory). It is for a few thousand points, and is the reference in the tests of BarnesHut.
	Exact
)

// String returns the name of the method.
func (m Method) String() string {
	switch m {
	case BarnesHut:
		return "BarnesHut"
	case Exact:
		return "Exact"
	}
	return fmt.Sprintf("Method(%d)", int(m))
}

// A Start specifies the initial map.
type Start int

const (
	// PCA starts from the first principal components, as many as the map has dimensions, scaled so that the
	// first has a standard deviation of 1e-4. The map then preserves more of the data's global structure than
	// with a random start.
	PCA Start = iota
	// Random starts from a normal distribution of standard deviation 1e-4.
	Random
	// Given starts from Options.Init, unscaled.
	Given
)

// String returns the name of the start.
func (s Start) String() string {
	switch s {
	case PCA:
		return "PCA"
	case Random:
		return "Random"
	case Given:
		return "Given"
	}
	return fmt.Sprintf("Start(%d)", int(s))
}

// Options are the options of Fit. The zero value, and a nil *Options, mean the defaults.
type Options struct {
	// Perplexity is roughly the number of neighbors that affect a point: above 1 and below n − 1. 0 means 30, or a
	// third of n if there are too few points for 30.
	Perplexity float64
	// Neighbors is the number of nearest neighbors with an affinity to a point. 0 means 3·Perplexity + 1 for BarnesHut
	// and n − 1 for Exact. Each neighbor of each point takes 54 bytes.
	Neighbors int
	// Neighbours is Neighbors under its old name.
	//
	// Deprecated: use Neighbors.
	Neighbours int
	// Steps is the total number of steps. 0 means 1000.
	Steps int
	// EarlyExaggeration multiplies the affinities in the first steps, which lets clusters pass through each other. 0
	// means 12, and 1 means none.
	EarlyExaggeration float64
	// ExaggeratedSteps is the number of exaggerated steps. 0 means 250, or all if Steps is smaller.
	ExaggeratedSteps int
	// LearningRate is the step length η. 0 means max(n/EarlyExaggeration/4, 50), as in scikit-learn since 1.2 (its
	// gradient has the factor 4, as here).
	LearningRate float64
	// Dimensions is the number D of coordinates of the map, 1 to 64. 0 means 2. If D is neither 2 nor 3, there is no
	// tree: the forces are summed over all pairs, O(n²D) per step, and Theta has no effect.
	Dimensions int
	// DegreesOfFreedom is ν of the map's kernel, w = (1 + ‖y_i−y_j‖²/ν)^(−(ν+1)/2). 0 means 1, van der Maaten and
	// Hinton's choice for the plane; scikit-learn has D − 1 in more than two dimensions. With a larger ν the kernel has
	// lighter tails, so clusters are less far apart. If ν is not 1, maps in the plane use the tree for three
	// dimensions, in float64 and without assembly. An integer ν is fastest.
	DegreesOfFreedom float64
	// Theta is the relative size up to which a cell stands for its points. The relative size is the diagonal of the box
	// around the points, divided by the distance of the cell. 0 means 0.5. Negative: no cell stands for its points, and
	// the repulsion is exact up to float32.
	Theta float64
	// Metric is the distance between points.
	Metric Metric
	// Method is the algorithm for the gradient.
	Method Method
	// Start is the kind of initial map. If Start is Given, Init (n×Dimensions) is the initial map.
	Start Start
	Init  mat.Matrix
	// Seed is used with Start Random.
	Seed uint64
	// MinGradNorm ends the descent when ‖∇C‖ is at most this. 0 means 1e-7. Negative: never.
	MinGradNorm float64
	// Patience ends the descent after this many steps without a new minimum of the divergence. 0 means 300. Negative:
	// never. MinGradNorm and Patience are checked every 50 steps, but not in the first ExaggeratedSteps.
	Patience int
	// Workers is the number of goroutines. 0 means runtime.GOMAXPROCS(0). Results do not depend on it. (gemm.SetWorkers
	// sets the number for matrix products.)
	Workers int
	// Recorder receives the progress of a fit. May be nil.
	Recorder progress.Recorder
}

// checkEvery is the number of steps between checks of the divergence.
const checkEvery = 50

// maxDimensions is the largest number of dimensions of a map, more than is useful.
const maxDimensions = 64

// complete checks the options for n points and fills in the defaults.
func (o *Options) complete(n int) (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Method != BarnesHut && c.Method != Exact {
		return c, fmt.Errorf("tsne: unknown method %v", c.Method)
	}
	if c.Start != PCA && c.Start != Random && c.Start != Given {
		return c, fmt.Errorf("tsne: unknown start %v", c.Start)
	}
	if c.Metric != Euclidean && c.Metric != Cosine && c.Metric != Precomputed {
		return c, fmt.Errorf("tsne: unknown metric %v", c.Metric)
	}
	if (c.Start == Given) == isNil(c.Init) {
		return c, errors.New("tsne: Init must be given if and only if Start is Given")
	}
	if c.Dimensions < 0 || c.Dimensions > maxDimensions {
		return c, fmt.Errorf("tsne: Dimensions is %d, must be from 1 to %d, or 0 for 2", c.Dimensions, maxDimensions)
	}
	if c.Dimensions == 0 {
		c.Dimensions = 2
	}
	if c.Start == Given {
		if r, k := c.Init.Dims(); r != n || k != c.Dimensions {
			panic(fmt.Sprintf("tsne: Init is %d×%d, must be %d×%d", r, k, n, c.Dimensions))
		}
		if err := finite.Check("Init", c.Init); err != nil {
			return c, fmt.Errorf("tsne: %w", err)
		}
		if large := largest(c.Init); large > 1e15 { // squared distances are float32
			return c, fmt.Errorf("tsne: elements of Init reach %.3g, and their squares could overflow", large)
		}
	}
	if c.Perplexity == 0 && n <= 31 {
		if n < 4 {
			return c, fmt.Errorf("tsne: X has %d points, must have at least 4", n)
		}
		c.Perplexity = float64(n) / 3
	}
	for _, v := range []struct {
		name  string
		at    *float64
		usual float64
	}{
		{"Perplexity", &c.Perplexity, 30},
		{"EarlyExaggeration", &c.EarlyExaggeration, 12},
		{"LearningRate", &c.LearningRate, 0},
		{"Theta", &c.Theta, 0.5},
		{"MinGradNorm", &c.MinGradNorm, 1e-7},
		{"DegreesOfFreedom", &c.DegreesOfFreedom, 1},
	} {
		if *v.at == 0 {
			*v.at = v.usual
		}
		if math.IsNaN(*v.at) || math.IsInf(*v.at, 0) || *v.at < 0 && v.at != &c.Theta && v.at != &c.MinGradNorm {
			return c, fmt.Errorf("tsne: %s is %v, must be positive and finite", v.name, *v.at)
		}
	}
	if c.DegreesOfFreedom > 1e6 {
		return c, fmt.Errorf("tsne: DegreesOfFreedom is %v, must be at most 1e6, where the kernel is practically a Gaussian", c.DegreesOfFreedom)
	}
	if c.LearningRate == 0 {
		c.LearningRate = math.Max(float64(n)/c.EarlyExaggeration/4, 50)
	}
	c.Theta = math.Max(0, c.Theta)
	if !(c.Perplexity > 1 && c.Perplexity < float64(n-1)) {
		return c, fmt.Errorf("tsne: Perplexity is %v, must be above 1 and below n − 1 = %d, the number of neighbors of a point", c.Perplexity, n-1)
	}
	if c.Steps < 0 || c.ExaggeratedSteps < 0 || c.Workers < 0 {
		return c, fmt.Errorf("tsne: Steps %d, ExaggeratedSteps %d and Workers %d must not be negative", c.Steps, c.ExaggeratedSteps, c.Workers)
	}
	if c.Steps == 0 {
		c.Steps = 1000
	}
	if c.ExaggeratedSteps == 0 {
		c.ExaggeratedSteps = 250
	}
	if c.Patience == 0 {
		c.Patience = 300
	}
	if c.Patience < 0 {
		c.Patience = math.MaxInt
	}
	if c.Neighbors == 0 {
		c.Neighbors = c.Neighbours
	}
	if c.Neighbors == 0 {
		c.Neighbors = n - 1
		if c.Method == BarnesHut {
			c.Neighbors = min(n-1, int(3*c.Perplexity+1))
		}
	}
	if c.Neighbors >= n || float64(c.Neighbors) <= c.Perplexity {
		return c, fmt.Errorf("tsne: Neighbors is %d, must be above Perplexity = %v and at most n − 1 = %d", c.Neighbors, c.Perplexity, n-1)
	}
	return c, nil
}
