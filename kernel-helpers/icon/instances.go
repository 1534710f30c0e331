package icon

import (
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/given"
)

// Normal returns an n×k matrix of independent normal numbers with standard deviation sd, for instance as
// initial values of free points.
func Normal(n, k int, sd float64, seed uint64) *mat.Dense {
	if n < 1 || k < 1 {
		panic(fmt.Sprintf("icon: Normal: %d×%d", n, k))
	}
	rng := rand.New(rand.NewPCG(seed, 0x1c0))
	M := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range k {
			M.Set(i, j, sd*rng.NormFloat64())
		}
	}
	return M
}

// SNE returns the objective of stochastic neighbor embedding (G. Hinton and S. Roweis, 2002) of the rows of X
// (n×d) in k dimensions: p is a Gaussian with the given perplexity, and q is a Gaussian on free points. n·L
// is the cost of the paper.
func SNE(X mat.Matrix, perplexity float64, k int, seed uint64) (*Objective, error) {
	p, err := PerplexityP(X, perplexity)
	if err != nil {
		return nil, err
	}
	n, _ := X.Dims()
	return &Objective{P: p, Q: On(NewPoints(Normal(n, k, 1e-2, seed)), Gaussian{})}, nil
}

// TSNE returns the objective of t-distributed SNE (L. van der Maaten and G. Hinton, 2008) of the rows of X (n×d) in k
// dimensions. P is SNE's p, made symmetric and joint by Symmetrized. Q is Student's t on free points, as ONE
// distribution over all pairs. L is the cost of the paper. Minimize L with Momentum, Exaggeration 4 and a Rate of
// about n/12, but at least 50.
func TSNE(X mat.Matrix, perplexity float64, k int, seed uint64) (*Objective, error) {
	o, err := ConditionalTSNE(X, perplexity, k, seed)
	if err != nil {
		return nil, err
	}
	o.P, o.Joint = Symmetrized(o.P.(*Given)), true
	return o, nil
}

// ConditionalTSNE returns an objective with SNE's p; q is Student's t on free points, with one distribution per row.
// Unlike TSNE, this objective is an instance of the I-Con equation.
func ConditionalTSNE(X mat.Matrix, perplexity float64, k int, seed uint64) (*Objective, error) {
	p, err := PerplexityP(X, perplexity)
	if err != nil {
		return nil, err
	}
	n, _ := X.Dims()
	return &Objective{P: p, Q: On(NewPoints(Normal(n, k, 1e-2, seed)), StudentT{})}, nil
}

// KMeans returns an objective that clusters the rows of X (n×d). p is a Gaussian of width sigma in which each point is
// also its own neighbor. q is the co-membership in k clusters: its logits (n×k) are free points. smooth is the ε of
// CoMembership. The package comment relates this objective to the inertia that K-means minimizes.
func KMeans(X mat.Matrix, k int, sigma, smooth float64, seed uint64) (*Objective, error) {
	p, err := GaussianP(X, sigma, true)
	if err != nil {
		return nil, err
	}
	n, _ := X.Dims()
	return &Objective{P: p, Q: On(NewPoints(Normal(n, k, 1, seed)), CoMembership{Smooth: smooth}), Self: true}, nil
}

// Clusters returns the most probable cluster of each thing: the index of the largest logit in each row of
// logits (n×k).
func Clusters(logits mat.Matrix) []int {
	given.Args("icon: Clusters", "logits", logits)
	mustBeFinite("Clusters", "logits", logits)
	n, k := logits.Dims()
	c := make([]int, n)
	for i := range n {
		for a := 1; a < k; a++ {
			if logits.At(i, a) > logits.At(i, c[i]) {
				c[i] = a
			}
		}
	}
	return c
}

// wide is the width of the Gaussians of PCA and Eigenmaps, relative to the spread of the points. The
// neglected terms are smaller than the leading terms by a factor of order wide⁻².
const wide = 30

// PCA returns an objective in which each thing is related only to itself. q is a Gaussian of large width σ on an
// orthonormal linear map W (d×k) of the rows of X (n×d). For σ → ∞
//
//	L = log n − tr(W'CW)/σ² + O(σ⁻⁴),    C = covariance (divided by n),
//
// so at the minimum the columns of W span the same subspace as the first k principal axes.
func PCA(X mat.Matrix, k int, seed uint64) (*Objective, error) {
	data, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("icon: PCA: %w", err)
	}
	n, d := data.Dims()
	if k < 1 || k > d {
		return nil, fmt.Errorf("icon: PCA: k is %d, must be from 1 to %d", k, d)
	}
	C := centered(data)
	norm := mat.Norm(C, 2)
	if norm == 0 {
		return nil, fmt.Errorf("icon: PCA: all points are equal")
	}
	e := NewLinear(data, Normal(d, k, 1, seed))
	e.Orthonormal = true
	return &Objective{P: SelfP(n), Q: On(e, Gaussian{Sigma: wide * norm / math.Sqrt(float64(n))}), Self: true}, nil
}

// Eigenmaps returns the objective of Laplacian eigenmaps (M. Belkin and P. Niyogi, 2003) of a graph. p is the
// transition matrix of the graph. q is a Gaussian of large width σ on free points y_i, the rows of Y (n×k), with mean
// 0 and Y'Y/n = I. For σ → ∞
//
//	L = const + (1/2σ²) [1/n Σ_ij p(j|i)‖y_i − y_j‖² − 2k] + O(σ⁻⁴).
//
// The sum is, up to a factor, the quadratic form of the graph Laplacian with weights (P + P')/2. Its minimum is at the
// k eigenvectors with the smallest eigenvalues, not counting the constant eigenvector.
func Eigenmaps(p *Given, k int, seed uint64) (*Objective, error) {
	given.Args("icon: Eigenmaps", "p", p)
	n, m := p.P.Dims()
	if n != m || p.Joint {
		panic(fmt.Sprintf("icon: Eigenmaps: p is %d×%d, Joint is %v", n, m, p.Joint))
	}
	if k < 1 || k >= n {
		return nil, fmt.Errorf("icon: Eigenmaps: k is %d, must be from 1 to %d", k, n-1)
	}
	e := NewPoints(Normal(n, k, 1, seed))
	e.Unit = true
	return &Objective{P: p, Q: On(e, Gaussian{Sigma: wide * math.Sqrt(float64(k))}), Self: true}, nil
}

// SimCLR returns the objective NT-Xent of T. Chen and others (2020) on the rows of X (2n×d): rows i and i+n
// are two views of the same thing. L is the paper's loss, equation (1), averaged over all rows.
func SimCLR(X mat.Matrix, net *Encoder, temperature float64) *Objective {
	given.Args("icon: SimCLR", "X", X, "net", net)
	m, d := X.Dims()
	if m%2 != 0 || d != net.Sizes[0] {
		panic(fmt.Sprintf("icon: SimCLR: X is %d×%d for a network of %v", m, d, net.Sizes))
	}
	return &Objective{P: ViewsP(m/2, 2), Q: On(&NetworkEmbedding{given.Dense("icon: SimCLR", "X", X), net}, Cosine{temperature})}
}

// SupCon returns the objective of supervised contrastive learning on the rows of X (n×d), with the loss L_out of P.
// Khosla and others (2020). p is uniform over the other things with the same label. Each label must occur at least
// twice.
func SupCon(X mat.Matrix, labels []int, net *Encoder, temperature float64) (*Objective, error) {
	given.Args("icon: SupCon", "X", X)
	p, err := SameLabelP(labels)
	if err != nil {
		return nil, err
	}
	if n, _ := X.Dims(); n != len(labels) {
		panic(fmt.Sprintf("icon: SupCon: %d rows, %d labels", n, len(labels)))
	}
	return &Objective{P: p, Q: On(&NetworkEmbedding{given.Dense("icon: SupCon", "X", X), net}, Cosine{temperature}), CrossEntropy: true}, nil
}

// CrossEntropy returns the objective of multinomial logistic regression of the rows of X (n×d) on m classes. Here j is
// a class: p(j|i) is 1 for the label of row i and 0 for the others, and q is a softmax over class prototypes. Labels
// are 0 to m−1.
func CrossEntropy(X mat.Matrix, labels []int, m int) (*Objective, error) {
	given.Args("icon: CrossEntropy", "X", X)
	p, err := ClassP(labels, m)
	if err != nil {
		return nil, err
	}
	n, d := X.Dims()
	if n != len(labels) {
		panic(fmt.Sprintf("icon: CrossEntropy: %d rows, %d labels", n, len(labels)))
	}
	return &Objective{P: p, Q: On(Data{given.Dense("icon: CrossEntropy", "X", X)}, NewPrototypes(mat.NewDense(d, m, nil), make([]float64, m))), Self: true}, nil
}

// XSample returns an objective after V. Sobal and others, "X-Sample contrastive loss" (2024). In that paper, p comes
// from a pretrained encoder of side information. Here p is learned too: p_θ is a softmax of cosines between the rows of
// S W, where S (n×e) is the side information and the parameter θ is the matrix W, which starts as a copy of the
// argument W. q_φ is a softmax of cosines in an embedding, for example of free points. The argument q is this
// embedding. Before fitting, set the objective's Anchor and Prior; otherwise p collapses.
func XSample(S, W mat.Matrix, q Embedding, temperature float64) *Objective {
	given.Args("icon: XSample", "S", S, "W", W)
	mustBeFinite("XSample", "S", S)
	mustBeFinite("XSample", "W", W)
	return &Objective{P: On(NewLinear(S, W), Cosine{temperature}), Q: On(q, Cosine{temperature})}
}

// An Instance describes one method as a pair of relations.
type Instance struct {
	Method, P, Q, Phi, Reference string
	Func                         string // name of the function in this package
}

// InstanceTable is a list of methods. A notebook shows it as a table.
type InstanceTable []Instance

// Instances returns a table of the learning methods that this package unifies. Each is described by its two
// distributions, p and q.
func Instances() InstanceTable {
	return InstanceTable{
		{"SNE", "Gaussian of a perplexity, by rows", "Gaussian", "free points", "Hinton and Roweis 2002", "SNE"},
		{"t-SNE", "the same, symmetrised, jointly", "Student t, jointly", "free points", "van der Maaten and Hinton 2008", "TSNE"},
		{"t-SNE by rows", "Gaussian of a perplexity, by rows", "Student t", "free points", "Alshammari and others 2025", "ConditionalTSNE"},
		{"PCA", "itself", "wide Gaussian", "orthonormal linear map", "Pearson 1901; Alshammari and others 2025", "PCA"},
		{"Laplacian eigenmaps", "transitions of a graph", "wide Gaussian", "whitened free points", "Belkin and Niyogi 2003", "Eigenmaps"},
		{"K-means", "Gaussian of fixed width", "cluster co-membership", "cluster logits", "Lloyd 1982; Alshammari and others 2025", "KMeans"},
		{"SimCLR", "the other view", "softmax of cosines", "network", "Chen and others 2020", "SimCLR, FitContrast"},
		{"SupCon", "uniform over the same label", "softmax of cosines", "network", "Khosla and others 2020", "SupCon"},
		{"X-Sample", "softmax of cosines of side information (θ: fixed encoder)", "softmax of cosines", "any embedding", "Sobal and others 2024", "XSample"},
		{"Cross-entropy", "label, over classes", "softmax over prototypes", "prototypes", "Cox 1958", "CrossEntropy"},
	}
}

// HTML returns the table as a notebook shows it.
func (t InstanceTable) HTML() string {
	var b strings.Builder
	const cell = ` style="text-align:left;padding:2px 10px"`
	b.WriteString("<table><thead><tr>")
	for _, h := range []string{"method", "p(j|i)", "q(j|i)", "φ", "function", "reference"} {
		fmt.Fprintf(&b, "<th%s>%s</th>", cell, h)
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, r := range t {
		b.WriteString("<tr>")
		for i, s := range []string{r.Method, r.P, r.Q, r.Phi, r.Func, r.Reference} {
			s = html.EscapeString(s)
			if i == 4 {
				s = "<code>" + s + "</code>"
			}
			fmt.Fprintf(&b, "<td%s>%s</td>", cell, s)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>\n")
	return b.String()
}

// String returns the table as plain text.
func (t InstanceTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s %-52s %-24s %s\n", "method", "p(j|i)", "q(j|i)", "φ")
	for _, r := range t {
		fmt.Fprintf(&b, "%-20s %-52s %-24s %s\n", r.Method, r.P, r.Q, r.Phi)
	}
	return b.String()
}
