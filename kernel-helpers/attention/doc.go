// Package attention provides self-attention and the Transformer: from the formulas on a lecture's slides to a model
// that learns.
//
//	out, err := attention.SelfAttention(H, attention.NewHead(8, 8, 8, 1), nil)
//	out.Alpha // n×n: which position looks where; a notebook shows out as a picture (attentionplot)
//
//	task := attention.Task{Kind: attention.Reverse}
//	m, err := attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary()})
//	r, err := attention.Fit(ctx, m, func(step int) attention.Batch { return task.Batch(16, 1, step) }, nil)
//	symbols, answers, err := task.Accuracy(m, 200, 1)
//
// # What is computed
//
// The rows of H (n×d) are a sequence of n vectors h_t. Each vector gives a query, a key and a value; each position's
// output is a weighted mean of all values:
//
//	q_t = W_q h_t    k_t = W_k h_t    v_t = W_v h_t
//	e_{l,t} = q_l · k_t    α_{l,t} = exp(e_{l,t}) / Σ_t' exp(e_{l,t'})    a_l = Σ_t α_{l,t} v_t
//
// The slides write h_t as a column and compute W h_t. Here h_t' is a row of H, so the same products for all t are H W,
// where W is the transpose of the slides' matrix, as in A. Vaswani et al., Attention is all you need (NIPS 2017).
// [Options] adds the paper's factor 1/√dk and its mask.
//
// A [Transformer] is trained by minimizing the mean cross-entropy of the next token, in nats, with the gradients of
// package tape.
//
// # Files
//
//	attention.go    single-head and multi-head attention as plain matrix functions
//	positions.go    sinusoidal positional encodings
//	norm.go         layer and batch normalization
//	measure.go      how far a function is from being equivariant or causal
//	mask.go         padding and other masks
//	heads.go        multi-head attention as one operation on a tape
//	transformer.go  the model
//	recurrent.go    the recurrent networks, for comparison with the Transformer
//	seq2seq.go      a recurrent encoder and decoder, with and without attention
//	train.go        training and greedy generation
//	tasks.go        copy, reverse, sort, add, recall
//
// Package attentionplot draws the weights.
//
// # Speed
//
// Call gemm.Use() for models wider than the default. BenchmarkTrainingStep compares a training step with that of
// PyTorch 2.15 in float64, for the same models, initial parameters and sequences; both reach nearly the same loss. The
// speeds are measured in processor time on one thread of a busy shared machine. A step of the default model on 16
// sequences of 10 tokens is 2.1 to 3.2 times as fast as PyTorch's. A step of a model with two blocks of width 128 on 16
// sequences of 64 tokens is 0.98 to 1.1 times as fast; two thirds of its time is spent on matrix products. PyTorch's
// own default is float32, which this package does not have.
//
// # Invariants and traps
//
// Without positions and without a mask, attention is equivariant: permuting the rows of the input permutes the outputs
// in the same way. The permuted outputs agree only up to rounding, because the order of summation changes.
//
// With Causal, outputs do not depend on later inputs at all: the weights of later positions are exactly 0, and so is
// their effect, which Influence measures.
//
// A query that sees no key has an output of 0. Padding counts as a position: it shifts the positions of the tokens
// after it.
//
// With a causal mask, a model without positions can still learn something about the order if the first token differs
// from the others: the first token's weight falls as the number of tokens seen grows.
//
// Attention with fixed weights is linear in H ([Mix]). Attention with softmax weights is not.
//
// A model trained without the mask reaches a small loss by looking at the answer. That loss means nothing; use
// Task.Accuracy or [Continue], which show the model only the past.
//
// Wrong shapes cause a panic; NaN, Inf, tokens outside the vocabulary and sequences that are too long are errors.
// Functions that return no error, such as LayerNorm and Mix, accept NaN and Inf, and their results then contain NaN or
// Inf. No input is modified, but Fit changes the model. Everything random follows from seeds; equal calls give equal
// results. A model may be used by only one goroutine at a time; different models may be trained in parallel.
package attention
