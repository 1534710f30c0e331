// Package tape implements reverse-mode differentiation on matrices, small enough to be read in one sitting. It exists
// because Go has no maintained library for it (gorgonia is no longer maintained).
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
// A [Tape] is a list of operations, in the order in which they were carried out. [Tape.Backward] takes a loss L and
// walks the list from its end: for each operation Y = f(A, B), it adds the contributions of ∂L/∂Y to ∂L/∂A and ∂L/∂B.
// One backward pass computes the gradient with respect to every parameter, at about twice the cost of the forward
// pass. (A. Griewank and A. Walther, Evaluating Derivatives, 2008, chapter 3.)
//
// All values are matrices: a row vector is 1×c, a number 1×1. A gradient has the shape of its value: Grad[i,j] =
// ∂L/∂X[i,j].
//
// # Files
//
//	tape.go      the tape, the backward pass, and Op, with which other packages add operations
//	ops.go       the operations, each with its derivative
//	param.go     named parameters and their initial values
//	optimize.go  SGD and Adam
//
// # Invariants and traps
//
// Gradients of parameters accumulate over calls to Backward until Zero or an optimizer's Step clears them, so a batch
// can be processed in pieces.
//
// A tape is for one forward pass. Reset prepares it for the next pass, and invalidates all values of the previous
// pass. Backward can be called once per pass: a second call panics. An operation after Backward also panics, as does
// the use of a value from another tape or from before Reset. A tape holds references to the parameters' matrices, not
// copies, so call Backward before the optimizer changes them. A tape belongs to one goroutine. Several tapes may share
// parameters only if Backward and Step are not called concurrently.
//
// An operation panics if the shapes of its arguments do not match. Const and Input panic if the matrix is empty, or has
// NaN or Inf. Scale panics if its factor is NaN or Inf; the elements of Softmax's mask must be 0 or −Inf. Results are
// not checked: divergence shows in the loss. Where a function has a kink (ReLU at 0), the derivative from the left is
// used.
package tape
