// Package tape is reverse-mode differentiation on matrices, small enough to be
// read in one sitting. It is here because Go has no well-kept library for it
// (gorgonia is no longer maintained).
//
//	set := tape.NewSet(1)              // parameters, drawn from seed 1
//	W, b := set.Glorot("W", 3, 2), set.Zeros("b", 1, 2)
//	adam := &tape.Adam{Rate: 0.01}
//	t := tape.New()
//	for range 100 {
//		t.Reset()
//		y := t.Add(t.MatMul(t.Const(X), t.Param(W)), t.Param(b)) // N×2
//		loss := t.CrossEntropy(y, labels, -1)                    // 1×1
//		t.Backward(loss)                                         // adds to W.Grad and b.Grad
//		adam.Step(set.Params)                                    // moves W and b, clears the gradients
//	}
//
// # What is computed
//
// A [Tape] records each operation as it is carried out. [Tape.Backward]
// walks the list from its end: with L the number at the end, and Y = f(A, B)
// an entry, it turns ∂L/∂Y into its contribution to ∂L/∂A and ∂L/∂B. One walk
// computes the gradient with respect to every parameter, at about twice the cost
// of the forward pass. (A. Griewank and A. Walther, Evaluating Derivatives,
// 2008, chapter 3.)
//
// All values are matrices: a row vector is 1×c, a number 1×1. A gradient has
// the shape of its value: Grad[i,j] = ∂L/∂X[i,j].
//
// # Files
//
//	tape.go      the tape, the walk back, and Op, by which other packages add operations
//	ops.go       the operations with their derivatives, beside each other
//	param.go     parameters with names, and their first values
//	optimise.go  SGD and Adam
//
// # Invariants and traps
//
// Gradients of parameters add up over calls of Backward until Zero or an
// optimiser's Step clears them: a batch can be processed in pieces.
//
// A tape is for one forward pass; Reset prepares it for the next one, and makes all
// values of the previous pass invalid. Backward goes over a pass once: a second
// Backward panics, and so do an operation after it and a value of another tape
// or from before Reset. A tape holds references to the parameters' matrices,
// not copies, so walk back before the optimiser changes them. A tape belongs to
// one goroutine; several tapes may share parameters only if nobody calls
// Backward or Step at the same time.
//
// Shapes that do not fit panic, and so do NaN, Inf and empty matrices where
// they enter (Const, Input; Scale's factor; Softmax's mask but for its −Inf).
// Results are not checked: a run that diverges shows in its loss. Where a
// function has a kink (ReLU at 0) the derivative is that of the left side.
package tape
