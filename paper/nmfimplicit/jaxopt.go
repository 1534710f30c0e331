package nmfimplicit

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Jaxopt, which the post describes, is a Python library. peer/derive.py runs it on peer/problems.json, and
// peer/jaxopt.json contains its results, with the versions of the programs that computed them. So this experiment
// needs no Python. TestJaxopt runs the script again where jaxopt is installed.
//
//go:embed peer/problems.json peer/jaxopt.json
var peerFiles embed.FS

// A peerProblem is a factorization A ≈ UW' that jaxopt differentiates, together with the matrix G that defines the
// differentiated function ⟨G, UW'⟩. The matrices are stored row by row.
type peerProblem struct {
	N int       `json:"n"`
	D int       `json:"d"`
	K int       `json:"k"`
	A []float64 `json:"A"` // n×d
	U []float64 `json:"U"` // n×k
	W []float64 `json:"W"` // d×k
	G []float64 `json:"G"` // n×d
}

// jaxoptResults is the content of peer/jaxopt.json, which derive.py writes and explains.
type jaxoptResults struct {
	Versions map[string]string `json:"versions"`
	Machine  string            `json:"machine"`
	Script   string            `json:"script_sha256"`
	Problems string            `json:"problems_sha256"`
	Results  []jaxoptResult    `json:"results"`
}

// jaxoptResult is what jaxopt computed for one problem. A gradient is n×d, row by row, or nil if it was not finite.
type jaxoptResult struct {
	Map       float64              `json:"map"`
	Singular  []float64            `json:"singular"`
	Gradients map[string][]float64 `json:"gradients"`
	Sum       []float64            `json:"sum"`
	SumScaled []float64            `json:"sum_scaled"`
}

// The names of the solvers in jaxopt's results.
const (
	jaxoptDefault = "normal CG"        // the default of custom_root
	jaxoptTight   = "normal CG, 1e-12" // the same with tolerance 1e-12, not 1e-5
	jaxoptCG      = "CG"
	jaxoptCGTight = "CG, 1e-12"
)

// readPeer returns the problems and jaxopt's results for them.
func readPeer() ([]peerProblem, jaxoptResults) {
	var problems []peerProblem
	var results jaxoptResults
	for name, into := range map[string]any{"peer/problems.json": &problems, "peer/jaxopt.json": &results} {
		text := must.Get(peerFiles.ReadFile(name))
		lab.Check(json.Unmarshal(text, into))
	}
	if len(problems) != len(results.Results) {
		panic(fmt.Sprintf("nmfimplicit: %d problems and %d results of jaxopt", len(problems), len(results.Results)))
	}
	return problems, results
}

// A JaxoptSolver says how well the gradients that jaxopt computes with one linear solver and one tolerance agree with
// this project's gradients.
type JaxoptSolver struct {
	Solver, Tolerance string
	Right             string // number of problems whose gradients agree to 1e-5
	Median, Largest   string // relative difference of the gradients
}

// Jaxopt compares two computations of the same derivatives: by jaxopt, following the post's recipe, and by package
// nmfgrad. It returns one line for each pair of a jaxopt solver and a tolerance.
func (l *Lab) Jaxopt() []JaxoptSolver {
	problems, peer := readPeer()
	data := record.Generated(fmt.Sprintf("%d matrices of %d × %d in %d components, without degenerate entries and with zeros in their factors; jaxopt %s with jax %s, double precision on a processor",
		len(problems), problems[0].N, problems[0].D, problems[0].K, peer.Versions["jaxopt"], peer.Versions["jax"]))
	off := map[string][]float64{} // by solver: relative differences of ⟨G, UW'⟩'s gradient
	var largestMap, spectrum float64
	null := map[int]bool{}
	least := math.Inf(1)
	for i, q := range problems {
		l.Heed()
		A, U, W := mat.NewDense(q.N, q.D, q.A), mat.NewDense(q.N, q.K, q.U), mat.NewDense(q.D, q.K, q.W)
		r := peer.Results[i]
		largestMap = max(largestMap, r.Map)

		dg := must.Get(nmfgrad.DiagnoseAt(l.Context(), A, U, W, &nmfgrad.Options{}))
		zero := 0
		for j, s := range r.Singular {
			spectrum = max(spectrum, math.Abs(s-dg.Singular[j])/r.Singular[0])
			if s < 1e-9*r.Singular[0] {
				zero++
			}
		}
		null[zero] = true

		point := must.Get(nmfgrad.PointAt(A, U, W, &nmfgrad.Options{}))
		right, _, err := point.VJPProduct(l.Context(), mat.NewDense(q.N, q.D, q.G))
		lab.Check(err)
		for solver, g := range r.Gradients {
			d := math.Inf(1)
			if g != nil {
				d = relativeDistance(mat.NewDense(q.N, q.D, g), right)
			}
			off[solver] = append(off[solver], d)
		}
		// If U doubles, ΣU doubles, and so would its gradient if it existed.
		twice := mat.NewDense(q.N, q.D, append([]float64{}, r.Sum...))
		twice.Scale(2, twice)
		least = min(least, relativeDistance(mat.NewDense(q.N, q.D, r.SumScaled), twice))
	}
	l.jaxoptRows(data, problems[0].K, largestMap, spectrum, null, off, least)

	var table []JaxoptSolver
	for _, s := range []struct{ key, solver, tolerance string }{
		{jaxoptDefault, "CG on the normal equations (jaxopt's default)", "1e-5 (jax's default)"}, {jaxoptTight, "CG on the normal equations", "1e-12"},
		{jaxoptCG, "CG (as in the post)", "1e-5"}, {jaxoptCGTight, "CG (as in the post)", "1e-12"},
	} {
		table = append(table, JaxoptSolver{s.solver, s.tolerance, fmt.Sprintf("%d of %d", near(off[s.key], 1e-5), len(problems)),
			inWords(middle(off[s.key])), inWords(floats.Max(off[s.key]))})
	}
	return table
}

// jaxoptRows adds the rows on jaxopt's results for factorizations with k components.
//
// largestMap is the largest element of the post's map F at a solution, in units of ‖A‖(‖U‖ + ‖W‖). spectrum is the
// largest difference between the singular values of the Jacobian ∂₁F as computed by jax and by nmfgrad, as a fraction
// of the largest singular value. null is a set that contains, for each matrix, the number of singular values that are
// zero up to rounding. off holds, for each solver of jaxopt, the relative differences between its gradients and those
// of nmfgrad.
//
// The gradient of the sum of U's entries, if there were one, would be twice as large at (2U, W/2) as at (U, W). The
// argument least is the smallest relative difference between jaxopt's gradient at (2U, W/2) and twice its gradient at
// (U, W).
func (l *Lab) jaxoptRows(data record.Data, k int, largestMap, spectrum float64, null map[int]bool, off map[string][]float64, least float64) {
	n := len(off[jaxoptDefault])
	l.Row(record.Row{
		ID: "jaxopt-map", What: "the post's F, computed by jax, at factorizations found by this project: largest element, in units of ‖A‖(‖U‖ + ‖W‖)",
		Measured: record.Number(largestMap, ""), Rule: record.AtMost(1e-10), Data: data, Repeat: 1e-10,
	})
	l.Row(record.Row{
		ID: "jaxopt-jacobian", What: "singular values of ∂₁F by jax's automatic differentiation and by package nmfgrad: largest difference, as a fraction of the largest singular value",
		Measured: record.Number(spectrum, ""), Rule: record.AtMost(1e-8), Data: data, Repeat: 1e-8,
	})
	l.Row(record.Row{
		ID: "jaxopt-singular", What: fmt.Sprintf("∂₁F computed by jax also has %d singular values below 1e-9 of the largest, one per component, for each of %d matrices", k, n),
		Measured: record.Bool(len(null) == 1 && null[k], ""), Rule: record.Holds(), Data: data,
		Reason: "the inverse in the post does not exist (row jacobian-inverse). Jaxopt does not form it: it solves the linear system, by default in the least-squares sense",
	})
	l.Row(record.Row{
		ID: "jaxopt-cg", What: fmt.Sprintf("jaxopt with conjugate gradients (solve_cg) finds the gradient of ⟨G, UW'⟩, a linear function of UW', for each of %d matrices", n),
		Published: post.Quote("Instead, (∂₁F) ∂(U,W,Ū,W̄)/∂A = −∂₂F is solved by conjugate gradient using JVP v ↦ (∂₁F)v.", implicitly),
		Measured:  record.Bool(near(off[jaxoptCG], 1e-5) == n, fmt.Sprintf("for %d, and for %d with a tolerance of 1e-12; median relative error of the gradients %.0e (gradients that are not finite count as infinite errors)", near(off[jaxoptCG], 1e-5), near(off[jaxoptCGTight], 1e-5), middle(off[jaxoptCG]))),
		Rule:      record.Holds(), Data: data,
		Reason: "solve_cg assumes a symmetric matrix, and ∂₁F is not symmetric. It reports no error, but returns wrong numbers, sometimes NaN",
	})
	l.Row(record.Row{
		ID: "jaxopt-default", What: "jaxopt with default settings (solve_normal_cg, tolerance 1e-5): gradient of ⟨G, UW'⟩, largest relative difference from this project's",
		Measured: record.Number(floats.Max(off[jaxoptDefault]), ""), Rule: record.AtMost(0.01), Data: data, Repeat: 1e-4,
		Reason: fmt.Sprintf("the median is %.1g. The normal equations square the condition number of ∂₁F, and the tolerance applies to their residual, so a gradient that appears converged can be wrong in its first digit (row jaxopt-tight: the same with 1e-12)", middle(off[jaxoptDefault])),
	})
	l.Row(record.Row{
		ID: "jaxopt-tight", What: "jaxopt with solve_normal_cg and tolerance 1e-12: gradient of ⟨G, UW'⟩, largest relative difference from this project's",
		Measured: record.Number(floats.Max(off[jaxoptTight]), ""), Rule: record.AtMost(1e-6), Data: data, Repeat: 1e-6,
	})
	l.Row(record.Row{
		ID: "jaxopt-scales", What: "gradient of ΣU by jaxopt's default solver, scales not fixed: smallest relative difference between the gradient at (2U, W/2) and twice that at (U, W)",
		Measured: record.Number(least, ""), Rule: record.AtLeast(0.01), Data: data, Repeat: 1e-4,
		Reason: "this derivative does not exist (row no-gauge-no-derivative), and jaxopt does not say so: conjugate gradients on the normal equations return a least-squares solution",
	})
}

// inWords formats a relative difference. An infinite difference stands for a gradient that was not finite.
func inWords(v float64) string {
	if math.IsInf(v, 1) {
		return "not finite"
	}
	return fmt.Sprintf("%.0e", v)
}

// near counts the values that are at most limit.
func near(v []float64, limit float64) int {
	count := 0
	for _, x := range v {
		if x <= limit {
			count++
		}
	}
	return count
}

// middle returns the median.
func middle(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return stat.Quantile(0.5, stat.Empirical, sorted, nil)
}
