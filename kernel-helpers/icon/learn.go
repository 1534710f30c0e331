package icon

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// FitOptions configures FitMethod. nil and the zero value of each field mean the default. A method ignores
// the fields that it does not use.
type FitOptions struct {
	Dimensions  int     // k of the embedding. 0: 2
	Perplexity  float64 // perplexity of p. 0 means 30, or a third of the number of points if that is less
	Neighbors   int     // number of neighbors of each point in the graph for eigenmaps. 0 means 10
	Clusters    int     // 0: 10
	Sigma       float64 // width σ of K-means' p. 0 means half the root mean squared distance to the 10th neighbor
	Temperature float64 // τ of cosine kernels. 0: 0.5
	Steps       int     // 0: 500
	Seed        uint64
	// Neighbours is the old name of Neighbors. It is used if Neighbors is 0.
	//
	// Deprecated: use Neighbors.
	Neighbours int
	// Recorder receives an event for each step. It may be nil.
	Recorder progress.Recorder
}

// FitMethod fits an objective to the rows of X (n×d), with descent settings that suit it. method is the objective's
// name in the table of Instances; case does not matter. Only SupCon and cross-entropy need labels (0, 1, ..). FitMethod
// supports neither SimCLR, which needs images (see FitContrast), nor X-Sample, which needs side information (see
// XSample). There are two kinds of t-SNE: one has a joint distribution, and the other has a distribution for each row.
// Both use early exaggeration if the perplexity is at most a sixth of the number of points.
//
//	r, err := icon.FitMethod(ctx, X, nil, "t-SNE", nil)
func FitMethod(ctx context.Context, X mat.Matrix, labels []int, method string, options *FitOptions) (*Result, error) {
	var opt FitOptions
	if options != nil {
		opt = *options
	}
	if opt.Neighbors == 0 {
		opt.Neighbors = opt.Neighbours
	}
	data, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("icon: FitMethod: %w", err)
	}
	n, d := data.Dims()
	for _, v := range []struct {
		name string
		at   *int
		def  int
	}{{"Dimensions", &opt.Dimensions, 2}, {"Neighbors", &opt.Neighbors, min(10, n-1)}, {"Clusters", &opt.Clusters, min(10, n)}, {"Steps", &opt.Steps, 500}} {
		if *v.at == 0 {
			*v.at = v.def
		}
		if err := option.Check("icon: FitMethod", option.Count(v.name, *v.at)); err != nil {
			return nil, err
		}
	}
	if err := option.Check("icon: FitMethod", option.NotNegative("Perplexity", opt.Perplexity), option.NotNegative("Sigma", opt.Sigma), option.NotNegative("Temperature", opt.Temperature)); err != nil {
		return nil, err
	}
	if opt.Perplexity == 0 {
		opt.Perplexity = math.Min(30, float64(n)/3)
	}
	how := Options{Steps: opt.Steps, Decay: true, Recorder: opt.Recorder}
	// Early exaggeration collapses all points permanently into one, unless the perplexity is much smaller
	// than n; see Traps in the package comment.
	exaggeration := 4.0
	if opt.Perplexity > float64(n)/6 {
		exaggeration = 1
	}
	if ctx == nil {
		ctx = context.Background()
	}
	var o *Objective
	var failure error
	own, ownLabels := mat.DenseCopyOf(data), slices.Clone(labels)
	err = parallel.Await(ctx, float64(n)*float64(n)*float64(d+100), func() {
		o, how, failure = objective(own, ownLabels, method, &opt, how, exaggeration)
	})
	if err != nil {
		return nil, fmt.Errorf("icon: FitMethod: %w", err)
	}
	if failure != nil {
		return nil, failure
	}
	return Minimize(ctx, o, &how)
}

// objective returns the objective of the given method, and the options for Minimize. The returned options are base,
// with changes that suit the method. Both kinds of t-SNE get the given exaggeration.
func objective(data *mat.Dense, labels []int, method string, opt *FitOptions, base Options, exaggeration float64) (o *Objective, _ Options, err error) {
	n, d := data.Dims()
	switch strings.ToLower(method) {
	case "sne":
		o, err = SNE(data, opt.Perplexity, opt.Dimensions, opt.Seed)
		base.Rate = 0.1
	case "t-sne":
		o, err = TSNE(data, opt.Perplexity, opt.Dimensions, opt.Seed)
		base.Method, base.Exaggeration, base.Rate, base.Decay = Momentum, exaggeration, math.Max(50, float64(n)/12), false
	case "t-sne by rows":
		o, err = ConditionalTSNE(data, opt.Perplexity, opt.Dimensions, opt.Seed)
		base.Rate, base.Exaggeration = 0.5, exaggeration
	case "pca":
		o, err = PCA(data, opt.Dimensions, opt.Seed)
		base.Tolerance = -1
	case "laplacian eigenmaps":
		var p *Given
		if p, err = NeighborsP(data, opt.Neighbors); err == nil {
			o, err = Eigenmaps(p, opt.Dimensions, opt.Seed)
		}
		base.Tolerance = -1
	case "k-means":
		if opt.Sigma == 0 {
			opt.Sigma, err = typicalWidth(data, min(10, n-1))
		}
		if err == nil {
			o, err = KMeans(data, opt.Clusters, opt.Sigma, 0, opt.Seed)
		}
		base.Rate = 0.1
	case "supcon":
		o, err = SupCon(data, labels, NewEncoder(opt.Seed, 1, d, 128, 64, 16), opt.Temperature)
		base.Rate = 0.002
	case "cross-entropy":
		m := 0
		for _, l := range labels {
			m = max(m, l+1)
		}
		o, err = CrossEntropy(data, labels, m)
	default:
		err = fmt.Errorf("icon: FitMethod: method %q is unknown or needs more than points; see Instances", method)
	}
	return o, base, err
}

// typicalWidth returns half the root mean square of the distances from each row of X to its k-th nearest neighbor.
func typicalWidth(X *mat.Dense, k int) (float64, error) {
	D, err := pairwise("FitMethod", X, 2)
	if err != nil {
		return 0, err
	}
	n, _ := D.Dims()
	far := make([]float64, n)
	eachRow(n, func(i int) {
		row := D.RawRowView(i)
		far[i] = row[nearest(row, i, k)[k-1]]
	})
	s := 0.0
	for _, v := range far {
		s += v / float64(n)
	}
	return math.Sqrt(s) / 2, nil
}
