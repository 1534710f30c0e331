// Package kmeans finds k centers that minimize the inertia, the sum of squared distances of points to their nearest
// center,
//
//	J(μ, c) = Σ_i s_i ‖x_i − μ_{c(i)}‖²
//
// The weights s_i are 1 if none are given. The method is Lloyd's algorithm or, for speed, mini-batches. By default
// k-means++ chooses the first centers.
//
//	r, err := kmeans.Fit(ctx, X, &kmeans.Options{K: 10, Seed: 1})
//	kmeansplot.Inertia(r)                  // the inertia at each step
//	r.Predict(Y)                           // the nearest center of each new point
//	kmeans.AdjustedRand(r.Labels, truth)   // compared with known classes
//
// Shapes: X is n×d, one POINT PER ROW; the centers are k×d; labels are 0 to k−1.
//
// # What is computed
//
// Lloyd's algorithm (S. Lloyd, "Least squares quantization in PCM", 1982) alternates between the two halves of the
// problem, each of which has a closed form:
//
//	c(i) = argmin_a ‖x_i − μ_a‖²       given the centers
//	μ_a  = weighted mean of the x_i with c(i)=a given the labels
//
// Neither half can raise J, and there are finitely many labelings, so the algorithm ends, at a local minimum that
// depends on the start. k-means++ (D. Arthur and S. Vassilvitskii, 2007) draws each further center with probability
// proportional to D(x)², the squared distance to the nearest center so far: the expected J is then within 8(ln k + 2)
// of the least possible J. Here it is greedy, as the authors suggest: each center is the best of 2 + ⌊ln k⌋
// candidates. Fit keeps the restart with the least J.
//
// # How many centers
//
// Silhouette measures how much nearer the points are to their own cluster than to the next. The K with the largest
// mean silhouette is one answer (P. Rousseeuw, Silhouettes, J. Comput. Appl. Math. 20, 1987).
//
// # Speed
//
// BenchmarkSklearn compares 20 steps of Fit with 20 steps of scikit-learn 1.9.1 (algorithm="lloyd") from the same
// centers. The data are 20,000 pictures of 784 pixels. The numbers are ratios of processor times with AVX-512, medians
// of five runs on a busy machine. With 10 centers, Fit is 2.1 times as fast on one thread, and 2.0 times on two. With
// 50 centers, it is 1.2 times as fast on one thread. With few centers, memory speed is the limit, and Fit reads
// each point only once per step.
//
// # Files, in reading order
//
//	kmeans.go     Options, Model, Fit
//	start.go      k-means++
//	lloyd.go      the two halves, empty clusters
//	minibatch.go  D. Sculley's mini-batches
//	quality.go    adjusted Rand index, mutual information, matched accuracy; silhouette: how much nearer a point
//	              is to its own cluster than to the next
//
// Package kmeansplot draws.
//
// # Invariants
//
// No input is modified. The result depends on the data, the options and the seed, not on the number of processors or
// Workers. In a run of Lloyd's algorithm the inertia never rises, except by rounding and in steps that fill an empty
// cluster. Labels and Inertia are computed from the final Centers. Ties go to the first of the nearest centers.
//
// The distances are computed as ‖μ‖² − 2x·μ + ‖x‖² with one matrix product, after subtracting the mean of the data,
// because a large mean would cost digits. Where rounding of the product leaves open which center is the nearest,
// squared differences decide. The inertia is a sum of squared differences. Call gemm.Use() once in a program that
// wants speed.
//
// The mean of a sparse matrix (package csr) is not subtracted, because that would fill in the zeros. Rounding then
// leaves only nine digits of the inertia. The centers are dense.
//
// If all columns are converted to another unit or shifted to another origin, if constant columns are added, or if the
// columns are reordered, the result changes only by rounding. A change of the unit of one column changes the result
// (see Traps). A point of weight 2 is like two equal points, with one exception: an empty cluster receives the point
// with its whole weight, but only one of two equal points. The random draws depend on the order of the rows, so a
// different order of the rows, or repeated rows instead of weights, gives different starts.
//
// # Traps
//
//   - J only falls as k grows, so it cannot be used to choose k.
//   - Squared distances mean that units matter (scale the columns), that clusters
//     are taken to be round and of similar size, and that one far point can
//     keep a center to itself.
//   - Labels are names: cluster 3 of one run has nothing to do with cluster 3 of the
//     next. The functions of quality.go compare labels regardless of names.
//   - MatchedAccuracy pairs clusters with classes using the true labels. It is a
//     measure after the fact, not the accuracy of a classifier.
//   - Mini-batches are only for speed: their J is a little above Lloyd's.
package kmeans
