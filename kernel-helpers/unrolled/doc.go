// Package unrolled implements LISTA, a network whose layers are iterations of ISTA with learned weights (K. Gregor and
// Y. LeCun, Learning fast approximations of sparse coding, ICML 2010).
//
//	m := unrolled.New(B, 0.3, 4)                  // starts as 5 iterations of ISTA
//	r, err := unrolled.Fit(ctx, m, X, W, nil)   // toward the codes W of the signals X
//	Z := m.Transform(Xnew)                        // n×N
//
// # What is computed
//
// ISTA for the lasso ½‖x − Bw‖² + λ‖w‖₁, with L the largest eigenvalue of BᵀB, is
//
//	w ← h_θ(Wₑx + S w)    Wₑ = Bᵀ/L    S = I − BᵀB/L    θ = λ/L
//
// with the soft threshold h_θ(v) = sign(v) max(|v| − θ, 0), from w = 0. Here Wₑ (n×D), S (n×n) and θ (n, one for each
// unit) are parameters shared by all layers, as in the paper's section 3.1. Training minimizes the mean of ½‖w* − w‖²
// over signals x with known codes w*.
//
// Shapes are those of package sparseapprox: a signal is a column of X (D×N), a code is a column of W (n×N).
//
// # Traps
//
// The network is trained for one kind of signal and one number of layers. On other signals it may be worse than ISTA,
// and with more layers than in training it may get worse. It approximates codes and does not minimize the lasso
// objective, so measure both: the distance to the codes, and the objective.
//
// New works in any unit: if signals and λ are in another unit, so are the codes. Training depends on the unit:
// an update of Adam moves every parameter by about Rate, and θ is in the unit of the codes, but Wₑ and S are not. So
// scale signals to a norm of about 1 before New and Fit.
//
// # Files
//
//	model.go  the network, and its forward pass on a tape
//	train.go  training with Adam
package unrolled
