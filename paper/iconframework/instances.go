package iconframework

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// An Equality compares the engine's loss and gradient of one method with the formula of the
// method's own paper.
type Equality struct {
	Method string
	// Equal says which two things are compared.
	Equal string
	// LossDiffers and GradientDiffers are relative differences.
	LossDiffers, GradientDiffers string
	// Form says whether the method's loss is the post's loss without changes.
	Form string
}

// Forms of an instance.
const (
	exact   = "exactly"
	jointly = "with one distribution for all pairs"
	limit   = "in the limit of a wide Gaussian"
	reverse = "with p and q exchanged"
)

// byConstruction is the method that I-Con itself introduced.
const byConstruction = "t-SNE by rows"

// Methods returns the table of the methods as pairs of kernels.
func (l *Lab) Methods() icon.InstanceTable {
	t := icon.Instances()
	fixed := 0
	for _, o := range l.examples() {
		if len(o.P.Params()) == 0 {
			fixed++
		}
	}
	l.Row(record.Row{
		ID: "theta-mostly-fixed", What: fmt.Sprintf("methods whose p has no learnable parameters, of the %d in the table, as implemented in package icon", len(t)),
		Measured: record.Number(float64(fixed), "methods"), Rule: record.AtLeast(float64(len(t) - 1)), Data: record.Example("the table of instances"),
		Reason: "the exception is X-Sample: the package can learn its p, to show what happens then. In the published method p is fixed too",
	})
	return t
}

// examples returns one small objective of each method of the table.
func (l *Lab) examples() []*icon.Objective {
	X, labels, views := l.small()
	net := func() *icon.Encoder { return icon.NewEncoder(l.Seed, 1, 6, 8, 4) }
	graph := must.Get(icon.NeighborsP(X, 5))
	return []*icon.Objective{
		must.Get(icon.SNE(X, 7, 2, l.Seed)), must.Get(icon.TSNE(X, 7, 2, l.Seed)), must.Get(icon.ConditionalTSNE(X, 7, 2, l.Seed)),
		must.Get(icon.PCA(X, 2, l.Seed)), must.Get(icon.Eigenmaps(graph, 2, l.Seed)), must.Get(icon.KMeans(X, 3, 1, 0, l.Seed)),
		icon.SimCLR(views, net(), 0.5), must.Get(icon.SupCon(X, labels, net(), 0.5)),
		icon.XSample(X, icon.Normal(6, 3, 1, l.Seed), icon.NewPoints(icon.Normal(len(labels), 3, 1, l.Seed)), 0.5),
		must.Get(icon.CrossEntropy(X, labels, 3)),
	}
}

// small returns 30 points in six dimensions with three classes, and two noisy copies ("views") of each point. The
// views of point i are rows i and i + 30 of views.
func (l *Lab) small() (X *mat.Dense, labels []int, views *mat.Dense) {
	const n = 30
	X = icon.Normal(n, 6, 1, l.Seed+10)
	labels = make([]int, n)
	for i := range n {
		labels[i] = i % 3
		X.Set(i, labels[i], X.At(i, labels[i])+3)
	}
	views = mat.NewDense(2*n, 6, nil)
	views.Stack(X, X)
	views.Add(views, icon.Normal(2*n, 6, 0.3, l.Seed+11))
	return X, labels, views
}

// evaluate sets the parameter p to the given point. It returns the engine's loss and gradient there, both multiplied by
// factor.
func evaluate(o *icon.Objective, p *tape.Param, point *mat.Dense, factor float64) (float64, *mat.Dense) {
	p.X.Copy(point)
	L := o.Gradient()
	var G mat.Dense
	G.Scale(factor, p.Grad)
	return factor * L, &G
}

// Instances compares the engine with each method's own formula, on 30 points.
func (l *Lab) Instances() []Equality {
	in := &instances{l: l}
	in.X, in.labels, in.views = l.small()
	in.Y = icon.Normal(len(in.labels), 2, 1.2, l.Seed+12)
	in.P = conditional(in.X, 7)
	in.data = record.Generated(fmt.Sprintf("%d points in 6 dimensions", len(in.labels)))

	in.sne()
	in.tsne(in.byRows())
	in.simCLR()
	in.supCon()
	in.crossEntropy()
	in.pca()
	in.eigenmaps()
	in.kMeans()
	in.universal()
	return in.out
}

// instances holds the data of the experiment Instances, and the comparisons made so far.
type instances struct {
	l      *Lab
	X      *mat.Dense // 30 points
	labels []int
	views  *mat.Dense // 60
	Y      *mat.Dense // the map at which losses and gradients are compared
	P      *mat.Dense // SNE's p of X
	data   record.Data
	out    []Equality
}

// The rules for the comparisons. The rule closely is for a method's own formula, which must be the same up to rounding;
// the rule roughly is for a limit.
var (
	closely = record.AtMost(1e-9)
	roughly = record.AtMost(1e-3)
)

// examples lists the post's statements on t-SNE, SimCLR and K-means; reduction lists its statements on PCA
// and eigenmaps.
var (
	examples  = post.Quote("Many representation learning approaches—including t-SNE, SimCLR, and K-Means clustering—can be understood as instances of the I-Con framework.", motivation)
	reduction = post.Quote("Before discussing factorization algorithms further, let’s first understand dimensionality reduction as an instance of representation learning. This can be formalized through a universal framework called I-Con.", motivation)
)

// add adds a method to the table, and the method's row to the results.
func (in *instances) add(id, method, equal, form, source, reason string, published record.Value, rule record.Rule, loss, grad float64) {
	in.out = append(in.out, Equality{method, equal, fmt.Sprintf("%.1g", loss), fmt.Sprintf("%.1g", grad), form})
	in.l.Row(record.Row{
		ID: "instance-" + id, What: method + ": " + equal + "; larger of the relative errors of loss and gradient (" + source + ")",
		Published: published, Measured: record.Number(math.Max(loss, grad), ""), Rule: rule, Data: in.data, Reason: reason,
		Repeat: 1e-9,
	})
}

// namedRow returns the row of a method that the post names as an instance of its loss. The post says "can be understood
// as", which leaves room for changes to its equation. The measured value is the number of changes. It is 0 if stands is
// true: the method is the post's equation as it stands. Otherwise it is 1 if changed is true: the method is the
// equation after one change, which the argument change describes. Otherwise it is 2, for a method that is neither.
func namedRow(id, method, change string, stands, changed bool, data record.Data) record.Row {
	changes, reason := 2.0, "not an instance of the equation as stated, nor after this change: "+change
	switch {
	case stands:
		changes, reason = 0, ""
	case changed:
		changes, reason = 1, "an instance after one change: "+change
	}
	return record.Row{
		ID: "instance-" + id, What: method + " as an instance of the post's loss: changes that its equation needs (0: none, 1: a known one, 2: no change found)",
		Published: examples, Measured: record.Number(changes, "changes"), Rule: record.AtMost(0).Partly(1), Data: data, Reason: reason,
	}
}

func (in *instances) sne() {
	o := must.Get(icon.SNE(in.X, 7, 2, 1))
	C, G := sne(in.P, in.Y)
	L, D := evaluate(o, o.Params()[0], in.Y, float64(len(in.labels)))
	in.add("sne", "SNE", "n L equals the cost", exact, "Hinton and Roweis, equations 3 and 5", "", record.Value{}, closely, relativeError(L, C), relativeDistance(D, G))
}

// byRows compares the engine with studentByRows: t-SNE's kernels, but with a separate distribution q(·|i) for each row
// i. It adds the method to the table, and returns the engine's gradient.
func (in *instances) byRows() *mat.Dense {
	o := must.Get(icon.ConditionalTSNE(in.X, 7, 2, 1))
	C, G := studentByRows(in.P, in.Y)
	L, D := evaluate(o, o.Params()[0], in.Y, float64(len(in.labels)))
	in.add("t-sne-rows", byConstruction, "n L equals SNE's cost with a Student t kernel in the map", exact, "not published before I-Con", "", record.Value{}, closely, relativeError(L, C), relativeDistance(D, G))
	return mat.DenseCopyOf(D)
}

// tsne adds the rows on t-SNE, which has one distribution over all pairs. The argument byRow is the gradient that
// byRows returned, for comparison.
func (in *instances) tsne(byRow *mat.Dense) {
	o := must.Get(icon.TSNE(in.X, 7, 2, 1))
	C, G := student(in.P, in.Y)
	L, D := evaluate(o, o.Params()[0], in.Y, 1)
	in.add("t-sne-joint", "t-SNE", "L over all pairs equals the cost", jointly, "van der Maaten and Hinton, equations 2 to 5",
		"P and Q are each one distribution over all pairs, which is not the post's equation: see the row instance-t-sne", record.Value{}, closely, relativeError(L, C), relativeDistance(D, G))
	// Ignore a common scale: only the direction of the descent matters.
	cos := inner(byRow, G) / math.Sqrt(inner(byRow, byRow)*inner(G, G))
	degrees := math.Acos(math.Min(1, cos)) * 180 / math.Pi
	in.l.Row(record.Row{
		ID: "instance-t-sne-rows-angle", What: "angle between t-SNE's gradient and that of the post's loss with t-SNE's kernels (one q for each i)",
		Measured: record.Number(degrees, "degrees"), Rule: record.AtLeast(1), Data: in.data, Repeat: 1e-6,
		Reason: "t-SNE has one q over all pairs and a symmetric p; the post's equation has one distribution for each i. The losses differ, and so do their gradients. The chain rule relates them (row chain-rule): t-SNE's cost is the post's loss with weights P_i in place of 1/n, plus the KL divergence of the row sums",
	})
	in.l.Row(namedRow("t-sne", "t-SNE", "one distribution over all pairs in place of one for each i", degrees < 0.01, math.Max(relativeError(L, C), relativeDistance(D, G)) < 1e-9, in.data))
	in.l.chainRule(in.data, o)
}

func (in *instances) simCLR() {
	n := len(in.labels)
	positives := make([][]int, 2*n)
	for i := range positives {
		positives[i] = []int{(i + n) % (2 * n)}
	}
	Z := icon.Normal(2*n, 4, 1, in.l.Seed+13)
	free := icon.NewPoints(Z)
	o := &icon.Objective{P: icon.ViewsP(n, 2), Q: icon.On(free, icon.Cosine{Temperature: 0.5})}
	C, G := contrastive(Z, positives, 0.5)
	L, D := evaluate(o, free.Y, Z, 1)
	net := icon.NewEncoder(in.l.Seed, 1, 6, 8, 4) // compare the loss through a network, too
	whole := icon.SimCLR(in.views, net, 0.5)
	t := tape.New()
	C2, _ := contrastive(mat.DenseCopyOf(net.Apply(t, t.Const(in.views)).X), positives, 0.5)
	in.add("simclr", "SimCLR", "L equals NT-Xent (InfoNCE on cosines)", exact, "Chen and others, equation 1",
		"p is a point mass on the other view. Its entropy is 0, so KL and cross-entropy are the same", examples, closely, math.Max(relativeError(L, C), relativeError(whole.Loss(), C2)), relativeDistance(D, G))
}

func (in *instances) supCon() {
	n := len(in.labels)
	same := make([][]int, n)
	for i, a := range in.labels {
		for j, b := range in.labels {
			if i != j && a == b {
				same[i] = append(same[i], j)
			}
		}
	}
	Z := icon.Normal(n, 4, 1, in.l.Seed+14)
	free := icon.NewPoints(Z)
	o := &icon.Objective{P: must.Get(icon.SameLabelP(in.labels)), Q: icon.On(free, icon.Cosine{Temperature: 0.5}), CrossEntropy: true}
	C, G := contrastive(Z, same, 0.5)
	L, D := evaluate(o, free.Y, Z, 1)
	in.add("supcon", "SupCon", "L + H(p) equals L_out", exact, "Khosla and others, equation 2", "the entropy H(p) is a constant", record.Value{}, closely, relativeError(L, C), relativeDistance(D, G))
}

func (in *instances) crossEntropy() {
	o := must.Get(icon.CrossEntropy(in.X, in.labels, 3))
	W := icon.Normal(6, 3, 0.7, in.l.Seed+15)
	C, G := logistic(in.X, W, in.labels)
	L, D := evaluate(o, o.Params()[0], W, 1)
	in.add("cross-entropy", "Cross-entropy", "L equals the loss of logistic regression", exact, "Cox 1958", "here j is a class, not another point", record.Value{}, closely, relativeError(L, C), relativeDistance(D, G))
}

// widths calls measure(σ) and measure(10σ), where σ is the width of o's Gaussian kernel. Each call compares o with a
// method's own formula and returns the relative differences of loss and gradient. o and the formula agree in the limit
// of wide Gaussians, so the differences should fall as σ⁻². widths returns the differences at 10σ, and a description of
// both calls' results.
func widths(o *icon.Objective, measure func(sigma float64) (loss, grad float64)) (loss, grad float64, summary string) {
	pair := o.Q.(*icon.Pair)
	sigma := pair.Kernel.(icon.Gaussian).Sigma
	l1, g1 := measure(sigma)
	pair.Kernel = icon.Gaussian{Sigma: 10 * sigma}
	loss, grad = measure(10 * sigma)
	return loss, grad, fmt.Sprintf("equal up to O(1/σ²): relative error %.1g at σ = %.0f, %.1g at σ = %.0f", math.Max(l1, g1), sigma, math.Max(loss, grad), 10*sigma)
}

func (in *instances) pca() {
	o := must.Get(icon.PCA(in.X, 2, 1))
	W := icon.Normal(6, 2, 0.6, in.l.Seed+16)
	J, GJ := scatterAlong(in.X, W)
	lossOff, gradOff, said := widths(o, func(sigma float64) (float64, float64) {
		L, D := evaluate(o, o.Params()[0], W, 1)
		D.Scale(-sigma*sigma, D)
		return relativeError(sigma*sigma*(math.Log(float64(len(in.labels)))-L), J), relativeDistance(D, GJ)
	})
	in.add("pca", "PCA", "σ²(log n − L) tends to the variance along W as σ → ∞", limit, "Pearson 1901",
		"p is a point mass on i itself, q a wide Gaussian; "+said+". L itself is close to log n", reduction, roughly, lossOff, gradOff)
}

func (in *instances) eigenmaps() {
	graph := must.Get(icon.NeighborsP(in.X, 5))
	o := must.Get(icon.Eigenmaps(graph, 2, 1))
	F, GF := laplacian(graph.P, in.Y)
	lossOff, gradOff, said := widths(o, func(sigma float64) (float64, float64) {
		L, D := evaluate(o, o.Params()[0], in.Y, 1)
		D.Scale(2*sigma*sigma, D)
		return relativeError(2*sigma*sigma*(L+math.Log(5)-math.Log(float64(len(in.labels)))), F), relativeDistance(D, GF)
	})
	in.add("eigenmaps", "Laplacian eigenmaps", "2σ²(L + H(p) − log n) tends to the eigenmaps objective minus the mean squared distance over all pairs of points, as σ → ∞", limit, "Belkin and Niyogi 2003",
		said, reduction, roughly, lossOff, gradOff)
}

func (in *instances) kMeans() {
	rel := in.l.reverseIdentity(in.X, in.labels)
	in.out = append(in.out, Equality{"K-means", "Σ KL(q‖p) for hard clusters equals J/σ² + Σ log Z_i − Σ log n_c(i)", fmt.Sprintf("%.1g", rel), "none: labels are discrete", reverse})
}

// universal adds the row that counts the methods that are instances of the post's unchanged loss.
func (in *instances) universal() {
	// t-SNE by rows is an instance by construction, so it does not count.
	count, published := 0, 0
	for _, e := range in.out {
		if e.Method == byConstruction {
			continue
		}
		published++
		if e.Form == exact {
			count++
		}
	}
	in.l.Row(record.Row{
		ID: "universal", What: fmt.Sprintf("methods that are the post's loss exactly as stated, of %d published before I-Con", published),
		Published: post.Quote("This can be formalized through a universal framework called I-Con.", motivation),
		Measured:  record.Number(float64(count), "methods"), Rule: record.AtLeast(float64(published)).Partly(float64(published) / 2), Data: in.data,
		Reason: "exact: SNE, SimCLR, SupCon and cross-entropy. t-SNE needs one distribution over all pairs; PCA and eigenmaps are limits of wide Gaussians; K-means needs p and q exchanged. Not counted: t-SNE by rows, which I-Con introduced, and X-Sample, which was not compared",
	})
}

func inner(A, B *mat.Dense) float64 {
	s := 0.0
	for i, v := range A.RawMatrix().Data {
		s += v * B.RawMatrix().Data[i]
	}
	return s
}

// chainRule adds the row on the chain rule KL(P‖Q) = KL(row sums of P‖row sums of Q) + Σ_i P_i KL(P(·|i)‖Q(·|i)),
// where P_i is the sum of row i of P. It checks the rule on the t-SNE objective o.
func (l *Lab) chainRule(data record.Data, o *icon.Objective) {
	P, Q := o.Supervisory(), o.Learned()
	n, _ := P.Dims()
	left, sums, rows, least, most := 0.0, 0.0, 0.0, math.Inf(1), 0.0
	for i := range n {
		p, q := mat.Sum(P.RowView(i)), mat.Sum(Q.RowView(i))
		least, most = math.Min(least, p), math.Max(most, p)
		sums += p * math.Log(p/q)
		for j := range n {
			if v := P.At(i, j); v > 0 {
				left += v * math.Log(v/Q.At(i, j))
				rows += v * math.Log(v/p/(Q.At(i, j)/q))
			}
		}
	}
	l.Row(record.Row{
		ID: "chain-rule", What: "t-SNE's cost equals the KL divergence of the row sums plus the post's loss with weights P_i: relative error",
		Measured: record.Number(relativeError(sums+rows, left), ""), Rule: record.AtMost(1e-12), Data: data, Repeat: 1e-12,
		Reason: fmt.Sprintf("here %.3f = %.3f + %.3f; n P_i ranges from %.2f to %.2f", left, sums, rows, float64(n)*least, float64(n)*most),
	})
}
