// Package icon implements I-Con, a single loss for many methods of representation learning (S. Alshammari, J. Hershey,
// A. Feldmann, W. Freeman and M. Hamilton, "I-Con: A unifying framework for representation learning", 2025):
//
//	L(θ, φ) = 1/n Σ_i KL(p_θ(·|i)‖q_φ(·|i)) = 1/n Σ_i Σ_j p_θ(j|i) log p_θ(j|i)/q_φ(j|i).
//
// The supervisory distribution p(·|i) says how strongly each thing j is related to thing i. The learned distribution
// q(·|i) expresses the same relation through a representation. The choice of p and q defines the method:
//
//	o, err := icon.TSNE(X, 30, 2, 1)       // or SNE, PCA, Eigenmaps, KMeans, SupCon, ..
//	r, err := icon.Minimize(ctx, o, &icon.Options{Method: icon.Momentum, Exaggeration: 4})
//	r, err := icon.FitMethod(ctx, X, nil, "t-SNE", nil) // both steps in one line
//	iconplot.Embedding(r, labels)          // the embedding
//	iconplot.Matrices(o, labels)           // p and q as pictures
//	icon.KNNAccuracy(r.Embedding, labels, 5)
//	icon.Instances()                       // the table of all methods
//
// To define another method, combine two relations; see the example of Objective.
//
// # The engine
//
// A [Relation] supplies log-affinities a_ij; the [Objective] turns them into a distribution, exp(a_ij)/Σ_j exp(a_ij).
// Let a and b be the log-affinities of q and p, l_ij = log p_ij/q_ij, and KL_i = Σ_j p_ij l_ij. For every relation, the
// gradients are
//
//	∂L/∂a_ij = (q_ij − p_ij)/n
//	∂L/∂b_ij = p_ij (l_ij − KL_i)/n
//
// so a method only has to define the map from parameters to affinities. A [Pair] consists of an [Embedding] z = f_φ(x)
// (free points, a linear map, a network) and a [Kernel] that compares z_i with z_j (Gaussian, Student t, cosine,
// co-membership) or with class c (prototypes). The embedding and the kernel record their operations on a tape
// (package tape), which computes the gradient.
//
// # Rows or all pairs: SNE and t-SNE
//
// The I-Con equation has one distribution per row: q(j|i) = w_ij/Σ_l w_il. t-SNE has ONE distribution over all pairs,
// Q_ij = w_ij/Σ_kl w_kl, and P_ij = (p(j|i) + p(i|j))/2n. So t-SNE is not an instance of the I-Con equation. By the
// chain rule, with the row sums P_i and Q_i,
//
//	KL(P‖Q) = KL(P_i‖Q_i) + Σ_i P_i KL(P(·|i)‖Q(·|i)),
//
// which is the I-Con equation with weights P_i in place of 1/n, plus a term that makes the central points of the data
// central in the map, too. Objective.Joint treats P and Q as joint distributions, and TSNE then has the paper's cost
// and gradient, up to rounding. ConditionalTSNE is the version with one distribution per row, as in the table of the
// I-Con paper.
//
// # K-means
//
// With hard clusters, q(j|i) is 1/n_c within the cluster of i and 0 outside. Since p is positive outside, KL(p‖q) is
// infinite, which is why CoMembership has an ε. The inertia J = Σ_i ‖x_i − μ_c(i)‖² has an exact relation to the
// divergence in the opposite direction:
//
//	Σ_i KL(q(·|i)‖p(·|i)) = J/σ² + Σ_i log Z_i − Σ_i log n_c(i).
//
// In I-Con's direction, L is a cut: the mass of p between clusters times log 1/ε. L is an increasing affine function
// of J if p is wide and the clusters have equal sizes. In general, the minimum of L is not the minimum that
// Lloyd's algorithm finds. The tests show all three facts.
//
// # Learning θ
//
// With θ free, L has minima that ignore the data: any p = q has L = 0, for instance a uniform p with all points at the
// same place. Without the entropy of p (Objective.CrossEntropy, the usual form of contrastive losses) the problem is
// worse: the best p is a point mass on the j with the largest q, and the entropy of p goes to 0. Something must
// constrain p: side information that is not learned, or the penalty λ KL(p0‖p_θ), which keeps p near a prior p0
// (Objective.Anchor).
//
// # Files, in reading order
//
//	objective.go   the loss and its gradient
//	supervisor.go  fixed p: Gaussian, perplexity, neighbors, graph, labels, views
//	embedding.go   z: points, linear map, network
//	kernel.go      from z to affinities
//	pairs.go       distances and cosines with their derivatives
//	instances.go   the methods
//	fit.go         Minimize: gradient descent
//	learn.go       FitMethod: a method in one line
//	contrast.go    SimCLR in batches; views of images
//	quality.go     nearest neighbors, trustworthiness
//
// Package iconplot draws the results.
//
// # Invariants
//
// Data are not modified; Minimize changes only the parameters in an Objective. Results depend on data, options and
// seed, not on the number of processors. Each gradient is the exact gradient of the reported loss, up to rounding.
// Exaggeration is the exception: the steps then follow another loss on purpose. For points with more than 16
// coordinates, distances are computed with a matrix product; their error is about 1e-15 of the squared spread of the
// points.
//
// # Cost
//
// Each step takes O(n²) time and memory (about five n×n matrices), which is acceptable for a few thousand things. For
// larger data use the approximate t-SNE of package tsne.
//
// # Traps
//
//   - Losses of different methods cannot be compared: each method has its own p, and H(p)
//     sets the scale of its loss.
//   - This package takes means where papers take sums: SNE's cost is n L.
//   - Methods that compare points by distances give the same result if all data are shifted. If no
//     Sigma is set, the same holds if all data are scaled by one factor. But the unit of a single feature
//     matters, because a distance adds up the features. Cross-entropy, SupCon, SimCLR and X-Sample
//     depend on shifts, on scales and on units: the initial weights of prototypes, networks and linear maps
//     suit features of magnitude about 1, and each step of Adam changes a weight by about Rate.
//   - Perplexity is not a number of neighbors: a row with entropy log 30 may have
//     hundreds of neighbors, most with little weight.
//   - In SNE and t-SNE, cluster sizes and distances between clusters have no meaning, and
//     each seed gives a different picture.
//   - An Exaggeration of 12, usual for large n, collapses ALL points into one unless n/12 is
//     well above the perplexity. The paper's value, 4, gives a lower loss for hundreds of
//     points, but also collapses 500 points if the perplexity is 100 or more. FitMethod uses
//     no exaggeration if the perplexity is above n/6.
//   - PCA and Eigenmaps are limits of wide Gaussians. Their L differs only by a term of order
//     1/σ² from the constant log n − H, where H is the mean entropy of the rows of p (0 for PCA).
//     So a tolerance on the loss has no meaning.
//   - SimCLR's features are the outputs of the layer before the projection head. They do not represent
//     properties that the augmentations change.
//   - SimCLR counts other images of the same class in a batch as negatives.
package icon
