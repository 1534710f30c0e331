// Package tsne draws maps of points in many dimensions by t-SNE: L. van der Maaten and G. Hinton, Visualizing Data
// using t-SNE, JMLR 9 (2008), with the sparse affinities and the quadtree of L. van der Maaten, Accelerating t-SNE
// using Tree-Based Algorithms, JMLR 15 (2014).
//
//	r, err := tsne.Fit(ctx, X, nil)         // X is n×d, one point per row; r.Y is n×2
//	tsneplot.Map(r, "digits", labels, nil)  // colored, with the classes' names at their medians
//
// # What is minimized
//
//	C = KL(P‖Q) = Σ_ij p_ij log(p_ij/q_ij)
//
//	p_j|i = e^(−β_i‖x_i−x_j‖²) / Σ_k≠i e^(−β_i‖x_i−x_k‖²),   β_i = 1/2σ_i²    (1)
//	p_ij  = (p_j|i + p_i|j) / 2n
//	q_ij  = w_ij/Z,   w_ij = 1/(1 + ‖y_i−y_j‖²),   Z = Σ_k≠l w_kl               (4)
//
// The minimum is over y_1..y_n in the plane, or in Options.Dimensions dimensions. Options.Metric may replace ‖x_i−x_j‖
// by another distance. β_i is such that p_·|i has the entropy log(perplexity). The gradient is an attraction by the
// few near neighbors, minus a repulsion by all points:
//
//	∂C/∂y_i = 4 Σ_j (p_ij − q_ij) w_ij (y_i − y_j)                              (5)
//	        = 4 ( Σ_j p_ij w_ij (y_i − y_j) − 1/Z Σ_j w_ij² (y_i − y_j) )
//
// Equation numbers are those of van der Maaten and Hinton.
//
// # Files, in reading order
//
//	options.go     options and their defaults
//	tsne.go        Fit and its Result; the descent
//	exact.go       C and its gradient over all pairs: the reference
//	affinities.go  P: perplexity, symmetry
//	neighbors.go   the nearest neighbors, by products of matrices
//	metric.go      cosine distance, and given distances
//	start.go       the first map
//	barneshut.go   the gradient with cells for distant points
//	tree.go        the quadtree: one array, sorted along a Hilbert curve
//	octree.go      the same in space, along the Morton curve
//	student.go     other degrees of freedom
//	kernel.go      the inner loops, in Go; kernel_amd64.s has them for AVX2 and AVX-512,
//	               neon_arm64.s (written by gen) for NEON
//	trust.go       trustworthiness of a map
//
// Package tsneplot draws.
//
// # Three dimensions
//
// Options.Dimensions sets the number of dimensions of the map. For three dimensions there is an octree, in float64 and
// only in Go: O(n log n) per step, but with longer lists than in the plane and without vector instructions. In other
// dimensions the gradient is exact, O(n²) per step, which is practical for a few thousand points. 250 steps of a
// three-dimensional map of 3,000 MNIST digits (one thread of a busy machine) took 12.0 s with the octree and 61.7 s
// over all pairs.
//
// Van der Maaten and Hinton chose a kernel with one degree of freedom (ν = 1) for maps in the plane. In D > 2
// dimensions scikit-learn takes ν = D − 1, and so minimizes another divergence. To compare maps, set
// Affinities.DegreesOfFreedom: each map should be judged by the function that it minimizes. With ν = 2 scikit-learn
// 1.9.1 does not quite minimize its divergence. Its gradient has w in place of 1/(1 + ‖y_i−y_j‖²/ν), so it is the
// derivative of the divergence only for ν = 1. (For ν = 2, at a random map of 40 points, it is off by half of its
// length.) The table is from BenchmarkSpace: 1,000 steps on one thread of a busy machine, with one pair of runs for
// each ν.
//
//	                            time           C, ν = 1   C, ν = 2   trustworthiness, k = 10
//	ν = 1, octree               23 s           1.132      1.184      0.9903
//	ν = 1, all pairs                           1.131      1.185      0.9903
//	ν = 2, octree               51 s           1.368      0.946      0.9891
//	ν = 2, all pairs                           1.367      0.945      0.9892
//	scikit-learn, Barnes-Hut    92 s, 123 s    1.458      1.084      0.9909
//
// # Can a map be trusted?
//
// Trustworthiness measures to what extent neighbors in the map are neighbors in the data. Unlike divergences, it can
// compare maps of different kinds and dimensions.
//
// # Barnes and Hut, for vectors
//
// A cell at distance d, with its points in a box of diagonal s, counts as one point at its center of mass if s < θd.
// The reference programs decide this for each point, using the side of the whole cell. Here 64 points that are
// neighbors in the map traverse the tree together, and d is the distance to the box around them. Their list of cells
// and points is longer than that of a single point, but it is the same for all 64, so 16 points at a time fit into a
// vector register. This is both faster and closer to the exact gradient. The gradient of the map of 10,000 MNIST digits
// after 600 steps, with θ = 0.5 and one thread, took 3.5 ms and was off by 8 % of its norm (which is small there: the
// two forces nearly cancel). The gradient of scikit-learn 1.2 took 160 ms and was off by 34 %.
//
// Interpolation on a grid with the fast Fourier transform (G. C. Linderman et al., Nature Methods 16, 2019) is not
// implemented because it would be slower. For such a map it needs about nine transforms of 900×900 numbers. Each
// transform takes gonum many milliseconds, while the whole repulsion by the tree takes about 2.
//
// # Invariants
//
// No input is modified. Results have the same bits for the same options, regardless of GOMAXPROCS and Workers: the
// order of all sums depends only on n (also in the products of gonum and of package gemm). The bits differ between
// instruction sets. The descent is chaotic: a change in the last bit leads, after a few hundred steps, to another map
// of about the same divergence.
//
// Maps do not depend on the translation, scale or rotation of X, except for rounding. (With Metric Cosine they do not
// depend on the norms of points; with Precomputed, not on the scale of the distances.) P is symmetric with sum 1, and
// every point has at least 1/2n of this sum, so outliers are placed too. The neighbors are exact: see nearest.
//
// For up to ExactLimit points, Result.KL is exact for the sparse P, with Z summed over all pairs. The history uses the
// Z of the method, which is slightly too small with Barnes-Hut: at a distance, w at the center of mass of a cell is
// usually below the mean of w over its points.
//
// # Errors and panics
//
// Fit returns an error for bad data and options. It panics if Init has the wrong shape, and KL, Gradient and package
// tsneplot panic if arguments do not fit. Messages of this package begin with "tsne: ".
//
// # Traps
//
//   - Distances between clusters mean little, and sizes of clusters nothing: each
//     point has its own β, which makes dense clusters wide and wide clusters dense.
//     Only near neighbors are preserved. A start from principal components (the
//     default) preserves some of the global structure; a random start does not.
//   - Clusters can come from noise. With a small perplexity a map of one normal
//     distribution has lumps. Look at several perplexities (5 to 50, and n/100 for
//     large n) and seeds before you believe in a cluster.
//   - Perplexity is not the number of neighbors but 2 to the power of the entropy in bits; a map
//     takes about three times as many points into account. Perplexity must be well below n.
//   - The conditional p_j|i sum to 1 for each i; the joint p_ij sum to 1 in total.
//     Programs that exaggerate, or compare divergences, must use the joint.
//   - Divergences can be compared only for the same P: the same points, perplexity
//     and number of neighbors. BarnesHut leaves out affinities that Exact
//     has, so their C differ.
//   - The exaggerated steps minimize another function; C need not fall during them.
//   - New points cannot be added to a map: t-SNE has no function from x to y.
//   - The gradient has the factor 4 here and in scikit-learn. Programs without it
//     have learning rates four times as large for the same steps.
//   - In many dimensions all distances are similar. Taking principal components first (50,
//     say) removes noise and saves time.
//   - A start with a large spread, where few w are near 1, hardly moves.
//   - Coordinates in different units must be scaled by the caller: distances are
//     Euclidean, unless Options.Metric says otherwise. Trustworthiness is always Euclidean;
//     for points of norm 1, the nearest neighbors are the same with Cosine.
//
// # Cost
//
// The neighbors take n²d multiplications, the rest about n log n per step. The table has the times of BenchmarkSklearn
// for a whole fit: the map of 10,000 MNIST digits in 50 principal components. Each row is one pair of runs on a busy
// shared machine with AVX-512.
//
//	              this      scikit-learn 1.2.1    KL, exact
//	1 thread      10.0 s    158 s                 1.694 against 1.708
//	2 threads      6.9 s    109 s                 1.694 against 1.708
package tsne
