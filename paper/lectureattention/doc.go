// Package lectureattention contains the experiments of the notebook lecture-attention, which is about the first half
// of a machine learning lecture, "Finish Transformers". (The second half, on principal components, has a notebook of
// its own.) The slides make statements and give hardly any numbers. Each statement that can be tested is a row of the
// results, with a rule that computes the verdict.
//
// # Files
//
//	order.go     permutation equivariance; positional encodings
//	heads.go     many heads; what the heads of a trained model look at
//	linear.go    in what sense self-attention is linear
//	future.go    seeing the future, the mask; cheating
//	text.go      the text of letters that the cheating models learn
//	norm.go      batch and layer normalization; vanishing gradients
//	scaleshift.go what a learned scale and shift are for
//	cost.go      time and memory against the length
//	encdec.go    an encoder and a decoder: recurrent, with attention, and each alone
//	distance.go  recall over a distance, compared with recurrent networks
//	ablation.go  the whole model with one part left out at a time
//	exercises.go what check.Exercise tries
//
// # What to know
//
// The models are tiny (about 9000 parameters, a block of width 32) and trained for a second or two. A statement that
// fails here may hold for big models, and the rows say so.
//
// Trained models differ in their last digits between machines, and training amplifies these differences. Therefore
// rows about trained models have a generous Repeat.
//
// Results are written to figures/run/lecture-attention; the record, which is kept in the repository, is
// figures/lecture-attention.
package lectureattention
