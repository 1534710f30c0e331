package vision

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/sparseapprox"
)

var bg = context.Background()

func init() { gemm.Use() }

func leaves(t testing.TB, n int) (*Images, []int) {
	t.Helper()
	im, labels, err := NewLeaves(t.Context(), &LeavesOptions{N: n, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return im, labels
}

func fitted(t testing.TB, im *Images) (*Patches, *Whitening) {
	t.Helper()
	p := NewPatches(im, 6, 3000, 5)
	w, err := FitWhitening(bg, p, &WhitenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p, w
}

func atoms(t testing.TB, X Rows, n int) *Dictionary {
	t.Helper()
	d, err := RandomPatches(X, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func near(t *testing.T, what string, got, want, bound float64) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// pixel defines the order of Pixels.
func pixel(im *Images, k, c, y, x int) float64 {
	return float64(im.Pixels[((k*im.Channels+c)*im.Height+y)*im.Width+x])
}

func TestPatches(t *testing.T) {
	// Random pixels, so that all windows differ.
	pixels := make([]uint8, 5*2*7*8)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range pixels {
		pixels[i] = uint8(rng.Uint32())
	}
	im := NewImages(pixels, 2, 7, 8)
	p := NewPatches(im, 3, 4000, 9)
	_, d := p.Dims()
	all := make([]float32, 4000*d)
	if err := p.Read(all, 0, 4000); err != nil {
		t.Fatal(err)
	}
	part := make([]float32, 7*d)
	if err := p.Read(part, 1234, 1241); err != nil || !slices.Equal(part, all[1234*d:1241*d]) {
		t.Error("patches depend on what is read with them")
	}
	// Every patch is one of the 5·5·6 windows, and these occur about equally often.
	count := map[string]int{}
	for k := range 5 {
		for r := range 5 {
			for c := range 6 {
				w := make([]float32, d)
				im.window(w, k, r, c, 3)
				j := 0
				for ch := range 2 {
					for y := range 3 {
						for x := range 3 {
							if float64(w[j]) != pixel(im, k, ch, r+y, c+x) {
								t.Fatalf("window (%d, %d, %d): value %d is %v", k, r, c, j, w[j])
							}
							j++
						}
					}
				}
				count[key(w)] = 0
			}
		}
	}
	windows := len(count)
	for i := range 4000 {
		count[key(all[i*d:(i+1)*d])]++
	}
	if len(count) != windows || windows != 150 {
		t.Fatalf("%d windows, %d with the patches", windows, len(count))
	}
	chi := 0.0
	for _, c := range count {
		chi += math.Pow(float64(c)-4000./150, 2) / (4000. / 150)
	}
	if chi > 149+5*math.Sqrt(2*149) { // five standard deviations
		t.Errorf("chi square %v with 149 degrees of freedom", chi)
	}
}

func key(x []float32) string {
	b := make([]byte, len(x))
	for k, v := range x {
		b[k] = byte(v)
	}
	return string(b)
}

// contrast returns the normalization by its definition.
func contrast(X *mat.Dense) *mat.Dense {
	Y := mat.DenseCopyOf(X)
	n, _ := X.Dims()
	for i := range n {
		m, v := stat.MeanVariance(X.RawRowView(i), nil)
		row := Y.RawRowView(i)
		for j := range row {
			row[j] = (row[j] - m) / math.Sqrt(v+10)
		}
	}
	return Y
}

func TestWhitening(t *testing.T) {
	im, _ := leaves(t, 40)
	p, w := fitted(t, im)
	X, err := Matrix(p, 0, 3000)
	if err != nil {
		t.Fatal(err)
	}
	C := contrast(X)
	m, err := pca.Fit(t.Context(), C, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.ZCA(0.1)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(w.ZCA, want.W, 1e-5) {
		t.Error("the ZCA is not that of package pca")
	}
	Z := want.Transform(C)
	got, err := Matrix(w.Patches(p), 0, 3000)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, Z, 1e-4) {
		t.Error("whitened patches are not those of package pca")
	}
	back := w.Unwhiten(got.T())
	if !mat.EqualApprox(back.T(), C, 1e-4) {
		t.Error("Unwhiten does not undo the whitening")
	}
	// A patch without contrast becomes 0, minus the mean.
	flat, dst := make([]float32, 108), make([]float32, 108)
	for j := range flat {
		flat[j] = 200
	}
	w.Apply(dst, flat, 1)
	var s mat.VecDense
	s.MulVec(w.ZCA, mat.NewVecDense(108, w.Mean))
	for j, v := range dst {
		near(t, "flat patch", float64(v), -s.AtVec(j), 1e-5)
	}
	// Without Epsilon, FitWhitening fails: the direction of a patch's mean has no variance.
	if _, err := FitWhitening(bg, p, &WhitenOptions{Epsilon: -1}); err == nil || !strings.Contains(err.Error(), "Epsilon") {
		t.Errorf("%v", err)
	}
	for _, procs := range []int{1, 3} {
		old := runtime.GOMAXPROCS(procs)
		_, again := fitted(t, im)
		runtime.GOMAXPROCS(old)
		if !mat.Equal(again.ZCA, w.ZCA) || again.String() != w.String() {
			t.Errorf("%d processors change the whitening", procs)
		}
	}
	over, cancel := context.WithCancel(bg)
	cancel()
	if _, err := FitWhitening(over, p, &WhitenOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// matrixRows implements Rows for a matrix.
type matrixRows struct{ *mat.Dense }

func (m matrixRows) Read(dst []float32, from, to int) error {
	copy(dst, single(m.Slice(from, to, 0, m.RawMatrix().Cols)))
	return nil
}

func TestOMP1(t *testing.T) {
	// Patches that are multiples of one of ten directions: the minimum is 0.
	rng := rand.New(rand.NewPCG(4, 4))
	truth := mat.NewDense(10, 20, nil)
	for k := range 10 {
		for j := range 20 {
			truth.Set(k, j, rng.NormFloat64())
		}
		scaleToUnit(truth.RawRowView(k))
	}
	X := mat.NewDense(1500, 20, nil)
	for i := range 1500 {
		k, s := rng.IntN(10), rng.NormFloat64()
		for j := range 20 {
			X.Set(i, j, s*truth.At(k, j)+0.01*rng.NormFloat64())
		}
	}
	rows := matrixRows{X}
	d, err := FitOMP1(bg, rows, &OMP1Options{Atoms: 30, Passes: 20, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var G mat.Dense
	G.Mul(truth, d.D)
	for k := range 10 {
		best := 0.0
		for j := range 30 {
			best = math.Max(best, math.Abs(G.At(k, j)))
		}
		if best < 0.999 {
			t.Errorf("direction %d is at most %v away from an atom", k, best)
		}
	}
	for it := 1; it < len(d.History); it++ {
		if d.History[it] > d.History[it-1]*(1+1e-6)+1e-9 {
			t.Errorf("the sum rose: %v", d.History)
		}
	}
	// History agrees with the definition.
	one, err := FitOMP1(bg, rows, &OMP1Options{Atoms: 30, Passes: 21, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var S mat.Dense
	S.Mul(X, d.D)
	var loss float64
	for i := range 1500 {
		best, square := 0.0, 0.0
		for j := range 30 {
			best = math.Max(best, S.At(i, j)*S.At(i, j))
		}
		for j := range 20 {
			square += X.At(i, j) * X.At(i, j)
		}
		loss += (square - best) / 1500
	}
	near(t, "mean loss", one.History[20], loss, 1e-6)
	for _, procs := range []int{1, 3} {
		old := runtime.GOMAXPROCS(procs)
		again, err := FitOMP1(bg, rows, &OMP1Options{Atoms: 30, Passes: 20, Seed: 3})
		runtime.GOMAXPROCS(old)
		if err != nil || !mat.Equal(again.D, d.D) {
			t.Errorf("%d processors change the dictionary (%v)", procs, err)
		}
	}
	if _, err := FitOMP1(bg, matrixRows{mat.NewDense(5, 3, nil)}, &OMP1Options{Atoms: 2}); err == nil {
		t.Error("patches that are 0 are accepted")
	}
	X.Set(700, 3, math.NaN())
	if _, err := FitOMP1(bg, rows, &OMP1Options{Atoms: 2}); err == nil || !strings.Contains(err.Error(), "patch 700") {
		t.Errorf("%v", err)
	}
}

func TestDictionaries(t *testing.T) {
	im, _ := leaves(t, 20)
	p, w := fitted(t, im)
	X, err := Hold(bg, w.Patches(p))
	if err != nil {
		t.Fatal(err)
	}
	r := atoms(t, X, 25)
	M, err := Matrix(X, 0, 3000)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 25 {
		near(t, "norm", mat.Norm(r.D.ColView(k), 2), 1, 1e-12)
		best := 0.0 // cosine with a patch
		for i := range 3000 {
			row := mat.NewVecDense(108, M.RawRowView(i))
			best = math.Max(best, mat.Dot(row, r.D.ColView(k))/mat.Norm(row, 2))
		}
		near(t, "cosine with the nearest patch", best, 1, 1e-6)
	}
	if _, err := RandomPatches(X, 4000, 1); err == nil {
		t.Error("more atoms than patches")
	}
	km, err := FitKMeans(bg, X, &kmeans.Options{K: 8, Restarts: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	sc, err := FitSparseCoding(bg, &heldRows{single(M.Slice(0, 400, 0, 108)), 400, 108}, &dictionary.Options{Atoms: 40, Passes: 3, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 40 {
		near(t, "norm", mat.Norm(sc.D.ColView(k), 2), 1, 1e-9)
	}
	if last := len(sc.History) - 1; last != 2 || !(sc.History[last] < sc.History[0]) {
		t.Errorf("objective %v", sc.History)
	}
	if _, n := km.Dims(); n != 8 || km.String() == r.String() {
		t.Errorf("%v", km)
	}
	g, err := Given(r.D, "elsewhere")
	if err != nil || !mat.Equal(g.D, r.D) {
		t.Error(err)
	}
	if _, err := Given(mat.NewDense(2, 2, []float64{0, 0, math.NaN(), 0}), ""); err == nil {
		t.Error("NaN is accepted")
	}
	path := filepath.Join(t.TempDir(), "d")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	if D, err := dictionary.Load(path); err != nil || !mat.Equal(D, r.D) {
		t.Error("what was saved is not what is loaded")
	}
}

// loop encodes one patch at a time by a formula.
func loop(D *mat.Dense, X []float32, n int, f func(x *mat.VecDense, out []float64), C int) []float64 {
	d, _ := D.Dims()
	out := make([]float64, n*C)
	for i := range n {
		x := mat.NewVecDense(d, nil)
		for j := range d {
			x.SetVec(j, float64(X[i*d+j]))
		}
		f(x, out[i*C:(i+1)*C])
	}
	return out
}

func TestEncoders(t *testing.T) {
	im, _ := leaves(t, 10)
	p, w := fitted(t, im)
	white := w.Patches(p)
	const n, N = 50, 37
	X := make([]float32, n*108)
	if err := white.Read(X, 100, 100+n); err != nil {
		t.Fatal(err)
	}
	d := atoms(t, white, N)
	sc, err := SparseEncoder(d, &sparseapprox.Options{Lambda: 0.7, Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := sparseapprox.NewCoder(d.D, &sparseapprox.Options{Lambda: 0.7, Method: sparseapprox.FISTA, Tolerance: 1e-10, MaxIterations: 100000})
	if err != nil {
		t.Fatal(err)
	}
	sparseOf := func(x *mat.VecDense) *mat.Dense {
		r, err := oracle.Code(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return r.W
	}
	linear := Wrap("d'x", 108, N, func() PatchEncoder { return &projection{d: d} })
	for name, c := range map[string]struct {
		e     Encoder
		C     int
		bound float64
		f     func(x *mat.VecDense, out []float64)
	}{
		"soft threshold": {SoftThreshold(d, 0.25), 2 * N, 1e-5, func(x *mat.VecDense, out []float64) {
			for j := range N {
				z := mat.Dot(x, d.D.ColView(j))
				out[j], out[N+j] = math.Max(0, z-0.25), math.Max(0, -z-0.25)
			}
		}},
		"triangle": {Triangle(d), N, 1e-4, func(x *mat.VecDense, out []float64) {
			r := make([]float64, N)
			for j := range N {
				var e mat.VecDense
				e.SubVec(x, d.D.ColView(j))
				r[j] = mat.Norm(&e, 2)
			}
			for j := range N {
				out[j] = math.Max(0, stat.Mean(r, nil)-r[j])
			}
		}},
		"sparse code": {sc, N, 1e-3, func(x *mat.VecDense, out []float64) {
			W := sparseOf(x)
			for j := range N {
				out[j] = W.At(j, 0)
			}
		}},
		"both signs of a sparse code": {SplitSigns(sc), 2 * N, 1e-3, func(x *mat.VecDense, out []float64) {
			W := sparseOf(x)
			for j := range N {
				out[j], out[N+j] = math.Max(0, W.At(j, 0)), math.Max(0, -W.At(j, 0))
			}
		}},
		"spike and slab": {WrapProduct("model", 108, N, func() SpikeSlabEncoder { return both{&projection{d: d}} }), N, 1e-4, func(x *mat.VecDense, out []float64) {
			for j := range N {
				z := mat.Dot(x, d.D.ColView(j))
				out[j] = z * (z + 1)
			}
		}},
		"wrapped": {SplitSigns(linear), 2 * N, 1e-5, func(x *mat.VecDense, out []float64) {
			for j := range N {
				z := mat.Dot(x, d.D.ColView(j))
				out[j], out[N+j] = math.Max(0, z), math.Max(0, -z)
			}
		}},
	} {
		if c.e.Dim() != 108 || c.e.Channels() != c.C {
			t.Fatalf("%s: %d values, %d channels", name, c.e.Dim(), c.e.Channels())
		}
		want := loop(d.D, X, n, c.f, c.C)
		some := false
		for _, e := range []Encoder{c.e, c.e.Copy()} {
			got := make([]float32, n*c.C)
			e.Encode(got, X, n)
			for k := range got {
				near(t, name, float64(got[k]), want[k], c.bound)
				some = some || want[k] > 0
			}
			if e.String() != c.e.String() || e.String() == "" {
				t.Errorf("%s: a copy is called %q", name, e)
			}
		}
		if !some {
			t.Errorf("%s: all features are 0", name)
		}
	}
}

// projection is a PatchEncoder that uses nothing of this package.
type projection struct {
	d       *Dictionary
	patches int // number encoded so far: state that goroutines must not share
}

func (e *projection) Encode(dst, X []float32, n int) {
	e.patches += n
	dim, N := e.d.Dims()
	for i := range n {
		for k := range N {
			var s float64
			for j := range dim {
				s += float64(X[i*dim+j]) * e.d.D.At(j, k)
			}
			dst[i*N+k] = float32(s)
		}
	}
}

// both is a SpikeSlabEncoder with ĥ = d'x and ŝ = d'x + 1.
type both struct{ e *projection }

func (b both) EncodeBoth(h, s, X []float32, n int) {
	b.e.Encode(h, X, n)
	for k, v := range h {
		s[k] = v + 1
	}
}

func TestSource(t *testing.T) {
	im, _ := leaves(t, 5)
	_, w := fitted(t, im)
	// The interface that package s3c requires.
	var s interface {
		Dim() int
		Patches(dst []float32, first, n int) error
		Fingerprint() uint64
	} = NewSource(im, 6, w, 11)
	got, want := make([]float32, 30*108), make([]float32, 30*108)
	if err := errors.Join(s.Patches(got, 1000, 30), w.Patches(NewPatches(im, 6, 2000, 11)).Read(want, 1000, 1030)); err != nil {
		t.Fatal(err)
	}
	if s.Dim() != 108 || !slices.Equal(got, want) {
		t.Error("a source's patches are not those of NewPatches")
	}
	if err := s.Patches(want[:108], 1029, 1); err != nil {
		t.Fatal(err)
	}
	for j, v := range want[:108] { // alone: the product may round differently
		near(t, "patch 1029", float64(v), float64(got[29*108+j]), 1e-5)
	}
	prints := map[uint64]bool{s.Fingerprint(): true, NewSource(im, 6, w, 11).Fingerprint(): true,
		NewSource(im, 6, w, 12).Fingerprint(): true, NewSource(im.Slice(0, 4), 6, w, 11).Fingerprint(): true}
	if len(prints) != 3 {
		t.Errorf("%d of 3 sources are told apart", len(prints))
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct{ length, grid, first, second int }{{27, 2, 14, 13}, {27, 3, 9, 9}, {5, 2, 3, 2}, {7, 3, 2, 3}, {4, 4, 1, 1}} {
		e := edges(c.length, c.grid)
		cell, size := cells(e, e, c.length, c.length)
		if size[0] != c.first*c.first || size[1] != c.first*c.second {
			t.Errorf("%d positions in %d cells: sizes %v", c.length, c.grid, size)
		}
		count := make([]int, len(size))
		for _, k := range cell {
			count[k]++
		}
		if !slices.Equal(count, size) || len(cell) != c.length*c.length || slices.Min(size) == 0 {
			t.Errorf("%v, %v", count, size)
		}
	}
}

// TestPooling compares pooled features with loops over cells, positions and channels, for any block size and
// number of goroutines.
func TestPooling(t *testing.T) {
	im, _ := leaves(t, 3)
	p, w := fitted(t, im)
	const N = 9
	d := atoms(t, w.Patches(p), N)
	linear := SplitSigns(Wrap("d'x", 108, N, func() PatchEncoder { return &projection{d: d} }))
	for _, e := range []Encoder{SoftThreshold(d, 0.25), linear, Triangle(d)} {
		C := e.Channels()
		maps := make([][]*mat.Dense, im.Len())
		channels := make([]int, C)
		for c := range channels {
			channels[c] = c
		}
		for k := range maps {
			var err error
			if maps[k], err = Maps(im, k, w, e, channels); err != nil {
				t.Fatal(err)
			}
		}
		// A map's value is the encoder's output for that patch alone.
		x, z, f := make([]float32, 108), make([]float32, 108), make([]float32, C)
		im.window(x, 2, 20, 5, 6)
		w.Apply(z, x, 1)
		e.Encode(f, z, 1)
		for c := range C {
			near(t, "map", maps[2][c].At(20, 5), float64(f[c]), 1e-5)
		}
		edges := map[int][]int{1: {0, 27}, 2: {0, 14, 27}, 3: {0, 9, 18, 27}}
		for _, opt := range []ExtractOptions{
			{}, {Grid: 3, Pooling: Sum}, {Grid: 3, Block: 1, Workers: 3}, {Grid: 2, Pooling: Sum, Block: 1000}, {Grid: 1, Block: 77, Workers: 1},
		} {
			F, err := ExtractFeatures(bg, im, w, e, &opt)
			if err != nil {
				t.Fatal(err)
			}
			g := max(1, opt.Grid)
			if opt.Grid == 0 {
				g = 2
			}
			if r, c := F.Dims(); r != im.Len() || c != g*g*C {
				t.Fatalf("%d×%d features", r, c)
			}
			for k := range im.Len() {
				for cy := range g {
					for cx := range g {
						for c := range C {
							var sum, n float64
							for y := edges[g][cy]; y < edges[g][cy+1]; y++ {
								for x := edges[g][cx]; x < edges[g][cx+1]; x++ {
									sum += maps[k][c].At(y, x)
									n++
								}
							}
							if opt.Pooling == Mean {
								sum /= n
							}
							near(t, e.String(), F.At(k, (cy*g+cx)*C+c), sum, 1e-4*(1+math.Abs(sum)))
						}
					}
				}
			}
		}
	}
}

// TestPools compares several pools at once with each pool alone, and maxima with the maxima of the maps.
func TestPools(t *testing.T) {
	im, _ := leaves(t, 2)
	p, w := fitted(t, im)
	d := atoms(t, w.Patches(p), 7)
	linear := Wrap("d'x", 108, 7, func() PatchEncoder { return &projection{d: d} }) // values of both signs
	pools := []Pool{{2, Mean}, {3, Max}, {4, Sum}, {3, Mean}, {1, Max}}
	for _, e := range []Encoder{SoftThreshold(d, 0.25), linear} {
		all, err := ExtractFeatures(bg, im, w, e, &ExtractOptions{Pools: pools, Block: 100})
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for _, q := range pools {
			opt := ExtractOptions{Grid: q.Grid, Pooling: q.Pooling}
			alone, err := ExtractFeatures(bg, im, w, e, &opt)
			if err != nil {
				t.Fatal(err)
			}
			n, c := alone.Dims()
			if got := all.Slice(0, n, from, from+c); !mat.EqualApprox(got, alone, 1e-4) {
				t.Errorf("%v, %v: among others it has other features than alone", e, q)
			}
			from += c
			channels := []int{0, e.Channels() - 1}
			_, cells, err := PoolMaps(im, 1, w, e, channels, &opt)
			if err != nil {
				t.Fatal(err)
			}
			for k, channel := range channels {
				for i := range q.Grid {
					for j := range q.Grid {
						near(t, q.String(), alone.At(1, (i*q.Grid+j)*e.Channels()+channel), cells[k].At(i, j), 1e-3)
					}
				}
			}
		}
		if _, c := all.Dims(); c != from {
			t.Errorf("%d features, want %d", c, from)
		}
	}
	// The largest value of the map in the cell.
	maps, cells, err := PoolMaps(im, 0, w, linear, []int{3}, &ExtractOptions{Grid: 1, Pooling: Max})
	if err != nil || cells[0].At(0, 0) != mat.Max(maps[0]) {
		t.Errorf("%v, want %v: %v", cells, mat.Max(maps[0]), err)
	}
	for _, opt := range []ExtractOptions{
		{Pools: []Pool{}}, {Pools: []Pool{{0, Mean}}}, {Pools: []Pool{{28, Mean}}}, {Pools: []Pool{{2, 7}}},
		{Pools: pools, Grid: 2}, {Pools: pools, Pooling: Sum}, {Pooling: -1},
	} {
		if _, err := ExtractFeatures(bg, im, w, linear, &opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
	if _, _, err := PoolMaps(im, 0, w, linear, []int{3}, &ExtractOptions{Pools: pools}); err == nil {
		t.Error("PoolMaps takes several pools")
	}
}

func TestExtract(t *testing.T) {
	im, _ := leaves(t, 23)
	p, w := fitted(t, im)
	d := atoms(t, w.Patches(p), 11)
	e := SoftThreshold(d, 0.25)
	want, err := ExtractFeatures(bg, im, w, e, &ExtractOptions{Grid: 3})
	if err != nil {
		t.Fatal(err)
	}
	a, b := t.TempDir(), t.TempDir()
	opt := ExtractOptions{Grid: 3, Folder: a, ShardRows: 5}
	l, err := ShardsLayout(im, w, e, &opt)
	if err != nil {
		t.Fatal(err)
	}
	// Two machines; the second is stopped and restarted.
	opt.Shards = l.Part(0, 2)
	if r, err := ExtractShards(bg, im, w, e, &opt); err != nil || len(r.Made) != 3 {
		t.Fatalf("%v, %v", r, err)
	}
	opt.Folder, opt.Shards = b, l.Part(1, 2)
	over, cancel := context.WithCancel(bg)
	cancel()
	if _, err := ExtractShards(over, im, w, e, &opt); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r, err := ExtractShards(bg, im, w, e, &opt); err != nil || len(r.Made) != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	if r, err := ExtractShards(bg, im, w, e, &opt); err != nil || len(r.Made) != 0 || len(r.Kept) != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	m, err := features.OpenShards([]string{a, b}, &features.OpenOptions{Depends: l.Depends})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Dense(0, 23)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, want, 1e-3) {
		t.Error("features from files are not those from memory")
	}
	// The files are the same for any number of processors.
	files := func(procs int) string {
		old := runtime.GOMAXPROCS(procs)
		defer runtime.GOMAXPROCS(old)
		o := &ExtractOptions{Grid: 3, Folder: t.TempDir()}
		if _, err := ExtractShards(bg, im, w, e, o); err != nil {
			t.Fatal(err)
		}
		list, _ := filepath.Glob(filepath.Join(o.Folder, "*"))
		content, err := os.ReadFile(list[0])
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return filepath.Base(list[0]) + string(content)
	}
	if files(1) != files(4) {
		t.Error("processors change the files")
	}
	// Depends differs for everything that features depend on.
	names := map[string]bool{l.Depends: true}
	w2, err := FitWhitening(bg, p, &WhitenOptions{Epsilon: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	dark := NewImages(append([]uint8{im.Pixels[0] ^ 1}, im.Pixels[1:]...), 3, 32, 32)
	for k, c := range []struct {
		im  *Images
		w   *Whitening
		e   Encoder
		opt ExtractOptions
	}{
		{dark, w, e, opt}, {im, w2, e, opt}, {im, w, SoftThreshold(d, 0.3), opt}, {im, w, Triangle(d), opt},
		{im, w, e, ExtractOptions{Grid: 2}}, {im, w, e, ExtractOptions{Grid: 3, Pooling: Sum}}, {im, w, e, ExtractOptions{Grid: 3, Pooling: Max}},
		{im, w, e, ExtractOptions{Pools: []Pool{{3, Mean}, {2, Mean}}}},
		{im, w, SoftThreshold(atoms(t, p, 11), 0.25), opt},
	} {
		l, err := ShardsLayout(c.im, c.w, c.e, &c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if names[l.Depends] {
			t.Errorf("case %d is not told apart: %s", k, l.Depends)
		}
		names[l.Depends] = true
	}
}

// TestRefused: features that are NaN or Inf, and inconsistent arguments, are errors.
func TestRefused(t *testing.T) {
	im, _ := leaves(t, 3)
	p, w := fitted(t, im)
	bad := Wrap("bad", 108, 1, func() PatchEncoder { return nan{} })
	if _, err := ExtractFeatures(bg, im, w, bad, &ExtractOptions{}); err == nil || !strings.Contains(err.Error(), "feature 0 of image 0 is NaN") {
		t.Errorf("%v", err)
	}
	e := SoftThreshold(atoms(t, w.Patches(p), 4), 0.25)
	for name, opt := range map[string]ExtractOptions{
		"grid": {Grid: 28}, "pooling": {Pooling: 7}, "block": {Block: -1}, "folder": {},
	} {
		if _, err := ExtractShards(bg, im, w, e, &opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := ExtractFeatures(bg, NewImages(im.Pixels, 1, 32, 32), w, e, &ExtractOptions{}); err == nil {
		t.Error("images of one plane are accepted")
	}
	if _, err := Gray(mat.NewDense(1, 4, []float64{0, 1, 2, 0}), 2, 2); err == nil {
		t.Error("a pixel of 2 is accepted")
	}
	if g, err := Gray(mat.NewDense(1, 4, []float64{0, 1, 0.5, 0.1}), 2, 2); err != nil || !slices.Equal(g.Pixels, []uint8{0, 255, 128, 26}) {
		t.Errorf("%v, %v", g, err)
	}
}

type nan struct{}

func (nan) Encode(dst, _ []float32, _ int) {
	for k := range dst {
		dst[k] = float32(math.NaN())
	}
}

// TestPipeline: the generated classes are recognized far better than by chance, and better than from pixels.
func TestPipeline(t *testing.T) {
	patience.SkipShort(t, "it computes the features of many images")
	im, y := leaves(t, 700)
	p := NewPatches(im, 6, 5000, 5)
	w, err := FitWhitening(bg, p, &WhitenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := FitOMP1(bg, w.Patches(p), &OMP1Options{Atoms: 40, Passes: 5})
	if err != nil {
		t.Fatal(err)
	}
	F, err := ExtractFeatures(bg, im, w, SoftThreshold(d, 0.25), &ExtractOptions{})
	if err != nil {
		t.Fatal(err)
	}
	raw := mat.NewDense(700, 3072, nil)
	for k, v := range im.Pixels {
		raw.RawMatrix().Data[k] = float64(v)
	}
	accuracy := func(F *mat.Dense, C float64) float64 {
		first, last := make([]int, 500), make([]int, 200)
		for i := range first {
			first[i] = i
		}
		for i := range last {
			last[i] = 500 + i
		}
		P := l2svm.Dense(F)
		m, err := l2svm.Fit(bg, l2svm.Select(P, first), y[:500], &l2svm.Options{C: C})
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Accuracy(bg, l2svm.Select(P, last), y[500:])
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a, b := accuracy(F, 1), accuracy(raw, 0.1)
	t.Logf("accuracy %v, from pixels %v", a, b)
	if !(a > 0.25 && a > b+0.1) {
		t.Errorf("accuracy %v, from pixels %v", a, b)
	}
}

func TestLeavesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := NewLeaves(ctx, &LeavesOptions{N: 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestStoredWhitening: a whitening that package gob has stored whitens the same way.
func TestStoredWhitening(t *testing.T) {
	im, _ := leaves(t, 20)
	p, w := fitted(t, im)
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(w); err != nil {
		t.Fatal(err)
	}
	var back Whitening
	if err := gob.NewDecoder(&b).Decode(&back); err != nil {
		t.Fatal(err)
	}
	X := make([]float32, 10*w.Dim())
	if err := p.Read(X, 0, 10); err != nil {
		t.Fatal(err)
	}
	want, got := make([]float32, len(X)), make([]float32, len(X))
	w.Apply(want, X, 10)
	back.Apply(got, X, 10)
	if !slices.Equal(got, want) {
		t.Error("the stored whitening gives other numbers")
	}
}
