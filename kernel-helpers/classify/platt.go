package classify

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// fitSigmoid returns the A and B that maximize the likelihood of Platt's targets under P(y = 1|f) = 1/(1 + exp(A f +
// B)). The targets are (n₊ + 1)/(n₊ + 2) for the n₊ points with y = 1, and 1/(n₋ + 2) for the n₋ other points.
// fitSigmoid uses the Newton method with line search of H.-T. Lin, C.-J. Lin and R. C. Weng, A note on Platt's
// probabilistic outputs for support vector machines, Machine Learning 68 (2007). It ends when both derivatives are at
// most 1e-9 times the number of points, when rounding ends the descent, or after 100 steps.
func fitSigmoid(f, y []float64) [2]float64 {
	plus := 0.0
	for _, s := range y {
		if s > 0 {
			plus++
		}
	}
	minus := float64(len(y)) - plus
	target := make([]float64, len(y))
	for i, s := range y {
		target[i] = 1 / (minus + 2)
		if s > 0 {
			target[i] = (plus + 1) / (plus + 2)
		}
	}
	A, B := 0.0, math.Log((minus+1)/(plus+1))
	value := sigmoidLoss(f, target, A, B)
	for range 100 {
		const ridge = 1e-12
		aa, ab, bb, ga, gb := ridge, 0.0, ridge, 0.0, 0.0
		for i, v := range f {
			p := 1 / (1 + math.Exp(A*v+B))
			w, e := p*(1-p), target[i]-p
			aa += w * v * v
			ab += w * v
			bb += w
			ga += e * v
			gb += e
		}
		if few := 1e-9 * float64(len(f)); math.Abs(ga) <= few && math.Abs(gb) <= few {
			break
		}
		det := aa*bb - ab*ab
		da, db := -(bb*ga-ab*gb)/det, -(aa*gb-ab*ga)/det
		slope := ga*da + gb*db
		step := 1.0
		for ; step >= 1e-10; step /= 2 {
			if next := sigmoidLoss(f, target, A+step*da, B+step*db); next < value+1e-4*step*slope {
				A, B, value = A+step*da, B+step*db, next
				break
			}
		}
		if step < 1e-10 {
			break
		}
	}
	return [2]float64{A, B}
}

// sigmoidLoss returns −Σ (t log P + (1 − t) log(1 − P)) over the elements t of target, with P = 1/(1 + exp(A f + B)).
func sigmoidLoss(f, target []float64, A, B float64) float64 {
	loss := 0.0
	for i, v := range f {
		if z := A*v + B; z >= 0 {
			loss += target[i]*z + math.Log1p(math.Exp(-z))
		} else {
			loss += (target[i]-1)*z + math.Log1p(math.Exp(z))
		}
	}
	return loss
}

// Probabilities returns the probability of each class for the rows of X (n×d): n×K. It panics unless the model was
// trained with Probability. The probabilities of the pairs come from Sigmoids; for more than two classes they are
// combined as in T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by pairwise
// coupling, JMLR 5 (2004), method 2. The class with the largest probability need not be the class that Predict returns.
func (m *SVM) Probabilities(X mat.Matrix) *mat.Dense {
	mustBeTrained("Probabilities", m.Support)
	if m.Sigmoids == nil {
		panic("classify: Probabilities: the model was trained without Probability")
	}
	F := m.Decisions(X)
	n, _ := F.Dims()
	S := mat.NewDense(n, m.Classes, nil)
	r := mat.NewDense(m.Classes, m.Classes, nil)
	pairs := pairsOf(m.Classes)
	for i := range n {
		for p, f := range F.RawRowView(i) {
			// Both probabilities are computed from exp, because 1 − v loses its digits if v is near 1.
			z := m.Sigmoids[p][0]*f + m.Sigmoids[p][1]
			r.Set(pairs[p][0], pairs[p][1], clip(1/(1+math.Exp(z))))
			r.Set(pairs[p][1], pairs[p][0], clip(1/(1+math.Exp(-z))))
		}
		couple(r, S.RawRowView(i))
	}
	return S
}

// clip returns p, but at least 1e-7 and at most 1 − 1e-7, as LIBSVM does.
func clip(p float64) float64 { return math.Max(1e-7, math.Min(1-1e-7, p)) }

// couple sets p to the probabilities of the classes. They minimize Σ_i Σ_j≠i (r_ji p_i − r_ij p_j)², where r_ij is the
// probability of class i, given that the class is i or j. The minimum is the solution of linear equations.
func couple(r *mat.Dense, p []float64) {
	K := len(p)
	if K == 2 {
		p[0] = r.At(0, 1) / (r.At(0, 1) + r.At(1, 0))
		p[1] = r.At(1, 0) / (r.At(0, 1) + r.At(1, 0))
		return
	}
	// Qp + λ1 = 0 and Σp = 1, with Q_ii = Σ r_ji² and Q_ij = −r_ji r_ij.
	Q := mat.NewDense(K+1, K+1, nil)
	for i := range K {
		for j := range K {
			if i != j {
				Q.Set(i, i, Q.At(i, i)+r.At(j, i)*r.At(j, i))
				Q.Set(i, j, -r.At(j, i)*r.At(i, j))
			}
		}
		Q.Set(i, K, 1)
		Q.Set(K, i, 1)
	}
	right := mat.NewVecDense(K+1, nil)
	right.SetVec(K, 1)
	var solution mat.VecDense
	// Because all r are at least 1e-7, Q is positive definite along Σp = 0, and there is a solution. An error only
	// warns of a large condition number.
	_ = solution.SolveVec(Q, right)
	sum := 0.0
	for i := range p {
		p[i] = math.Max(0, solution.AtVec(i))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}
