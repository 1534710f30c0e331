// Package memory sets how much memory one call to the library may take besides its arguments.
//
// Most functions need a small multiple of the memory of their arguments. The memory of the functions below grows
// faster. So even if the data fit, a call may need more memory than the machine has, and the system would end the
// program, or the notebook session, without a message. Before they begin, these functions estimate the memory that
// they need. If the estimate is more than half of the memory that the process may use, a function that can return an
// error returns one with the number of bytes; a function without an error result panics. To allow more, or less:
//
//	memory.SetLimit(20e9) // bytes
//	memory.SetLimit(-1)   // no limit
//
// # How much each function takes
//
// The numbers are bytes. n is the number of points, d of features, k of the components, centers or atoms to be found.
//
//	any function that makes a csr.Matrix dense; csr.Matrix.Dense                8nd
//	attention.Attend, SelfAttention, MultiHead   8nm for n queries and m keys, each head
//	attention.Transformer                        8n² for n tokens, each head, block and sequence
//	attention.Influence                          8n² for n positions
//	classify.Confuse                             8K² for K classes
//	classify.FitMDA                              24d²
//	dictionary.Fit                               16k² for k atoms, besides those of the coder
//	ica.Fit; GaussianEvidence                    16k²; 24k², for k columns
//	icon.GaussianP, PerplexityP, NeighborsP, SameLabelP, SelfP; ViewsP; ClassP
//	                                             8n²; 8(n·views)²; 8n·classes
//	implicit.Cholesky, LU                        16s² for s unknowns
//	klcoding.New with NewtonCG                   8k² for k atoms
//	l2svm.Fit with Gram (chosen up to 10,000 points); Load
//	                                             8n²; 4nd
//	nmf.Fit with Batch, for losses other than Frobenius
//	                                             16dk for each batch
//	nmf.Consensus                                8n²(ranks + 2)
//	nmfgrad.KKT.Jacobian; Unroll                 8s² for s unknowns; 8(n + d)k for each iteration
//	nnls.Solve                                   8d² for d columns, and as much for each processor
//	num.Add, Sub, Mul, Div of a row and a column 8nd for the n×d result
//	pca.FullSVD                                  16(n² + d²)
//	pca.Fit with ByCovariance or ByDual on the longer side of X, Scatter
//	                                             24d² or 24n²
//	pursuit.Lasso, FISTA                         8k² for k columns; Lasso 20k² if 300 sweeps are not enough
//	recovery.Coherence                           8k² for k atoms
//	regress.FitRidge, FitRidgePath, FitRidgeTargets, for a csr.Matrix
//	                                             32 min(n, d)²
//	regress.FitLeastSquares                      32nd, also for a csr.Matrix
//	s3c.Model.LeastSquares                       24k² for k units
//	sparseapprox.NewCoder, Solve                 12k² for k atoms
//	superposition.Model.Interference             8d² for d features
//	topics.Fit, FitSupervised, Model.Transform   8 for each word of the documents, with repetitions,
//	                                             and 12k(n + d) for d different words
//	tsne.Fit, NewAffinities                      54n·Neighbors; Neighbors is n − 1 with Exact
//	unrolled.New                                 16k² for k atoms
//	vision.ExtractFeatures; Hold                 12 for each image and feature; 4 for each patch and pixel
//	wordcount.Vocabulary.Transform               8nd for d words
//
// Some memory depends on the data and is not estimated: the regularization path of sparseapprox.Coder.Path takes 16k
// for each knot. An option can make a result larger than the arguments, for example a path of many models, or codes
// with many more atoms than features. The memory of such a result follows from its shape.
package memory
