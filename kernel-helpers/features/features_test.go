package features

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

var bg = context.Background()

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		v := fromHalf(uint16(h))
		e, frac := h>>10&31, h&1023
		want := math.Ldexp(float64(frac)/1024+1, e-15)
		switch {
		case e == 0:
			want = math.Ldexp(float64(frac), -24)
		case e == 31 && frac == 0:
			want = math.Inf(1)
		case e == 31:
			want = math.NaN()
		}
		if h>>15 == 1 {
			want = -want
		}
		if float64(v) != want && !(math.IsNaN(want) && v != v) || h == 0x8000 && !math.Signbit(float64(v)) {
			t.Fatalf("half %#x is %v, want %v", h, v, want)
		}
		if back := toHalf(v); int(back) != h && v == v {
			t.Fatalf("half %#x becomes %v and then %#x", h, v, back)
		}
		// Values between two neighboring halves round to the nearer half, and the midpoint rounds to the even
		// half.
		if next := fromHalf(uint16(h) + 1); h < 0x7bff {
			mid := (v + next) / 2
			even := uint16(h + h&1)
			for x, want := range map[float32]uint16{
				mid: even, math.Nextafter32(mid, 0): uint16(h), math.Nextafter32(mid, 1e9): uint16(h + 1),
			} {
				if got := toHalf(x); got != want {
					t.Fatalf("%v becomes %#x, want %#x", x, got, want)
				}
			}
		}
	}
	if toHalf(65519) != 0x7bff || toHalf(65520) != 0x7c00 || toHalf(-1e30) != 0xfc00 || toHalf(float32(math.NaN()))&0x7fff <= 0x7c00 {
		t.Error("the end of the range")
	}
}

// table returns an n×d matrix whose columns have different ranges.
func table(n, d int) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n*d)
	for k := range x {
		x[k] = float32(math.Max(0, rng.NormFloat64()) * math.Pow(10, float64(k%d%5-2)))
	}
	return x
}

func filler(X []float32, d int) func(dst []float32, from, to int) error {
	return func(dst []float32, from, to int) error {
		copy(dst, X[from*d:to*d])
		return nil
	}
}

func build(t *testing.T, folder string, l Layout, X []float32) *Report {
	t.Helper()
	r, err := BuildShards(bg, folder, l, filler(X, l.Cols), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, opt OpenOptions, folders ...string) *Matrix {
	t.Helper()
	m, err := OpenShards(folders, &opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestFormats(t *testing.T) {
	const n, d = 53, 17
	X := table(n, d)
	X[5*d+3] = -7
	for _, f := range []Format{Float16, Bytes, Float32} {
		l := Layout{Rows: n, Cols: d, ShardRows: 20, Format: f, Depends: "x"}
		folder := t.TempDir()
		build(t, folder, l, X)
		m := open(t, OpenOptions{}, folder)
		disk := open(t, OpenOptions{OnDisk: true}, folder)
		for _, r := range [][2]int{{0, n}, {18, 43}, {52, 53}, {7, 7}} {
			got, same := make([]float32, (r[1]-r[0])*d), make([]float32, (r[1]-r[0])*d)
			if err := errors.Join(m.Read(got, r[0], r[1]), disk.Read(same, r[0], r[1])); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, same) {
				t.Errorf("%v: memory and disk differ", f)
			}
			for k, v := range got {
				i, j := r[0]+k/d, k%d
				want := X[i*d+j]
				bound := 0.0
				switch f {
				case Float16:
					bound = math.Abs(float64(want))/2048 + math.Ldexp(1, -25)
				case Bytes:
					lo, hi := want, want
					from, to := l.Range(i / 20)
					for q := from; q < to; q++ {
						lo, hi = min(lo, X[q*d+j]), max(hi, X[q*d+j])
					}
					bound = float64(hi-lo)/510*1.0001 + 1e-7
				}
				if e := math.Abs(float64(v) - float64(want)); e > bound {
					t.Fatalf("%v: row %d, column %d: %v for %v", f, i, j, v, want)
				}
			}
		}
	}
	loss, err := Measure(Bytes, X, n, d)
	if err != nil || !(loss.Relative > 1e-4 && loss.Relative < 0.01) {
		t.Errorf("%v, %v", loss, err)
	}
	if loss, err = Measure(Float32, X, n, d); err != nil || loss.Largest != 0 || loss.Bytes != 4*n*d {
		t.Errorf("%v, %v", loss, err)
	}
	// Computed by hand: the half nearest to 1/3 is 0x3555 = 1365/4096.
	if loss, err = Measure(Float16, []float32{1. / 3, 1}, 2, 1); err != nil || math.Abs(loss.Largest-(float64(float32(1./3))-1365./4096)) > 1e-12 {
		t.Errorf("%v, %v", loss, err)
	}
}

// read returns the contents of all files in a folder except temporary files.
func read(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if all[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func same(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if !bytes.Equal(a[k], b[k]) {
			return false
		}
	}
	return true
}

func TestResume(t *testing.T) {
	const n, d = 50, 6
	X := table(n, d)
	l := Layout{Rows: n, Cols: d, ShardRows: 8, Depends: "x"}
	whole := t.TempDir()
	if r := build(t, whole, l, X); len(r.Made) != 7 || len(r.Kept) != 0 {
		t.Errorf("%v", r)
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(bg)
	r, err := BuildShards(ctx, folder, l, func(dst []float32, from, to int) error {
		if from == 24 {
			cancel()
			return ctx.Err()
		}
		return filler(X, d)(dst, from, to)
	}, nil)
	if !errors.Is(err, context.Canceled) || len(r.Made) != 3 {
		t.Fatalf("%v, %v", r, err)
	}
	if _, err := OpenShards([]string{folder}, nil); err == nil || !strings.Contains(err.Error(), "4 of 7 shards are missing: 3, 4, 5, 6") {
		t.Errorf("%v", err)
	}
	if r := build(t, folder, l, X); !slices.Equal(r.Kept, []int{0, 1, 2}) || !slices.Equal(r.Made, []int{3, 4, 5, 6}) {
		t.Errorf("%v", r)
	}
	if !same(read(t, folder), read(t, whole)) {
		t.Error("the files of an interrupted run differ")
	}
}

// TestKill kills a process several times while it builds shards.
func TestKill(t *testing.T) {
	const n, d = 40, 2000
	X := table(n, d)
	l := Layout{Rows: n, Cols: d, ShardRows: 4, Depends: "kill"}
	if folder := os.Getenv("FEATURES_TEST_KILL"); folder != "" {
		BuildShards(bg, folder, l, func(dst []float32, from, to int) error {
			time.Sleep(5 * time.Millisecond)
			return filler(X, d)(dst, from, to)
		}, nil)
		return
	}
	whole, folder := t.TempDir(), t.TempDir()
	build(t, whole, l, X)
	want := read(t, whole)
	for round := range 20 {
		before := len(read(t, folder))
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), "FEATURES_TEST_KILL="+folder)
		if err := cmd.Start(); err != nil {
			t.Skipf("no process can be started: %v", err)
		}
		for end := time.Now().Add(patience.Long); time.Now().Before(end) && len(read(t, folder)) <= before && before < 10; {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(round%5) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		for name, b := range read(t, folder) {
			if !bytes.Equal(b, want[name]) {
				t.Fatalf("after a kill %s is not what it should be", name)
			}
		}
		if len(read(t, folder)) >= 8 {
			break
		}
	}
	if r := build(t, folder, l, X); len(r.Replaced) != 0 || len(r.Kept) == 0 {
		t.Errorf("%v", r)
	}
	if !same(read(t, folder), want) {
		t.Error("the files differ")
	}
}

func TestSweep(t *testing.T) {
	folder := t.TempDir()
	l := Layout{Rows: 4, Cols: 2, ShardRows: 4}
	old, young := filepath.Join(folder, "."+l.name(0)+".1.tmp"), filepath.Join(folder, "."+l.name(0)+".2.tmp")
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	build(t, folder, l, table(4, 2))
	if _, err := os.Stat(old); err == nil {
		t.Error("what a killed program left is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("a file of a running program is gone")
	}
}

// TestDamage changes each byte of a small file in turn, and truncates the file at each position.
func TestDamage(t *testing.T) {
	for _, f := range []Format{Float16, Bytes} {
		folder := t.TempDir()
		X := table(6, 3)
		l := Layout{Rows: 6, Cols: 3, ShardRows: 3, Format: f, Depends: "damage"}
		build(t, folder, l, X)
		path := filepath.Join(folder, l.name(1))
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, b []byte) {
			t.Helper()
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := openShard(path, true, false); !errors.Is(err, ErrFile) {
				t.Fatalf("%s: %v", what, err)
			}
		}
		for k := range good {
			b := slices.Clone(good)
			b[k] ^= 1 << (k % 8)
			try(fmt.Sprintf("byte %d changed", k), b)
			try(fmt.Sprintf("cut at %d", k), good[:k])
		}
		try("longer", append(slices.Clone(good), 0))
		if _, err := OpenShards([]string{folder}, nil); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("%v", err)
		}
		if r := build(t, folder, l, X); !slices.Equal(r.Replaced, []int{1}) || !slices.Equal(r.Kept, []int{0}) {
			t.Errorf("%v", r)
		}
		open(t, OpenOptions{}, folder)
	}
}

func TestParts(t *testing.T) {
	const n, d = 33, 4
	X := table(n, d)
	l := Layout{Rows: n, Cols: d, ShardRows: 5, Depends: "parts"}
	a, b, all, whole := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "new"), t.TempDir()
	for k, folder := range []string{a, b} {
		if _, err := BuildShards(bg, folder, l, filler(X, d), &BuildOptions{Shards: l.Part(k, 2)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Merge(all, a); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("half of the shards: %v", err)
	}
	if err := Merge(all, a, b); err != nil {
		t.Fatal(err)
	}
	build(t, whole, l, X)
	if !same(read(t, all), read(t, whole)) {
		t.Error("merged files differ")
	}
	got := make([]float32, n*d)
	if err := open(t, OpenOptions{}, b, a).Read(got, 0, n); err != nil {
		t.Fatal(err)
	}
	M, err := open(t, OpenOptions{}, all).Dense(0, n)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range got {
		if float64(v) != M.At(k/d, k%d) {
			t.Fatal("two folders and the merged one differ")
		}
	}
	// Another matrix in the same folder is neither overwritten nor mixed with this one.
	other := l
	other.Depends = "other"
	if r := build(t, all, other, X); len(r.Made) != 7 {
		t.Errorf("%v", r)
	}
	if _, err := OpenShards([]string{all}, nil); err == nil || !strings.Contains(err.Error(), "another matrix") {
		t.Errorf("%v", err)
	}
	if m := open(t, OpenOptions{Depends: "parts"}, all); m.Layout().Depends != "parts" {
		t.Errorf("%v", m)
	}
}

func TestRefused(t *testing.T) {
	l := Layout{Rows: 4, Cols: 3, ShardRows: 2}
	for name, change := range map[string]func(x []float32){
		"row 1, column 2 is NaN":   func(x []float32) { x[5] = float32(math.NaN()) },
		"row 0, column 0 is +Inf":  func(x []float32) { x[6] = float32(math.Inf(1)) },
		"largest float16":          func(x []float32) { x[0] = 70000 },
		"shard 1, from row 2 on: ": func(x []float32) { x[7] = float32(math.NaN()) },
	} {
		X := table(4, 3)
		change(X)
		folder := t.TempDir()
		if _, err := BuildShards(bg, folder, l, filler(X, 3), nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fill := filler(table(4, 3), 3)
	for name, err := range map[string]error{
		"empty": func() error { _, e := BuildShards(bg, t.TempDir(), Layout{}, fill, nil); return e }(),
		"format": func() error {
			_, e := BuildShards(bg, t.TempDir(), Layout{Rows: 1, Cols: 1, Format: 9}, fill, nil)
			return e
		}(),
		"shard":   func() error { _, e := BuildShards(bg, t.TempDir(), l, fill, &BuildOptions{Shards: []int{2}}); return e }(),
		"nothing": func() error { _, e := OpenShards([]string{t.TempDir()}, nil); return e }(),
		"nowhere": func() error { _, e := OpenShards([]string{filepath.Join(t.TempDir(), "x")}, nil); return e }(),
		"depends": func() error {
			_, e := BuildShards(bg, t.TempDir(), Layout{Rows: 4, Cols: 3, Depends: strings.Repeat("x", 1<<17)}, fill, nil)
			return e
		}(),
		"measured": func() error { _, e := Measure(Float16, []float32{1, float32(math.NaN())}, 1, 2); return e }(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	const n, d = 64, 14400
	X := table(n, d)
	for _, f := range []Format{Float16, Bytes, Float32} {
		b.Run(f.String(), func(b *testing.B) {
			e, err := f.encode(nil, X, n, d)
			if err != nil {
				b.Fatal(err)
			}
			var lo, step []float32
			if f == Bytes {
				lo, step, _ = decodeTable(e, d)
			}
			e = e[f.tableLen(d):]
			dst := make([]float32, n*d)
			for b.Loop() {
				f.decode(dst, e, d, lo, step)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*d), "ns/number")
		})
	}
}
