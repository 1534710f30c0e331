// Package lewicki contains the experiments of the notebook lewicki-sejnowski, which examines a blog post. The post
// walks through M. S. Lewicki and T. J. Sejnowski, Learning overcomplete representations (Neural Computation 12,
// 2000), compares it with sparse autoencoders, and keeps a log of experiments, E1 to E4.2, that ends in an
// unexplained divergence.
//
// Each statement of the post is a row of the results: the statement, the measurement, and a verdict that follows from
// a rule. If the statement does not hold, the row also gives the reason.
//
// # Files
//
//	e1.go         the data: Laplacian and exponential sources
//	e2.go         ŝ for a fixed A: comparison of all solvers
//	evidence.go   the Gaussian approximation of log P(x|A) and its gradient
//	rule.go       the steps from that gradient to the learning rule
//	e3.go         learning A from a perturbed and from a random start
//	e4.go         the cause of the runaway, and the cure
//	controls.go   the post's experiment with one property changed at a time
//	recovery.go   recovery from random starts over many seeds; noise (E4.2)
//	recover.go    one recovery experiment: many seeds, random starts
//	otherrules.go the printed update read literally; the rule of Olshausen and Field
//	coding.go     coding cost in bits against a Fourier basis
//	comparison.go ICA and a sparse autoencoder on the same data
//	exercises.go  the exercises for check.Exercise
//
// Results are written to figures/run/lewicki-sejnowski; the record, which is kept in the repository, is
// figures/lewicki-sejnowski.
package lewicki
