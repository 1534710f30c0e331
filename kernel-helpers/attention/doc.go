// Package attention provides self-attention and the Transformer, from the formulas of
// a lecture's slides to a model that learns.
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
// A sequence of n vectors h_t stands in the rows of H, n×d. Each makes a query, a
// key and a value, and each position's output is a weighted mean of all values:
//
//	q_t = W_q h_t    k_t = W_k h_t    v_t = W_v h_t
//	e_{l,t} = q_l · k_t    α_{l,t} = exp(e_{l,t}) / Σ_t' exp(e_{l,t'})    a_l = Σ_t α_{l,t} v_t
//
// Slides write h_t as a column and W h_t; here h_t' is a row of H, and the same
// product is H W with the transposed matrix, as in A. Vaswani et al., Attention
// is all you need (NIPS 2017). [Options] adds the paper's factor 1/√dk and its mask.
//
// A [Transformer] is trained by minimizing the mean cross-entropy of the next
// token, in nats, with the gradients of package tape.
//
// # Files
//
//	attention.go    one head and many, plain functions of matrices
//	positions.go    sinusoidal positional encodings
//	norm.go         layer and batch normalisation
//	measure.go      is a function equivariant, causal? if not, by how much
//	heads.go        multi-head attention as one operation on a tape
//	transformer.go  the model
//	recurrent.go    the recurrent networks to compare with it
//	seq2seq.go      a recurrent encoder and decoder, with and without attention
//	train.go        training and greedy generation
//	tasks.go        copy, reverse, sort, add, recall
//
// Package attentionplot draws the weights.
//
// # Invariants and traps
//
// Without positions and without a mask attention is equivariant: permuting the rows
// of the input permutes the outputs in the same way. They agree only up to rounding,
// because sums are then taken in another order.
//
// With Causal, outputs do not depend on later inputs at all: the weights are
// exactly 0 and so is the effect (Influence measures it).
//
// With a causal mask, a model without positions can still learn something about the order if the first token
// differs from the others: its weight falls with the number of tokens seen.
//
// Attention with its weights held fixed is linear in H ([Mix]); through the softmax
// it is not.
//
// A model trained without the mask reaches a small loss by looking at the answer. The loss means nothing
// then; use Task.Accuracy or [Continue], which show the model only the past.
//
// Mistakes in shapes panic; NaN, Inf, tokens outside the vocabulary and
// sequences that are too long are errors. Functions that return no error, like
// LayerNorm and Mix, pass NaN and Inf on. No input is modified, but Fit
// changes the model. Everything random follows from seeds; equal calls give equal
// results. A model may be used by only one goroutine at a time; different
// models may be trained in parallel.
package attention
