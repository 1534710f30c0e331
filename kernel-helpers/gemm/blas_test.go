package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

// installed reports whether BLAS was in use at the beginning.
var installed bool

func TestMain(m *testing.M) {
	_, f64 := blas64.Implementation().(BLAS)
	_, f32 := blas32.Implementation().(BLAS)
	installed = f64 || f32
	os.Exit(m.Run())
}

func TestUse(t *testing.T) {
	was64, was32 := blas64.Implementation(), blas32.Implementation()
	defer func() { blas64.Use(was64); blas32.Use(was32) }()
	if installed {
		t.Error("installed without Use")
	}
	Use()
	Use()
	if blas64.Implementation() != (BLAS{}) || blas32.Implementation() != (BLAS{}) {
		t.Error("Use does not install BLAS")
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	a := mat.NewDense(60, 70, random[float64](rnd, 60*70))
	var p, q mat.Dense
	p.Mul(a, a.T())
	blas64.Use(gonum.Implementation{})
	q.Mul(a, a.T())
	if !mat.EqualApprox(&p, &q, 1e-13) {
		t.Error("mat.Mul differs")
	}
}

func TestWorkers(t *testing.T) {
	defer SetWorkers(SetWorkers(0))
	if Workers() < 1 {
		t.Errorf("%d threads by default", Workers())
	}
	SetWorkers(5)
	if Workers() != 5 || SetWorkers(2) != 5 || Workers() != 2 {
		t.Error("SetWorkers does not set")
	}
	if r := panics.Value(func() { SetWorkers(-1) }); r != "gemm: negative number of workers" {
		t.Errorf("panic %v", r)
	}
}

func TestSerial(t *testing.T) {
	defer SetWorkers(SetWorkers(5))
	outer := Serial()
	inner := Serial()
	outer()
	outer() // a second call has no effect
	if Workers() != 1 {
		t.Errorf("%d threads in a region within another that has ended", Workers())
	}
	if SetWorkers(3) != 5 {
		t.Error("a region has changed what was set")
	}
	inner()
	if Workers() != 3 {
		t.Errorf("%d threads after all regions, want the 3 that were set", Workers())
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				func() {
					defer Serial()()
					if n := Workers(); n != 1 {
						t.Errorf("%d threads in a region", n)
					}
				}()
			}
		})
	}
	wg.Wait()
	if Workers() != 3 {
		t.Errorf("%d threads after all regions, want the 3 that were set", Workers())
	}
}

func TestChoose(t *testing.T) {
	sets := []*isa{{name: "avx2"}, {name: "gonum"}}
	for name, want := range map[string]string{"": "avx2", "avx2": "avx2", "gonum": "gonum"} {
		if got := choose(name, sets).name; got != want {
			t.Errorf("%q chooses %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"avx512", "AVX2", "fast"} {
		want := "gemm: OVERCOMPLETE_GEMM=" + name + ": this machine has [avx2 gonum]"
		if r := panics.Value(func() { choose(name, sets) }); r != want {
			t.Errorf("panic %v, want %s", r, want)
		}
	}
	if all := available(); all[len(all)-1].name != "gonum" {
		t.Error("gonum is not the last resort")
	}
}

var (
	sides = []blas.Side{'L', 'R'}
	uplos = []blas.Uplo{'U', 'L'}
	trs   = []blas.Transpose{'N', 'T', 'C'}
	diags = []blas.Diag{'N', 'U'}
)

// TestLevel3 checks that all routines built on the product agree with gonum, write nothing outside the
// result, and do not touch the other triangle. With small integers, the symmetric updates and trmm are exact.
func TestLevel3(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(2, 2))
		level3(t, rnd, my32, ref32)
		level3(t, rnd, my64, ref64)
	})
}

func level3[T number](t *testing.T, rnd *rand.Rand, mine, theirs blasFor[T]) {
	sizes := []int{1, 2, 7, 8, 9, 16, 17, 31, 47, 48, 49, 97, 130}
	pick := func() int { return sizes[rnd.IntN(len(sizes))] }
	equal := func(what string, c region[T], want []T, tolerance float64) {
		t.Helper()
		c.check(t, canary, what)
		for i, v := range c.x {
			if v != want[i] && !(math.Abs(float64(v-want[i])) <= tolerance*(1+math.Abs(float64(want[i])))) {
				t.Fatalf("%s %s: element %d, %d is %v, want %v", typeName[T](), what, i/c.ld, i%c.ld, v, want[i])
			}
		}
	}
	for range 40 {
		alpha := []T{1, -0.5, 2}[rnd.IntN(3)]
		beta := []T{0, 1, -0.5}[rnd.IntN(3)]
		ul, tr, side, diag := uplos[rnd.IntN(2)], trs[rnd.IntN(3)], sides[rnd.IntN(2)], diags[rnd.IntN(2)]
		m, n := pick(), pick()
		what := func(name string) string {
			return fmt.Sprintf("%s side %c, triangle %c, trans %c, diag %c, %d, %d, alpha %v, beta %v", name, side, ul, tr, diag, m, n, alpha, beta)
		}
		// For syrk and syr2k, C is n×n, and the factors are n×m.
		rows, cols := dims(tr, n, m)
		a := newRegion(rnd, rows, cols, nan[T](), integers[T](rnd, n*m))
		b := newRegion(rnd, rows, cols, nan[T](), integers[T](rnd, n*m))
		c := newRegion(rnd, n, n, canary, integers[T](rnd, n*n))
		want := slices.Clone(c.x)
		mine.syrk(ul, tr, n, m, alpha, a.x, a.ld, beta, c.x, c.ld)
		theirs.syrk(ul, tr, n, m, alpha, a.x, a.ld, beta, want, c.ld)
		equal(what("syrk"), c, want, 0)
		mine.syr2k(ul, tr, n, m, alpha, a.x, a.ld, b.x, b.ld, beta, c.x, c.ld)
		theirs.syr2k(ul, tr, n, m, alpha, a.x, a.ld, b.x, b.ld, beta, want, c.ld)
		equal(what("syr2k"), c, want, 0)

		// For symm, trmm and trsm, an m×n matrix is multiplied by a square matrix on one side.
		k := order(side, m, n)
		s := newRegion(rnd, k, k, nan[T](), integers[T](rnd, k*k))
		x := newRegion(rnd, m, n, nan[T](), integers[T](rnd, m*n))
		y := newRegion(rnd, m, n, canary, integers[T](rnd, m*n))
		want = slices.Clone(y.x)
		mine.symm(side, ul, m, n, alpha, s.x, s.ld, x.x, x.ld, beta, y.x, y.ld)
		theirs.symm(side, ul, m, n, alpha, s.x, s.ld, x.x, x.ld, beta, want, y.ld)
		equal(what("symm"), y, want, 0)

		y = newRegion(rnd, m, n, canary, integers[T](rnd, m*n))
		want = slices.Clone(y.x)
		mine.trmm(side, ul, tr, diag, m, n, alpha, s.x, s.ld, y.x, y.ld)
		theirs.trmm(side, ul, tr, diag, m, n, alpha, s.x, s.ld, want, y.ld)
		equal(what("trmm"), y, want, 0)

		// Make the triangle diagonally dominant, so that solutions stay small.
		for i := range k {
			for j := range k {
				s.x[i*s.ld+j] /= T(8 * k)
			}
			s.x[i*s.ld+i] = T(1 + rnd.IntN(4))
		}
		y = newRegion(rnd, m, n, canary, integers[T](rnd, m*n))
		want = slices.Clone(y.x)
		mine.trsm(side, ul, tr, diag, m, n, alpha, s.x, s.ld, y.x, y.ld)
		theirs.trsm(side, ul, tr, diag, m, n, alpha, s.x, s.ld, want, y.ld)
		equal(what("trsm"), y, want, 100*float64(epsilon[T]()))
	}
}

func TestLevel2(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(3, 3))
		level2(t, rnd, my32, ref32)
		level2(t, rnd, my64, ref64)
	})
}

func level2[T number](t *testing.T, rnd *rand.Rand, mine, theirs blasFor[T]) {
	vector := func(n, inc int, fill T) region[T] {
		if inc < 0 {
			inc = -inc
		}
		r := newRegion(rnd, n, 1, fill, integers[T](rnd, n))
		// A vector with gaps is stored as a matrix of one column.
		if r.ld != inc {
			values := integers[T](rnd, n)
			r = region[T]{all: make([]T, (n-1)*inc+1+64), rows: n, cols: 1, ld: inc}
			for i := range r.all {
				r.all[i] = fill
			}
			r.x = r.all[32 : 32+(n-1)*inc+1 : 32+(n-1)*inc+1]
			for i, v := range values {
				r.x[i*inc] = v
			}
		}
		return r
	}
	for i := range 400 {
		m, n := 1+rnd.IntN(100), 1+rnd.IntN(160)
		alpha := []T{1, -0.5}[rnd.IntN(2)]
		beta := []T{0, 1, -0.5}[rnd.IntN(3)]
		incX, incY := 1, 1
		if i%3 == 0 {
			incX, incY = []int{1, 2, -1, -3}[rnd.IntN(4)], []int{1, 2, -1, -3}[rnd.IntN(4)]
		}
		tr, ul := trs[rnd.IntN(3)], uplos[rnd.IntN(2)]
		what := fmt.Sprintf("%s %c %c %d×%d, increments %d %d, alpha %v, beta %v", typeName[T](), tr, ul, m, n, incX, incY, alpha, beta)
		a := newRegion(rnd, m, n, nan[T](), integers[T](rnd, m*n))
		out, in := dims(tr, m, n)
		x, y := vector(in, incX, nan[T]()), vector(out, incY, canary)
		if beta == 0 {
			for i := range out {
				y.x[i*y.ld] = nan[T]()
			}
		}
		want := slices.Clone(y.x)
		mine.gemv(tr, m, n, alpha, a.x, a.ld, x.x, incX, beta, y.x, incY)
		theirs.gemv(tr, m, n, alpha, a.x, a.ld, x.x, incX, beta, want, incY)
		if !slices.Equal(y.x, want) {
			t.Fatalf("gemv %s: wrong", what)
		}
		y.check(t, canary, what)

		a = newRegion(rnd, m, n, canary, integers[T](rnd, m*n))
		x, y = vector(m, incX, nan[T]()), vector(n, incY, nan[T]())
		want = slices.Clone(a.x)
		mine.ger(m, n, alpha, x.x, incX, y.x, incY, a.x, a.ld)
		// gonum's ger cannot be the oracle, because it is wrong for negative increments.
		for i := range m {
			for j := range n {
				want[i*a.ld+j] += alpha * x.x[firstIndex(m, incX)+i*incX] * y.x[firstIndex(n, incY)+j*incY]
			}
		}
		if !slices.Equal(a.x, want) {
			t.Fatalf("ger %s: wrong", what)
		}
		a.check(t, canary, what)

		a = newRegion(rnd, n, n, nan[T](), integers[T](rnd, n*n))
		x, y = vector(n, incX, nan[T]()), vector(n, incY, canary)
		want = slices.Clone(y.x)
		mine.symv(ul, n, alpha, a.x, a.ld, x.x, incX, beta, y.x, incY)
		theirs.symv(ul, n, alpha, a.x, a.ld, x.x, incX, beta, want, incY)
		if !slices.Equal(y.x, want) {
			t.Fatalf("symv %s: wrong", what)
		}
		y.check(t, canary, what)
	}
}

// TestGerNegativeIncrements checks rank-one updates with negative increments against the definition of
// element (i, j), for every instruction set, including gonum's code. (Without this package, gonum's Ger is
// wrong for negative increments.)
func TestGerNegativeIncrements(t *testing.T) {
	for _, set := range available() {
		t.Run(set.name, func(t *testing.T) {
			use(t, set, 1)
			gerNegative(t, my64)
			gerNegative(t, my32)
		})
	}
}

func gerNegative[T number](t *testing.T, mine blasFor[T]) {
	rnd := rand.New(rand.NewPCG(31, 7))
	for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 4}, {40, 61}} {
		m, n := size[0], size[1]
		for _, inc := range [][2]int{{-1, 1}, {1, -1}, {-1, -1}, {-2, 3}, {2, -3}} {
			for _, alpha := range []T{0, 1, -2, T(math.Inf(1))} {
				incX, incY := inc[0], inc[1]
				x, y := integers[T](rnd, (m-1)*max(incX, -incX)+1), integers[T](rnd, (n-1)*max(incY, -incY)+1)
				for i := range x {
					x[i]++ // makes most elements nonzero; an infinite alpha then gives some NaN
				}
				a := integers[T](rnd, m*n)
				want := slices.Clone(a)
				for i := range m {
					for j := range n {
						if alpha != 0 {
							want[i*n+j] += alpha * x[firstIndex(m, incX)+i*incX] * y[firstIndex(n, incY)+j*incY]
						}
					}
				}
				mine.ger(m, n, alpha, x, incX, y, incY, a, n)
				for k, v := range want {
					if a[k] != v && !(v != v && a[k] != a[k]) {
						t.Fatalf("%s %d×%d, increments %d %d, alpha %v: element %d is %v, want %v", typeName[T](), m, n, incX, incY, alpha, k, a[k], v)
					}
				}
			}
		}
	}
}

// TestPanics checks that bad arguments panic with gonum's message, and that arguments that gonum accepts are
// accepted. The arguments are random, and most are nearly correct.
func TestPanics(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(4, 4))
		messages := map[any]int{}
		for range 30000 {
			size := func() int {
				switch rnd.IntN(20) {
				case 0:
					return -1
				case 1:
					return 0
				}
				return []int{1, 3, 10, 30}[rnd.IntN(4)]
			}
			off := func(n int) int { // returns n, or occasionally another length
				if rnd.IntN(12) == 0 {
					return max(0, n+rnd.IntN(3)-1)
				}
				return n
			}
			flag := func(good ...byte) byte {
				if rnd.IntN(25) == 0 {
					return 'x'
				}
				return good[rnd.IntN(len(good))]
			}
			inc := func() int { return []int{1, 1, 1, 2, -1, -2, 0}[rnd.IntN(7)] }
			m, n, k := size(), size(), size()
			tA, tB := blas.Transpose(flag('N', 'T', 'C')), blas.Transpose(flag('N', 'T', 'C'))
			side, ul, diag := blas.Side(flag('L', 'R')), blas.Uplo(flag('U', 'L')), blas.Diag(flag('N', 'U'))
			matrix := func(rows, cols int) (int, []float64) {
				ld := off(max(1, cols))
				return ld, make([]float64, off(max(0, (rows-1)*ld+cols)))
			}
			ar, ac := dims(tA, m, k)
			br, bc := dims(tB, k, n)
			lda, a := matrix(ar, ac)
			ldb, b := matrix(br, bc)
			ldc, c := matrix(m, n)
			o := order(side, m, n)
			lds, s := matrix(o, o)
			for i := range o {
				if i*(lds+1) < len(s) {
					s[i*(lds+1)] = 1
				}
			}
			rr, rc := dims(tA, n, k)
			ldr, r := matrix(rr, rc)
			ldq, q := matrix(rr, rc)
			ldn, sq := matrix(n, n)
			incX, incY := inc(), inc()
			out, in := dims(tA, m, n)
			x := make([]float64, off(max(0, (in-1)*max(incX, -incX)+1)))
			y := make([]float64, off(max(0, (out-1)*max(incY, -incY)+1)))
			beta := []float64{0, 1, 2}[rnd.IntN(3)]
			alpha := []float64{0, 1, 2}[rnd.IntN(3)]
			for name, f := range map[string]func(p blasFor[float64]){
				"gemm":  func(p blasFor[float64]) { p.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) },
				"symm":  func(p blasFor[float64]) { p.symm(side, ul, m, n, alpha, s, lds, c, ldc, beta, slices.Clone(c), ldc) },
				"trsm":  func(p blasFor[float64]) { p.trsm(side, ul, tA, diag, m, n, alpha, s, lds, c, ldc) },
				"trmm":  func(p blasFor[float64]) { p.trmm(side, ul, tA, diag, m, n, alpha, s, lds, c, ldc) },
				"syrk":  func(p blasFor[float64]) { p.syrk(ul, tA, n, k, alpha, r, ldr, beta, sq, ldn) },
				"syr2k": func(p blasFor[float64]) { p.syr2k(ul, tA, n, k, alpha, r, ldr, q, ldq, beta, sq, ldn) },
				"gemv":  func(p blasFor[float64]) { p.gemv(tA, m, n, alpha, c, ldc, x, incX, beta, y, incY) },
				"ger":   func(p blasFor[float64]) { p.ger(m, n, alpha, y, incX, x, incY, c, ldc) },
				"symv":  func(p blasFor[float64]) { p.symv(ul, n, alpha, sq, ldn, x, incX, beta, y, incY) },
			} {
				got, want := message(func() { f(my64) }), message(func() { f(ref64) })
				if got != want {
					t.Fatalf("%s: panics with %v, gonum with %v; side %c ul %c tA %c tB %c m %d n %d k %d alpha %v beta %v lda %d/%d ldb %d/%d ldc %d/%d lds %d/%d ldr %d/%d ldn %d/%d x %d/%d y %d/%d",
						name, got, want, side, ul, tA, tB, m, n, k, alpha, beta, lda, len(a), ldb, len(b), ldc, len(c), lds, len(s), ldr, len(r), ldn, len(sq), incX, len(x), incY, len(y))
				}
				messages[want]++
			}
		}
		if len(messages) < 15 {
			t.Errorf("only %d different messages tried: %v", len(messages), messages)
		}
	})
}

// message returns the value of f's panic, or nil if f does not panic.
func message(f func()) any {
	r := panics.Value(f)
	if e, isError := r.(error); isError {
		return e.Error()
	}
	return r
}
