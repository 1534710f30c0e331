package iconframework

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The methods as written in their own papers, with plain loops and without the engine of package
// icon. Sums over i are kept where a paper has them.

// squaredDistance returns ‖x_i − x_j‖².
func squaredDistance(X mat.Matrix, i, j int) float64 {
	_, k := X.Dims()
	s := 0.0
	for c := range k {
		d := X.At(i, c) - X.At(j, c)
		s += d * d
	}
	return s
}

// conditional returns p(j|i) of SNE (G. Hinton and S. Roweis, NIPS 2002, equation 1)
// with the β_i = 1/2σ_i² that give each row the requested perplexity.
func conditional(X mat.Matrix, perplexity float64) *mat.Dense {
	n, _ := X.Dims()
	P := mat.NewDense(n, n, nil)
	for i := range n {
		lo, hi := 1e-8, 1e8 // bounds of β; the entropy falls as β grows
		for range 200 {
			beta := math.Sqrt(lo * hi)
			sum, entropy := 0.0, 0.0
			for j := range n {
				if j != i {
					P.Set(i, j, math.Exp(-beta*squaredDistance(X, i, j)))
					sum += P.At(i, j)
				}
			}
			for j := range n {
				if p := P.At(i, j) / sum; p > 0 {
					P.Set(i, j, p)
					entropy -= p * math.Log2(p)
				}
			}
			if sum > 0 && entropy > math.Log2(perplexity) {
				lo = beta
			} else {
				hi = beta
			}
		}
	}
	return P
}

// sne returns the cost C = Σ_i KL(P_i‖Q_i) of Hinton and Roweis (equation 3, with q of equation 2)
// and its gradient (equation 5),
//
//	∂C/∂y_i = 2 Σ_j (y_i − y_j)(p_ij − q_ij + p_ji − q_ji).
func sne(P, Y *mat.Dense) (C float64, G *mat.Dense) {
	return byRows(P, Y, func(d float64) float64 { return math.Exp(-d) }, func(float64) float64 { return 1 })
}

// studentByRows is like sne, but uses w = 1/(1 + δ) in place of exp(−δ) in the map, where δ is the squared distance.
// Since d(log w)/dδ = −w, each term of the gradient has the additional factor w.
func studentByRows(P, Y *mat.Dense) (C float64, G *mat.Dense) {
	w := func(d float64) float64 { return 1 / (1 + d) }
	return byRows(P, Y, w, w)
}

func byRows(P, Y *mat.Dense, w, slope func(d float64) float64) (C float64, G *mat.Dense) {
	n, k := Y.Dims()
	Q := mat.NewDense(n, n, nil)
	for i := range n {
		z := 0.0
		for j := range n {
			if j != i {
				Q.Set(i, j, w(squaredDistance(Y, i, j)))
				z += Q.At(i, j)
			}
		}
		for j := range n {
			Q.Set(i, j, Q.At(i, j)/z)
		}
	}
	G = mat.NewDense(n, k, nil)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			if p := P.At(i, j); p > 0 {
				C += p * math.Log(p/Q.At(i, j))
			}
			f := 2 * slope(squaredDistance(Y, i, j)) * (P.At(i, j) - Q.At(i, j) + P.At(j, i) - Q.At(j, i))
			for c := range k {
				G.Set(i, c, G.At(i, c)+f*(Y.At(i, c)-Y.At(j, c)))
			}
		}
	}
	return C, G
}

// student returns the cost of t-SNE (L. van der Maaten and G. Hinton, JMLR 2008) and its gradient. The cost is KL(P‖Q),
// where p_ij = (p(j|i) + p(i|j))/2n and q is given by their equation 4. Element (i, j) of conditional is p(j|i). The
// gradient is their equation 5,
//
//	∂C/∂y_i = 4 Σ_j (p_ij − q_ij)(y_i − y_j)/(1 + ‖y_i − y_j‖²).
func student(conditional, Y *mat.Dense) (C float64, G *mat.Dense) {
	n, k := Y.Dims()
	z := 0.0
	for i := range n {
		for j := range n {
			if j != i {
				z += 1 / (1 + squaredDistance(Y, i, j))
			}
		}
	}
	G = mat.NewDense(n, k, nil)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			p := (conditional.At(i, j) + conditional.At(j, i)) / float64(2*n)
			w := 1 / (1 + squaredDistance(Y, i, j))
			if p > 0 {
				C += p * math.Log(p/(w/z))
			}
			for c := range k {
				G.Set(i, c, G.At(i, c)+4*(p-w/z)*(Y.At(i, c)-Y.At(j, c))*w)
			}
		}
	}
	return C, G
}

// contrastive returns a contrastive loss and its gradient with respect to Z (n×k). With P(i) = positives[i], and the
// rows z_i of Z scaled to length 1, the loss is the mean over i of
//
//	−1/|P(i)| Σ_{p ∈ P(i)} log e^(z_i·z_p/τ)/Σ_{a≠i} e^(z_i·z_a/τ).
//
// If P(i) is the other view of i, this is NT-Xent (T. Chen and others, ICML 2020, equation 1). If P(i) is all other
// points of the same class, this is L_out of P. Khosla and others (NeurIPS 2020, equation 2).
func contrastive(Z *mat.Dense, positives [][]int, tau float64) (L float64, G *mat.Dense) {
	n, k := Z.Dims()
	U := mat.NewDense(n, k, nil)
	norm := make([]float64, n)
	for i := range n {
		norm[i] = mat.Norm(Z.RowView(i), 2)
		for c := range k {
			U.Set(i, c, Z.At(i, c)/norm[i])
		}
	}
	D := mat.NewDense(n, k, nil) // ∂L/∂U
	pull := func(i, j int, f float64) {
		for c := range k {
			D.Set(i, c, D.At(i, c)+f*U.At(j, c)/tau)
			D.Set(j, c, D.At(j, c)+f*U.At(i, c)/tau)
		}
	}
	for i := range n {
		s := make([]float64, n)
		sum := 0.0
		for a := range n {
			if a != i {
				s[a] = mat.Dot(U.RowView(i), U.RowView(a)) / tau
				sum += math.Exp(s[a])
			}
		}
		weight := 1 / float64(n*len(positives[i]))
		for _, p := range positives[i] {
			L -= weight * (s[p] - math.Log(sum))
			pull(i, p, -weight)
		}
		for a := range n {
			if a != i {
				pull(i, a, math.Exp(s[a])/sum/float64(n))
			}
		}
	}
	G = mat.NewDense(n, k, nil)
	for i := range n {
		along := mat.Dot(D.RowView(i), U.RowView(i))
		for c := range k {
			G.Set(i, c, (D.At(i, c)-along*U.At(i, c))/norm[i])
		}
	}
	return L, G
}

// logistic returns the loss of multinomial logistic regression, L = −1/n Σ_i log
// softmax(W'x_i)_{y_i}, and its gradient ∂L/∂W = 1/n X'(softmax − labels).
func logistic(X, W *mat.Dense, labels []int) (L float64, G *mat.Dense) {
	n, _ := X.Dims()
	d, m := W.Dims()
	G = mat.NewDense(d, m, nil)
	for i := range n {
		e := make([]float64, m)
		sum := 0.0
		for c := range m {
			e[c] = math.Exp(mat.Dot(X.RowView(i), W.ColView(c)))
			sum += e[c]
		}
		L -= math.Log(e[labels[i]]/sum) / float64(n)
		for c := range m {
			r := e[c] / sum
			if c == labels[i] {
				r--
			}
			for a := range d {
				G.Set(a, c, G.At(a, c)+r*X.At(i, a)/float64(n))
			}
		}
	}
	return L, G
}

// scatterAlong returns tr(W'CW) and its gradient 2CW, where C is the covariance of the rows of X (with division by n).
// PCA maximizes tr(W'CW) subject to W'W = I.
func scatterAlong(X, W *mat.Dense) (J float64, G *mat.Dense) {
	n, d := X.Dims()
	C := mat.NewDense(d, d, nil)
	for a := range d {
		for b := range d {
			ma, mb, s := 0.0, 0.0, 0.0
			for i := range n {
				ma += X.At(i, a) / float64(n)
				mb += X.At(i, b) / float64(n)
				s += X.At(i, a) * X.At(i, b) / float64(n)
			}
			C.Set(a, b, s-ma*mb)
		}
	}
	var CW, WCW mat.Dense
	CW.Mul(C, W)
	WCW.Mul(W.T(), &CW)
	J = mat.Trace(&WCW)
	CW.Scale(2, &CW)
	return J, &CW
}

// laplacian returns the objective that Laplacian eigenmaps minimize (M. Belkin and P. Niyogi, 2003, section 2.2, step
// 3) on the graph with weights p(j|i), minus the spread of the points,
//
//	F = 1/n Σ_ij p(j|i)‖y_i − y_j‖² − 1/n² Σ_ij ‖y_i − y_j‖²,
//
// with its gradient. The points y_i are the rows of Y (n×k). Under the constraints Y'Y/n = I and Y'1 = 0 the spread,
// 1/n² Σ_ij ‖y_i − y_j‖², is the constant 2k.
func laplacian(P, Y *mat.Dense) (F float64, G *mat.Dense) {
	n, k := Y.Dims()
	G = mat.NewDense(n, k, nil)
	for i := range n {
		for j := range n {
			w := P.At(i, j)/float64(n) - 1/float64(n*n)
			F += w * squaredDistance(Y, i, j)
			for c := range k {
				g := 2 * w * (Y.At(i, c) - Y.At(j, c))
				G.Set(i, c, G.At(i, c)+g)
				G.Set(j, c, G.At(j, c)-g)
			}
		}
	}
	return F, G
}

// inertia returns J = Σ_i ‖x_i − μ_c(i)‖² (S. Lloyd, 1982), where c(i) is the label of point i and μ_c is the mean of
// the points with label c.
func inertia(X mat.Matrix, labels []int, k int) float64 {
	n, d := X.Dims()
	mu, count := mat.NewDense(k, d, nil), make([]float64, k)
	for i, c := range labels {
		count[c]++
		for a := range d {
			mu.Set(c, a, mu.At(c, a)+X.At(i, a))
		}
	}
	J := 0.0
	for i := range n {
		c := labels[i]
		for a := range d {
			e := X.At(i, a) - mu.At(c, a)/count[c]
			J += e * e
		}
	}
	return J
}

// divergenceKL returns D(A‖UW') of NMF (D. Lee and H. Seung, NIPS 2000, equation 3) with its
// gradients,
//
//	D = Σ_ij A_ij log A_ij/B_ij − A_ij + B_ij,   ∂D/∂U_ia = Σ_j (1 − A_ij/B_ij) W_ja,   B = U W'.
func divergenceKL(A, U, W *mat.Dense) (D float64, GU, GW *mat.Dense) {
	n, k := U.Dims()
	d, _ := W.Dims()
	GU, GW = mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	for i := range n {
		for j := range d {
			a, b := A.At(i, j), mat.Dot(U.RowView(i), W.RowView(j))
			if a > 0 {
				D += a * math.Log(a/b)
			}
			D += b - a
			for c := range k {
				g := 1 - a/b
				GU.Set(i, c, GU.At(i, c)+g*W.At(j, c))
				GW.Set(j, c, GW.At(j, c)+g*U.At(i, c))
			}
		}
	}
	return D, GU, GW
}

// updateKL applies Lee and Seung's multiplicative update of U for the divergence of divergenceKL (theorem 2),
//
//	U_ia ← U_ia Σ_j W_ja A_ij/(U W')_ij / Σ_j W_ja.
//
// To update W, call updateKL(A', W, U).
func updateKL(A, U, W *mat.Dense) {
	n, k := U.Dims()
	d, _ := W.Dims()
	for i := range n {
		ratio := make([]float64, d)
		for j := range d {
			ratio[j] = A.At(i, j) / mat.Dot(U.RowView(i), W.RowView(j))
		}
		for c := range k {
			up, down := 0.0, 0.0
			for j := range d {
				up, down = up+W.At(j, c)*ratio[j], down+W.At(j, c)
			}
			U.Set(i, c, U.At(i, c)*up/down)
		}
	}
}
