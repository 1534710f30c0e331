// Package superposition implements the toy model of N. Elhage and others, Toy models of superposition (Transformer
// Circuits Thread, 2022). It shows how a network represents more features than it has dimensions if the features are
// sparse.
//
//	r, err := superposition.Fit(ctx, superposition.Sparse(5, 400, 0.1, 1), &superposition.Options{Hidden: 2})
//	r.Model.W    // 2×5: where each of the five features lies in the plane
//
// # What is minimized
//
//	x' = ReLU(Wᵀ W x + b)    W: m×n, m < n
//	L  = Σ_s p_s Σ_i I_i (x_si − x'_si)²
//
// L is minimized over W and b. The sample x_s has the weight p_s, and the weights sum to 1, so L is a mean or an
// expectation. I_i is the importance of feature i. A feature is 0 with probability 1 − p, otherwise uniform in [0, 1].
//
// Pair computes the expectation for two features by quadrature instead of sampling, so the phase diagram of two
// features in one dimension has no noise.
//
// # Traps
//
// The loss is not convex; Fit returns the best of several starts. With few starts, a boundary in a phase diagram may
// be an artifact of the search. Superposition depends on b: a negative b lets the ReLU remove interference.
//
// Fit is for features in [0, 1], such as Sparse and Pair return. If the features are measured in another unit, the
// minimum has the same W, and its b is in that unit. But Fit takes a different path to the minimum, because Adam moves
// W and b by about Rate in any unit.
//
// # Files
//
//	data.go   samples and expectations
//	model.go  the loss and its gradient
//	train.go  training
package superposition
