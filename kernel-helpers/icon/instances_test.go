package icon

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/tape"
)

// The tests compare each instance with its paper's formula, computed here without the engine. dist2 returns
// ‖x_i − x_j‖².

func dist2(X mat.Matrix, i, j int) float64 {
	_, k := X.Dims()
	s := 0.0
	for c := range k {
		d := X.At(i, c) - X.At(j, c)
		s += d * d
	}
	return s
}

// conditional returns exp(−d_ij β_i), normalized by row, with a zero diagonal.
func conditional(X mat.Matrix, beta []float64) *mat.Dense {
	n, _ := X.Dims()
	P := mat.NewDense(n, n, nil)
	for i := range n {
		z := 0.0
		for j := range n {
			if j != i {
				P.Set(i, j, math.Exp(-beta[i]*dist2(X, i, j)))
				z += P.At(i, j)
			}
		}
		for j := range n {
			P.Set(i, j, P.At(i, j)/z)
		}
	}
	return P
}

func constant(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// TestSNE compares with Hinton and Roweis: C = Σ_i KL, ∂C/∂y_i = 2 Σ_j (y_i − y_j)(p_ij − q_ij + p_ji −
// q_ji).
func TestSNE(t *testing.T) {
	const n = 25
	o := must(SNE(Normal(n, 6, 2, 1), 7, 2, 2))
	Y := o.Params()[0]
	Y.X.Copy(Normal(n, 2, 1.5, 3))
	P, Q := o.Supervisory(), conditional(Y.X, constant(n, 1))
	C := 0.0
	want := mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			C += P.At(i, j) * math.Log(P.At(i, j)/Q.At(i, j))
			for c := range 2 {
				f := 2 * (P.At(i, j) - Q.At(i, j) + P.At(j, i) - Q.At(j, i))
				want.Set(i, c, want.At(i, c)+f*(Y.X.At(i, c)-Y.X.At(j, c)))
			}
		}
	}
	near(t, "n L", n*o.Gradient(), C, 1e-12)
	var got mat.Dense
	got.Scale(n, Y.Grad)
	nearMatrix(t, "n ∂L/∂y", &got, want, 1e-12)
}

// TestTSNE compares with van der Maaten and Hinton: C = KL(P‖Q), ∂C/∂y_i = 4 Σ_j (p_ij − q_ij)(y_i − y_j)/(1
// + d_ij).
func TestTSNE(t *testing.T) {
	const n = 25
	o := must(TSNE(Normal(n, 6, 2, 1), 7, 2, 2))
	Y := o.Params()[0]
	Y.X.Copy(Normal(n, 2, 1.5, 3))
	P := o.Supervisory()
	near(t, "sum of P", mat.Sum(P), 1, 1e-12)
	Z := 0.0
	for i := range n {
		for j := range n {
			if i != j {
				Z += 1 / (1 + dist2(Y.X, i, j))
			}
		}
	}
	C := 0.0
	want := mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			w := 1 / (1 + dist2(Y.X, i, j))
			C += P.At(i, j) * math.Log(P.At(i, j)/(w/Z))
			for c := range 2 {
				want.Set(i, c, want.At(i, c)+4*(P.At(i, j)-w/Z)*(Y.X.At(i, c)-Y.X.At(j, c))*w)
			}
		}
	}
	near(t, "L", o.Gradient(), C, 1e-12)
	nearMatrix(t, "∂L/∂y", Y.Grad, want, 1e-12)
}

func outputs(net *Encoder, X *mat.Dense) *mat.Dense {
	tp := tape.New()
	return net.Apply(tp, tp.Const(X)).X
}

// TestSimCLR compares with Chen and others, equation (1): the mean over all 2N views of −log
// exp(sim(i,j)/τ)/Σ_{k≠i} exp(sim(i,k)/τ).
func TestSimCLR(t *testing.T) {
	const N, tau = 6, 0.3
	X := Normal(2*N, 5, 1, 1)
	net := NewEncoder(2, 1, 5, 8, 4)
	o := SimCLR(X, net, tau)
	Z := outputs(net, X)
	sim := func(i, k int) float64 {
		return mat.Dot(Z.RowView(i), Z.RowView(k)) / mat.Norm(Z.RowView(i), 2) / mat.Norm(Z.RowView(k), 2)
	}
	want := 0.0
	for i := range 2 * N {
		sum := 0.0
		for k := range 2 * N {
			if k != i {
				sum += math.Exp(sim(i, k) / tau)
			}
		}
		want -= math.Log(math.Exp(sim(i, (i+N)%(2*N))/tau)/sum) / (2 * N)
	}
	near(t, "NT-Xent", o.Loss(), want, 1e-13)
	checkGradient(t, o)
}

// TestSimCLRGradient compares the gradient of NT-Xent with the gradient from basic tape operations: a masked
// softmax cross-entropy.
func TestSimCLRGradient(t *testing.T) {
	const N, tau = 6, 0.3
	X := Normal(2*N, 5, 1, 1)
	net := NewEncoder(2, 1, 5, 8, 4)
	o := SimCLR(X, net, tau)
	o.Gradient()
	var engine []*mat.Dense
	for _, p := range net.Params() {
		engine = append(engine, mat.DenseCopyOf(p.Grad))
	}
	tape.Zero(net.Params())
	tp := tape.New()
	u := unitRows(tp, net.Apply(tp, tp.Const(X)))
	s := tp.Scale(1/tau, tp.MatMul(u, tp.Transpose(u)))
	minus := mat.NewDense(2*N, 2*N, nil)
	target := make([]int, 2*N)
	for i := range target {
		minus.Set(i, i, -1e3) // e^(−1000) is 0
		target[i] = (i + N) % (2 * N)
	}
	tp.Backward(tp.CrossEntropy(tp.Add(s, tp.Const(minus)), target, -1))
	for k, p := range net.Params() {
		nearMatrix(t, p.Name, engine[k], p.Grad, 1e-12)
	}
}

// TestSupCon compares with Khosla and others, L_out: the mean over i of −1/|P(i)| Σ_{p in P(i)} log softmax.
func TestSupCon(t *testing.T) {
	labels := []int{0, 1, 0, 2, 1, 2, 2, 0}
	n := len(labels)
	X := Normal(n, 4, 1, 1)
	net := NewEncoder(2, 0, 4, 3)
	o := must(SupCon(X, labels, net, 0.5))
	Z := outputs(net, X)
	want := 0.0
	for i := range n {
		sum, pos, count := 0.0, 0.0, 0.0
		for j := range n {
			if j == i {
				continue
			}
			s := mat.Dot(Z.RowView(i), Z.RowView(j)) / mat.Norm(Z.RowView(i), 2) / mat.Norm(Z.RowView(j), 2) / 0.5
			sum += math.Exp(s)
			if labels[i] == labels[j] {
				pos, count = pos+s, count+1
			}
		}
		want -= (pos/count - math.Log(sum)) / float64(n)
	}
	near(t, "L_out", o.Loss(), want, 1e-13)
}

// TestCrossEntropy compares the loss and the gradient of logistic regression with package classify.
func TestCrossEntropy(t *testing.T) {
	labels := []int{0, 1, 2, 1, 0, 2, 2, 1, 0, 0}
	X := Normal(10, 4, 1, 1)
	o := must(CrossEntropy(X, labels, 3))
	k := o.Q.(*Pair).Kernel.(*Prototypes)
	k.W.X.Copy(Normal(4, 3, 1, 2))
	k.B.X.Copy(Normal(1, 3, 1, 3))
	f, dW, db := classify.MaxentObjective(mat.DenseCopyOf(k.W.X.T()), k.B.X.RawRowView(0), X, labels, 0)
	L := o.Gradient()
	scale := f / L // package classify may use a sum or a mean over the points
	if math.Abs(scale-1) > 1e-12 && math.Abs(scale-10) > 1e-11 {
		t.Fatalf("loss %v, package classify has %v", L, f)
	}
	var g mat.Dense
	g.Scale(scale, k.W.Grad)
	nearMatrix(t, "∂L/∂W", &g, dW.T(), 1e-12)
	for c, v := range db {
		near(t, "∂L/∂b", scale*k.B.Grad.At(0, c), v, 1e-12)
	}
}

// TestPCA checks the loss in the wide limit, and the subspace against package pca.
func TestPCA(t *testing.T) {
	X := Normal(60, 5, 1, 1)
	for j, s := range []float64{3, 2.4, 1, 0.7, 0.3} {
		for i := range 60 {
			X.Set(i, j, s*X.At(i, j)+4)
		}
	}
	o := must(PCA(X, 2, 2))
	r := must(Minimize(context.Background(), o, &Options{Steps: 500, Rate: 0.05, Decay: true, Tolerance: -1}))
	m := must(pca.Fit(t.Context(), X, &pca.Options{Components: 2}))
	W := o.Params()[0].X
	var overlap mat.Dense
	overlap.Mul(W.T(), m.Components) // the singular values are the cosines of the principal angles
	if s := math.Abs(mat.Det(&overlap)); math.Abs(s-1) > 1e-4 {
		t.Errorf("the subspace is not that of the principal axes: det %v", s)
	}
	sigma := o.Q.(*Pair).Kernel.(Gaussian).Sigma
	trace := (m.Eigenvalues[0] + m.Eigenvalues[1]) / 60
	near(t, "σ²(log n − L)", sigma*sigma*(math.Log(60)-r.Loss), trace, 3e-3)
	// The difference from the limit decreases as σ⁻².
	o.Q.(*Pair).Kernel = Gaussian{Sigma: 10 * sigma}
	near(t, "the same, wider", 100*sigma*sigma*(math.Log(60)-o.Loss()), trace, 3e-5)
}

// TestEigenmaps compares Laplacian eigenmaps with a dense eigensolver.
func TestEigenmaps(t *testing.T) {
	// A path of 12 nodes with two shortcuts has well separated eigenvalues.
	const n = 12
	Wt := mat.NewDense(n, n, nil)
	for i := range n - 1 {
		Wt.Set(i, i+1, 1)
		Wt.Set(i+1, i, 1)
	}
	Wt.Set(0, 4, 0.5)
	Wt.Set(4, 0, 0.5)
	p := must(GraphP(Wt))
	o := must(Eigenmaps(p, 2, 1))
	r := must(Minimize(context.Background(), o, &Options{Steps: 1500, Rate: 0.05, Decay: true, Tolerance: -1}))
	// The quadratic form is Σ_ij p_ij ‖y_i−y_j‖² = Σ y'(D_r + D_c − P − P')y, where D_r and D_c are the
	// diagonal matrices of row and column sums.
	Lap := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			w := (p.P.At(i, j) + p.P.At(j, i)) / 2
			if i != j {
				Lap.SetSym(i, j, -w)
			}
		}
	}
	for i := range n {
		s := 0.0
		for j := range n {
			if j != i {
				s -= Lap.At(i, j)
			}
		}
		Lap.SetSym(i, i, s)
	}
	var eig mat.EigenSym
	eig.Factorize(Lap, true)
	values := eig.Values(nil)
	var V, overlap mat.Dense
	eig.VectorsTo(&V)
	overlap.Mul(r.Embedding.T(), V.Slice(0, n, 1, 3))
	overlap.Scale(1/math.Sqrt(n), &overlap)
	if s := math.Abs(mat.Det(&overlap)); math.Abs(s-1) > 1e-3 {
		t.Errorf("not the eigenvectors: det %v", s)
	}
	// Compare the loss with the expansion: 1/n Σ p d = 2 (λ_1 + λ_2).
	sigma := o.Q.(*Pair).Kernel.(Gaussian).Sigma
	entropy := math.Log(Perplexity(p.P))
	near(t, "2σ²(L + H − log n)", 2*sigma*sigma*(r.Loss+entropy-math.Log(n)), 2*(values[1]+values[2])-4, 2e-3)
}

// partitions calls f for each division of n points into two clusters of size n/2.
func partitions(n int, f func(labels []int)) {
	for mask := range 1 << n {
		labels, ones := make([]int, n), 0
		for i := range n {
			labels[i] = mask >> i & 1
			ones += labels[i]
		}
		if ones == n/2 && labels[0] == 0 {
			f(labels)
		}
	}
}

func hard(labels []int, k int) *mat.Dense {
	Z := mat.NewDense(len(labels), k, nil)
	for i, l := range labels {
		Z.Set(i, l, 60)
	}
	return Z
}

func inertia(X *mat.Dense, labels []int) float64 {
	n, _ := X.Dims()
	count := map[int]float64{}
	for _, l := range labels {
		count[l]++
	}
	s := 0.0
	for i := range n {
		for j := range i {
			if labels[i] == labels[j] {
				s += dist2(X, i, j) / count[labels[i]]
			}
		}
	}
	return s
}

// TestKMeansRelation checks the relation to K-means. (1) For the OTHER direction of the divergence, the
// relation is exact: Σ_i KL(q(·|i)‖p(·|i)) = J/σ² + Σ_i log Z_i − Σ_i log n_c(i), where J is the inertia. (2)
// For I-Con's direction, with wide Gaussians and clusters of equal size, the loss is an increasing affine
// function of J.
func TestKMeansRelation(t *testing.T) {
	const n = 10
	X := Normal(n, 2, 1, 5)
	sigma := 0.8
	o := must(KMeans(X, 3, sigma, 0.01, 1))
	labels := []int{0, 1, 2, 0, 0, 1, 1, 0, 2, 2}
	o.Params()[0].X.Copy(hard(labels, 3))
	o.Q.(*Pair).Kernel = CoMembership{Smooth: -1}
	P, Q := o.Supervisory(), o.Learned()
	reverse, want := 0.0, inertia(X, labels)/(sigma*sigma)
	for i := range n {
		Z, size := 0.0, 0.0
		for j := range n {
			Z += math.Exp(-dist2(X, i, j) / (2 * sigma * sigma))
			if labels[i] == labels[j] {
				size++
				near(t, "q", Q.At(i, j), 1/float64([]int{4, 3, 3}[labels[i]]), 1e-9)
				reverse += Q.At(i, j) * math.Log(Q.At(i, j)/P.At(i, j))
			}
		}
		want += math.Log(Z) - math.Log(size)
	}
	near(t, "reverse divergence", reverse, want, 1e-9)

	var J, L []float64
	wideO := must(KMeans(X, 2, 100, 0.01, 1))
	partitions(n, func(labels []int) {
		wideO.Params()[0].X.Copy(hard(labels, 2))
		J, L = append(J, inertia(X, labels)), append(L, wideO.Loss())
	})
	lo, hi := 0, 0
	for k := range J {
		if J[k] < J[lo] {
			lo = k
		}
		if J[k] > J[hi] {
			hi = k
		}
	}
	slope := (L[hi] - L[lo]) / (J[hi] - J[lo])
	if slope <= 0 {
		t.Fatalf("slope %v", slope)
	}
	for k := range J {
		near(t, "loss in units of the inertia", (L[k]-L[lo])/slope, J[k]-J[lo], 2e-3)
	}
}

// TestKMeansFit checks that a fit finds the clusters that Lloyd's algorithm finds.
func TestKMeansFit(t *testing.T) {
	X := Normal(90, 2, 0.5, 1)
	for i := range 90 {
		X.Set(i, 0, X.At(i, 0)+4*float64(i%3%2))
		X.Set(i, 1, X.At(i, 1)+4*float64(i%3/2))
	}
	ctx := context.Background()
	o := must(KMeans(X, 3, 1, 0, 3))
	r := must(Minimize(ctx, o, &Options{Steps: 300, Rate: 0.1}))
	lloyd := must(kmeans.Fit(ctx, X, &kmeans.Options{K: 3}))
	if a := kmeans.AdjustedRand(Clusters(r.Embedding), lloyd.Labels); a != 1 {
		t.Errorf("adjusted Rand index with Lloyd's clusters: %v", a)
	}
}

// TestXSampleCollapse learns θ too. With the cross-entropy, p becomes a point mass on one neighbor. With KL,
// p follows q and the loss goes to 0, independent of the side information. An anchor prevents both failures.
func TestXSampleCollapse(t *testing.T) {
	const n = 24
	ctx := context.Background()
	S := Normal(n, 6, 1, 1)
	fit := func(change func(*Objective)) (perplexity float64, r *Result) {
		p := On(NewLinear(S, Normal(6, 4, 1, 2)), NewLearnedGaussian(2))
		o := &Objective{P: p, Q: On(NewPoints(Normal(n, 2, 1, 3)), StudentT{})}
		change(o)
		r = must(Minimize(ctx, o, &Options{Steps: 600, Rate: 0.05}))
		return Perplexity(o.Supervisory()), r
	}
	before, _ := fit(func(o *Objective) { o.P = &Given{Title: "p", P: o.Supervisory()} })
	cross, rc := fit(func(o *Objective) { o.CrossEntropy = true })
	kl, rk := fit(func(*Objective) {})
	held, rh := fit(func(o *Objective) {
		o.Anchor, o.Prior = 10, &Given{Title: "prior", P: o.Supervisory()}
	})
	t.Logf("perplexity of p: %.2f before; %.3f with the cross-entropy (loss %.4f to %.4f), %.2f with KL (loss %.4f to %.4f), %.2f with an anchor (loss %.4f)",
		before, cross, rc.History[0].Loss, rc.Loss, kl, rk.History[0].Loss, rk.Loss, held, rh.Loss)
	if cross > 1.2 || rc.Loss > 0.5 {
		t.Errorf("no collapse: perplexity %v, loss %v", cross, rc.Loss)
	}
	if rk.Loss > 0.1*rk.History[0].Loss {
		t.Errorf("KL did not vanish: %v of %v", rk.Loss, rk.History[0].Loss)
	}
	if math.Abs(math.Log(held/before)) > 0.15 {
		t.Errorf("the anchor does not hold: perplexity %v of %v", held, before)
	}
	// XSample has gradients for both θ and φ.
	o := XSample(S, Normal(6, 3, 1, 1), NewPoints(Normal(n, 3, 1, 2)), 0.5)
	checkGradient(t, o)
}

func TestInstanceTable(t *testing.T) {
	h := Instances().HTML()
	if strings.Count(h, "<tr>") != len(Instances())+1 || !strings.Contains(h, "t-SNE") {
		t.Error(h)
	}
	if s := Instances().String(); strings.Count(s, "\n") != len(Instances())+1 {
		t.Error(s)
	}
}
