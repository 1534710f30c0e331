// Package superposition has the toy model of N. Elhage and others, Toy models of superposition
// (Transformer Circuits Thread, 2022): more features than dimensions, and whether a network stores
// the surplus when features are sparse.
//
//	r, err := superposition.Train(ctx, superposition.Sparse(5, 400, 0.1, 1), superposition.Options{Hidden: 2})
//	r.Model.W    // 2×5: where each of the five features lies in the plane
//
// # What is minimised
//
//	x' = ReLU(Wᵀ W x + b)    W: m×n, m < n
//	L  = Σ_s p_s Σ_i I_i (x_si − x'_si)²
//
// over W and b, for samples x_s with weights p_s (a mean, or an expectation), and the importance
// I_i of feature i. A feature is 0 with probability 1 − p, else uniform in [0, 1].
//
// Pair gives the expectation for two features by quadrature, without sampling: the phase diagram of
// two features in one dimension has no noise then.
//
// # Traps
//
// The loss is not convex, and the best of several starts is returned: with few starts a boundary
// in a phase diagram may be that of the search. b is what makes superposition pay: a negative
// one removes interference through the ReLU.
//
// # Files
//
//	data.go   samples and expectations
//	model.go  the loss and its gradient
//	train.go  training
package superposition
