// Package tsne draws maps of points in many dimensions by t-SNE: L. van der Maaten and
// G. Hinton, Visualizing Data using t-SNE, JMLR 9 (2008), with the sparse affinities and
// the quadtree of L. van der Maaten, Accelerating t-SNE using Tree-Based Algorithms,
// JMLR 15 (2014).
//
//	r, err := tsne.Fit(ctx, X, nil)         // X is n×d, a point per row; r.Y is n×2
//	tsneplot.Map(r, "digits", labels, nil)  // coloured, the classes' names at their medians
//
// # What is minimised
//
//	C = KL(P‖Q) = Σ_ij p_ij log(p_ij/q_ij)
//
//	p_j|i = e^(−β_i‖x_i−x_j‖²) / Σ_k≠i e^(−β_i‖x_i−x_k‖²),   β_i = 1/2σ_i²    (1)
//	p_ij  = (p_j|i + p_i|j) / 2n
//	q_ij  = w_ij/Z,   w_ij = 1/(1 + ‖y_i−y_j‖²),   Z = Σ_k≠l w_kl               (4)
//
// over y_1..y_n in the plane, or in Options.Dimensions dimensions. β_i is such that p_·|i has the entropy log(perplexity).
// The gradient is an attraction by the few near neighbours, less a repulsion by
// all points:
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
//	neighbours.go  the nearest neighbours, by products of matrices
//	start.go       the first map
//	barneshut.go   the gradient with cells for distant points
//	tree.go        the quadtree: one array, sorted along a Hilbert curve
//	octree.go      the same in space, along Morton's curve
//	kernel.go      the inner loops, in Go; kernel_amd64.s has them for AVX2 and AVX-512,
//	               neon_arm64.s (made by gen) for NEON
//	trust.go       trustworthiness of a map
//
// Package tsneplot draws.
//
// # Three dimensions
//
// Options.Dimensions asks for a map in any small number of them. In space there is an octree,
// in float64 and Go alone: O(n log n) a step, but with longer lists than in the plane and
// without vectors. In other dimensions the gradient is exact, O(n²) a step, which is for some
// thousands of points.
//
// # Is a map to be trusted?
//
// Trustworthiness says how far the neighbours in the map are neighbours in the data. It
// compares maps of other kinds and dimensions, too, which divergences do not.
//
// # Barnes and Hut, for vectors
//
// A cell at the distance d whose points lie in a box of diagonal s counts as one
// point at its centre of mass if s < θd. The reference programs decide this for
// each point, by the side of the whole cell. Here 64 points that are neighbours in the
// map walk the tree together, and d is the distance to the box around them: their
// lists are longer and the same for all 64, so that 16 points at a time go through
// them in a vector register. This is both faster and nearer to the exact gradient.
// At the map of 10,000 MNIST digits after 600 steps and θ = 0.5, one thread, a
// gradient took 3.5 ms and was off by 8 % of its norm (which is small there: the two
// forces nearly cancel); scikit-learn 1.2's took 160 ms and was off by 34 %.
//
// Interpolation on a grid with the fast Fourier transform (G. C. Linderman et al.,
// Nature Methods 16, 2019) is not here because it would be slower: for such a map it needs
// about nine transforms of 900×900 numbers, and each takes gonum many milliseconds,
// where all repulsion by the tree takes about 2.
//
// # Invariants
//
// No input is modified. Results are the same bits for the same options, whatever
// GOMAXPROCS and Workers, since all sums are taken in an order that depends on n alone
// (and gonum's products, or package gemm's, do the same). They differ between
// instruction sets, and the descent is chaotic: a change in the last bit leads, after
// some hundreds of steps, to another map of about the same divergence.
//
// Maps do not depend on the place, scale and rotation of X, but for rounding. P has sum
// 1, is symmetric, and every point has at least 1/2n of it, so that outliers have a
// place too. The neighbours are exact: see nearest.
//
// Result.KL is exact up to ExactLimit points: the sparse P with Z over all pairs. The
// history has the Z of the method, which Barnes-Hut makes a little too small (the
// centre of mass of a cell is nearer than its points are in the mean of w).
//
// # Errors and panics
//
// Fit returns an error for bad data and options. It panics if Init has the wrong shape, and
// KL, Gradient and package tsneplot panic if arguments do not fit. Messages
// of this package begin with "tsne: ".
//
// # Traps
//
//   - Distances between clusters mean little, and sizes of clusters nothing: each
//     point has its own β, which makes dense clusters wide and wide ones dense.
//     Near neighbours are what is kept. A start from principal components (the
//     default) keeps something of the large structure; a random one does not.
//   - Clusters can come from noise. With a small perplexity a map of one normal
//     distribution has lumps. Look at several perplexities (5 to 50, and n/100 for
//     large n) and seeds before believing in one.
//   - Perplexity is not a number of neighbours but 2 to the entropy in bits; a map
//     takes about three times as many points into account. It must be well below n.
//   - The conditional p_j|i sum to 1 for each i; the joint p_ij sum to 1 in all.
//     Programs that exaggerate, or compare divergences, must use the joint.
//   - Divergences can be compared for the same P only: the same points, perplexity
//     and number of neighbours. A method that leaves affinities out has another C.
//   - The exaggerated steps minimise another function; C need not fall in them.
//   - New points cannot be added to a map: t-SNE has no function from x to y.
//   - The gradient has the factor 4 here and in scikit-learn. Programs without it
//     have learning rates four times as large for the same steps.
//   - In many dimensions distances are all alike. Taking principal components first (50,
//     say) removes noise and saves time.
//   - A start with a large spread, where few w are near 1, hardly moves.
//   - Coordinates that differ in unit must be scaled by the caller: distances are
//     Euclidean.
//
// # Cost
//
// The neighbours take n²d multiplications, the rest about n log n for each step.
// BenchmarkSklearn, on a busy shared machine with AVX-512, 10,000 MNIST digits in
// 50 principal components, everything included, one pair of runs each:
//
//	              this      scikit-learn 1.2.1    KL, exact
//	1 thread      10.0 s    158 s                 1.694 against 1.708
//	2 threads      6.9 s    109 s                 1.694 against 1.708
package tsne
