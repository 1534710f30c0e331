package nmf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// sendSparse sends s to Python as a csr_matrix.
func sendSparse(tb testing.TB, py *peer.Python, name string, s *Sparse) {
	tb.Helper()
	var ptr, col, val []byte
	n, d := s.Dims()
	pointers, columns, values := s.Raw()
	for _, p := range pointers {
		ptr = binary.LittleEndian.AppendUint32(ptr, uint32(p))
	}
	for i, j := range columns {
		col = binary.LittleEndian.AppendUint32(col, uint32(j))
		val = binary.LittleEndian.AppendUint64(val, math.Float64bits(values[i]))
	}
	dir := tb.TempDir()
	for file, b := range map[string][]byte{"ptr": ptr, "col": col, "val": val} {
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	py.Do(fmt.Sprintf("import scipy.sparse\n%s = scipy.sparse.csr_matrix((np.fromfile(%[2]q), np.fromfile(%[3]q, dtype=np.int32), np.fromfile(%[4]q, dtype=np.int32)), shape=(%d, %d))",
		name, filepath.Join(dir, "val"), filepath.Join(dir, "col"), filepath.Join(dir, "ptr"), n, d))
}

// words returns word counts of random documents, where words follow Zipf's law. Each document mixes two of 50 topics,
// each of which prefers some words.
func words(docs, vocabulary, length int, seed uint64) *Sparse {
	rng := rand.New(rand.NewPCG(seed, 3))
	weight := make([]float64, vocabulary) // cumulative weights
	sum := 0.0
	for j := range weight {
		sum += 1 / float64(j+3)
		weight[j] = sum
	}
	draw := func() int {
		u, lo, hi := rng.Float64()*sum, 0, vocabulary-1
		for lo < hi {
			if m := (lo + hi) / 2; weight[m] < u {
				lo = m + 1
			} else {
				hi = m
			}
		}
		return lo
	}
	perms := make([][]int, 50)
	for t := range perms {
		perms[t] = rng.Perm(vocabulary)
	}
	var row, col []int
	var val []float64
	for i := range docs {
		a, b := rng.IntN(50), rng.IntN(50)
		for range length/2 + rng.IntN(length) {
			j := draw()
			switch rng.IntN(4) {
			case 0:
				j = perms[a][j]
			case 1:
				j = perms[b][j]
			}
			row, col, val = append(row, i), append(col, j), append(val, 1)
		}
	}
	s, err := FromTriplets(docs, vocabulary, row, col, val)
	if err != nil {
		panic(err)
	}
	return s
}

func faces(tb testing.TB, n int) *mat.Dense {
	f, err := synth.Faces(tb.Context(), synth.FacesOptions{N: n, Size: 32, Noise: 0.02, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return f.Images
}

// digits returns n handwritten digits of MNIST (n×784), or generated digits if MNIST is missing.
func digits(tb testing.TB, n int) *mat.Dense {
	if d, err := mnist.Load(); err == nil {
		return d.Train.First(n)
	}
	s, err := synth.Digits(tb.Context(), synth.DigitsOptions{N: n, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return s.Images
}

// inputs are the matrices of the benchmarks, each with a number of components.
var inputs = []struct {
	name string
	k    int
	A    func(tb testing.TB) mat.Matrix
}{
	{"digits", 16, func(tb testing.TB) mat.Matrix { return digits(tb, 3000) }},
	{"faces", 49, func(tb testing.TB) mat.Matrix { return faces(tb, 5000) }},
	{"words", 49, func(tb testing.TB) mat.Matrix { return words(20000, 5000, 150, 1) }},
}

// TestSklearn: the starts by singular vectors equal scikit-learn's. From the same start, so do the iterates, element by
// element, for dense and sparse input.
func TestSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np, warnings\nfrom sklearn.decomposition import NMF\nfrom sklearn.decomposition._nmf import _initialize_nmf\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
	A := lowRank(120, 80, 10, 0.6, 0.2, 16)
	py.Array("D", A)
	sendSparse(t, py, "S", Sparsify(A))
	differ := func(what string, M *mat.Dense, expr string, tol float64) {
		t.Helper()
		n, d := M.Dims()
		theirs := mat.NewDense(n, d, py.Floats("np.ascontiguousarray("+expr+").ravel()"))
		if e := maxDiff(M, theirs); e > tol*mat.Max(M) {
			t.Errorf("%s: off by %g of %g", what, e, mat.Max(M))
		}
	}
	const k = 7
	clear := lowRank(120, 80, k, 0, 0.05, 17) // its first k singular values are separated from the rest
	py.Array("C", clear)
	for init, name := range map[Init]string{NNDSVD: "nndsvd", NNDSVDa: "nndsvda"} {
		a, err := prepare(clear, true)
		if err != nil {
			t.Fatal(err)
		}
		U, W, err := start(t.Context(), a, &Options{Components: k, Init: init})
		if err != nil {
			t.Fatal(err)
		}
		py.Do(fmt.Sprintf("U, H = _initialize_nmf(C, %d, init=%q, random_state=0)", k, name))
		differ(name+" U", compact(U), "U", 1e-4) // both use random projections for singular vectors
		differ(name+" W", compact(W), "H.T", 1e-4)
	}
	begin := fit(t, A, Options{Components: k, Init: Random, MaxIterations: 1})
	py.Array("U0", begin.U)
	py.Array("H0", mat.DenseCopyOf(begin.W.T()))
	for _, c := range []struct {
		solver, loss string
		o            Options
	}{
		{"cd", "frobenius", Options{}},
		{"mu", "frobenius", Options{Method: Multiplicative}},
		{"mu", "kullback-leibler", Options{Method: Multiplicative, Loss: KL}},
	} {
		for name, a := range map[string]mat.Matrix{"D": A, "S": Sparsify(A)} {
			py.Do(fmt.Sprintf("m = NMF(%d, init='custom', solver=%q, beta_loss=%q, tol=0, max_iter=20)\nU = m.fit_transform(%s, W=U0.copy(), H=H0.copy())", k, c.solver, c.loss, name))
			o := c.o
			o.U, o.W, o.MaxIterations, o.Tolerance, o.Inner, o.KeepDense = begin.U, begin.W, 20, -1, 1, true
			r := fit(t, a, o)
			differ(c.solver+" "+c.loss+" "+name+" U", r.U, "U", 1e-6)
			differ(c.solver+" "+c.loss+" "+name+" W", r.W, "m.components_.T", 1e-6)
		}
	}
}

// BenchmarkSklearn compares Fit with scikit-learn's NMF: with the same start, solver and number of iterations
// (Inner 1) they must reach the same objective. If the start is by singular vectors, its time is included.
func BenchmarkSklearn(b *testing.B) {
	gemm.Use()
	for _, in := range inputs {
		A, k := in.A(b), in.k
		for _, c := range []struct {
			solver string
			method Method
			loss   Loss
		}{{"cd", CoordinateDescent, Frobenius}, {"mu", Multiplicative, Frobenius}, {"mu", Multiplicative, KL}} {
			for _, init := range []Init{Random, NNDSVD, NNDSVDa} {
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/%v %v/%v/%d", in.name, c.method, c.loss, init, threads), func(b *testing.B) {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
						defer gemm.SetWorkers(gemm.SetWorkers(threads))
						py := peer.Start(b, threads, "import numpy as np, warnings\nfrom sklearn.decomposition import NMF\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
						send(b, py, A)
						iterations, rounds := 20, 2
						if in.name == "digits" {
							rounds = 9
						}
						if c.loss == KL && in.name == "words" {
							iterations, rounds = 3, 1 // because scikit-learn's fit takes long
						}
						o := Options{Components: k, Method: c.method, Loss: c.loss, Init: init, MaxIterations: iterations, Tolerance: -1, Inner: 1, Seed: 1}
						name, args := map[Init]string{Random: "custom", NNDSVD: "nndsvd", NNDSVDa: "nndsvda"}[init], ""
						if init == Random {
							r, err := Fit(b.Context(), A, &Options{Components: k, Init: Random, MaxIterations: 1, Tolerance: -1, Seed: 1})
							if err != nil {
								b.Fatal(err)
							}
							o.Init, o.U, o.W = Given, r.U, r.W
							py.Array("U0", r.U)
							py.Array("H0", mat.DenseCopyOf(r.W.T()))
							args = ", W=U0.copy(), H=H0.copy()"
						}
						py.Do(fmt.Sprintf("def run():\n    global m\n    m = NMF(%d, init=%q, solver=%q, beta_loss=%q, tol=0, max_iter=%d, random_state=0)\n    m.fit_transform(A%s)",
							k, name, c.solver, map[Loss]string{Frobenius: "frobenius", KL: "kullback-leibler"}[c.loss], iterations, args))
						var mine *Model
						peer.Race(rounds, peer.Timer(func() { mine = fit(b, A, o) }), py.Timer("run()")).Report(b)
						theirs := py.Float("float(m.reconstruction_err_)")
						theirs *= theirs / 2 // scikit-learn reports √(2 objective), for either loss
						b.ReportMetric(mine.Objective, "objective")
						b.ReportMetric(theirs, "peer-objective")
						b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-iterations")
					})
				}
			}
		}
	}
}

// send sends A to Python.
func send(tb testing.TB, py *peer.Python, A mat.Matrix) {
	if s, ok := A.(*Sparse); ok {
		sendSparse(tb, py, "A", s)
		return
	}
	py.Array("A", A)
}

// BenchmarkTarget times each method, with its defaults, until its objective is within 1e-3 of that of
// scikit-learn's coordinate descent, and compares this time with scikit-learn's. scikit-learn also uses its
// defaults (NNDSVDa, at most 200 iterations, its tolerance). Both times include the start.
func BenchmarkTarget(b *testing.B) {
	gemm.Use()
	for _, in := range inputs {
		A := in.A(b)
		for _, threads := range []int{1, 2} {
			for _, c := range []Options{{}, {Single: true}, {Method: ADMM}, {Method: Multiplicative}} {
				b.Run(fmt.Sprintf("%s/%v single=%v/%d", in.name, c.Method, c.Single, threads), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
					defer gemm.SetWorkers(gemm.SetWorkers(threads))
					py := peer.Start(b, threads, "import numpy as np, warnings\nfrom sklearn.decomposition import NMF\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
					send(b, py, A)
					theirs := py.Timer(fmt.Sprintf("m = NMF(%d, init='nndsvda', random_state=0).fit(A)", in.k))
					theirs()
					target := py.Float("float(m.reconstruction_err_)")
					target *= target / 2
					o := Options{Components: in.k, Method: c.Method, Single: c.Single, Tolerance: -1, Target: target * (1 + 1e-3), MaxIterations: 400, Seed: 1}
					var r *Model
					mine := peer.Timer(func() {
						var err error
						if r, err = Fit(b.Context(), A, &o); r == nil {
							b.Fatal(err)
						}
					})
					rounds := 1
					if in.name == "digits" {
						rounds = 5
					}
					peer.Race(rounds, mine, theirs).Report(b)
					b.ReportMetric(float64(r.Iterations), "iterations")
					b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-iterations")
					b.ReportMetric(r.Objective, "objective")
					b.ReportMetric(target, "peer-objective")
				})
			}
		}
	}
}
