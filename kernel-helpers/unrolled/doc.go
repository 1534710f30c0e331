// Package unrolled has a network whose layers are iterations of ISTA with weights that are learned:
// LISTA, of K. Gregor and Y. LeCun, Learning fast approximations of sparse coding (ICML 2010).
//
//	m := unrolled.New(B, 0.3, 4)                  // computes what 4 iterations of ISTA do
//	r, err := unrolled.Train(ctx, m, X, W, nil)   // towards the codes W of the signals X
//	Z := m.Code(Xnew)                             // n×N
//
// # What is computed
//
// ISTA for the lasso ½‖x − Bw‖² + λ‖w‖₁, with L the largest eigenvalue of BᵀB, is
//
//	w ← h_θ(Wₑx + S w)    Wₑ = Bᵀ/L    S = I − BᵀB/L    θ = λ/L
//
// with the soft threshold h_θ(v) = sign(v) max(|v| − θ, 0), from w = 0. Here Wₑ (n×D), S (n×n) and
// θ (n, one for each unit) are parameters which all layers share, as in the paper's section 3.1,
// and training makes the mean of ½‖w* − w‖² small over signals x with known codes w*.
//
// Shapes are those of package sparseapprox: a signal is a column of X (D×N), a code one of W (n×N).
//
// # Traps
//
// The network is trained for signals of one kind and for one number of layers: on other signals it
// may be worse than ISTA, and more layers than it was trained with may make it worse. It
// approximates codes and does not minimise the objective: compare both.
//
// # Files
//
//	model.go  the network, and its pass on a tape
//	train.go  training by Adam
package unrolled
