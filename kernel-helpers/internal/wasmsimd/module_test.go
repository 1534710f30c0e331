//go:build !js

package wasmsimd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"overcomplete/internal/patience"
	"overcomplete/internal/wasm"
)

// These tests run the module in wazero, with memory of its own. The packages that use the module also test it: in node,
// with the tests of their assembly.

// A machine is an instance of the module with its memory.
type machine struct {
	t    *testing.T
	mod  api.Module
	mem  api.Memory
	next uint32
}

// compiled caches the compiled module for the next machine.
var compiled = wazero.NewCompilationCache()

func newMachine(t *testing.T) *machine {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(compiled))
	t.Cleanup(func() { r.Close(ctx) })
	m := wasm.New()
	m.Memory(100, 0)
	m.ExportMemory("mem")
	code, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	env, err := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithName("env"))
	if err != nil {
		t.Fatal(err)
	}
	if code, err = os.ReadFile("simd.wasm"); err != nil {
		t.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, code)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t, mod, env.Memory(), 1024}
}

// An array is a slice in the memory of a machine, with guard values before and after it.
type array[T Number] struct {
	m  *machine
	at uint32
	n  int
}

const mark = 0x7ff4dead

// put puts a slice into the memory.
func put[T Number](m *machine, x []T) array[T] {
	size := uint32(unsafe.Sizeof(*new(T)))
	m.mem.WriteUint32Le(m.next, mark)
	a := array[T]{m, m.next + 4, len(x)}
	for i, v := range x {
		if size == 8 {
			m.mem.WriteFloat64Le(a.at+8*uint32(i), float64(v))
		} else {
			m.mem.WriteFloat32Le(a.at+4*uint32(i), float32(v))
		}
	}
	end := a.at + size*uint32(len(x))
	m.mem.WriteUint32Le(end, mark)
	m.next = end + 4
	return a
}

// get reads the slice back, and checks the guard values.
func (a array[T]) get() []T {
	a.m.t.Helper()
	size := uint32(unsafe.Sizeof(*new(T)))
	x := make([]T, a.n)
	for i := range x {
		if size == 8 {
			v, _ := a.m.mem.ReadFloat64Le(a.at + 8*uint32(i))
			x[i] = T(v)
		} else {
			v, _ := a.m.mem.ReadFloat32Le(a.at + 4*uint32(i))
			x[i] = T(v)
		}
	}
	for _, at := range []uint32{a.at - 4, a.at + size*uint32(a.n)} {
		if v, _ := a.m.mem.ReadUint32Le(at); v != mark {
			a.m.t.Errorf("written outside of %d numbers: %x", a.n, v)
		}
	}
	return x
}

// call runs the function with the given name. args is the struct of its arguments, with nil pointers; pointers maps the
// names of the pointer fields to addresses. Numbers that the function changes are copied back to args.
func call[A any](m *machine, name string, args *A, pointers map[string]uint32) {
	m.t.Helper()
	for field := range pointers {
		if _, ok := reflect.TypeFor[A]().FieldByName(field); !ok && field[0] != 'A' {
			m.t.Fatalf("%s: no field %s", name, field)
		}
	}
	at := (m.next + 15) &^ 15
	size := int(unsafe.Sizeof(*args))
	m.mem.Write(at, unsafe.Slice((*byte)(unsafe.Pointer(args)), size))
	for field, p := range pointers {
		offset := uint32(0)
		if f, ok := reflect.TypeFor[A]().FieldByName(field); ok {
			offset = uint32(f.Offset)
		} else { // A0 to A3 of Rows
			f, _ := reflect.TypeFor[A]().FieldByName("A")
			offset = uint32(f.Offset) + 8*uint32(field[1]-'0')
		}
		m.mem.WriteUint64Le(at+offset, uint64(p))
	}
	if _, err := m.mod.ExportedFunction(name).Call(context.Background(), uint64(at)); err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
	out, _ := m.mem.Read(at, uint32(size))
	after := *args
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&after)), size), out)
	// Copy back only numbers, because pointers of the machine are meaningless here.
	from, to := reflect.ValueOf(&after).Elem(), reflect.ValueOf(args).Elem()
	for i := range to.NumField() {
		switch f := to.Field(i); f.Kind() {
		case reflect.Float32, reflect.Float64:
			f.Set(from.Field(i))
		case reflect.Array:
			if f.Type().Elem().Kind() != reflect.Pointer {
				f.Set(from.Field(i))
			}
		}
	}
}

func suffix[T Number](name string) string { return fmt.Sprint(name, 8*unsafe.Sizeof(*new(T))) }

func random[T Number](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// ulps returns the difference between y and z, in units in the last place of z.
func ulps[T Number](y T, z float64) float64 {
	if z != z || math.IsInf(z, 0) || T(z) == 0 || math.IsInf(float64(T(z)), 0) {
		if y == T(z) || y != y && z != z {
			return 0
		}
		return math.Inf(1)
	}
	unit := math.Nextafter(math.Abs(z), math.Inf(1)) - math.Abs(z)
	if unsafe.Sizeof(y) == 4 {
		a := float32(math.Abs(z))
		unit = float64(math.Nextafter32(a, float32(math.Inf(1))) - a)
	}
	return math.Abs(float64(y)-z) / unit
}

func TestMap(t *testing.T) {
	t.Run("float64", testMap[float64])
	t.Run("float32", testMap[float32])
}

// testMap compares elementwise functions with package math, whose results may be off by one ulp. It tries all lengths
// of the last vector.
func testMap[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	special := []T{0, T(math.Copysign(0, -1)), T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), 1, -1, 88.7, -104, 709.5, -745, T(5e-324), T(1e-40), 1e30, -1e30}
	for _, f := range []struct {
		name  string
		exact func(x float64) float64
		bound float64
	}{
		{"exp", func(x float64) float64 {
			if x > 709 && x < 709.78 { // math.Exp overflows too early on amd64
				return math.Exp(x-1) * math.E
			}
			return math.Exp(x)
		}, 2},
		{"log", math.Log, 2},
		{"sigmoid", func(x float64) float64 {
			e := math.Exp(-math.Abs(x))
			if x < 0 {
				return e / (1 + e)
			}
			return 1 / (1 + e)
		}, 4},
		{"softplus", func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, 4},
	} {
		for n := range 20 {
			m := newMachine(t)
			x := random[T](rng, n)
			for i := range x {
				x[i] *= 20
				if rng.IntN(4) == 0 {
					x[i] = special[rng.IntN(len(special))]
				}
			}
			in, out := put(m, x), put(m, make([]T, n))
			args := Map[T]{N: n}
			call(m, suffix[T](f.name), &args, map[string]uint32{"Dst": out.at, "X": in.at})
			for i, y := range out.get() {
				want := f.exact(float64(x[i]))
				if f.name == "log" && x[i] > 0 && float64(x[i]) < 0x1p-1022 {
					want = math.Log(float64(x[i])*0x1p54) - 54*math.Ln2 // as above
				}
				if e := ulps(y, want); !(e <= f.bound) {
					t.Errorf("%s(%v) = %v, want %v: %.1f ulp", f.name, x[i], y, want, e)
				}
			}
		}
	}
}

func TestSums(t *testing.T) {
	t.Run("float64", testSums[float64])
	t.Run("float32", testSums[float32])
}

func testSums[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	tol := 1e-14
	if unsafe.Sizeof(*new(T)) == 4 {
		tol = 1e-6
	}
	for n := range 30 {
		m := newMachine(t)
		x := random[T](rng, n)
		in, out := put(m, x), put(m, make([]T, n))
		most := Map[T]{N: n}
		call(m, suffix[T]("largest"), &most, map[string]uint32{"X": in.at})
		want := T(math.Inf(-1))
		for _, v := range x {
			want = max(want, v)
		}
		if most.Factor != want {
			t.Errorf("largest of %v: %v", x, most.Factor)
		}
		a, b := Sum[T]{N: n, Shift: 2}, Sum[T]{N: n, Shift: 2}
		call(m, suffix[T]("sumExp"), &a, map[string]uint32{"X": in.at})
		call(m, suffix[T]("expSum"), &b, map[string]uint32{"X": in.at, "Dst": out.at})
		var lane [8]float64
		for i, v := range x {
			lane[i%8] += math.Exp(float64(v - 2))
			if y := out.get()[i]; !(math.Abs(float64(y)-math.Exp(float64(v-2))) <= tol*float64(y)) {
				t.Errorf("element %d of %d: %v", i, n, y)
			}
		}
		for i, s := range lane {
			if a.Lane[i] != b.Lane[i] || !(math.Abs(a.Lane[i]-s) <= tol*s) {
				t.Errorf("lane %d of %d numbers: %v and %v, want %v", i, n, a.Lane[i], b.Lane[i], s)
			}
		}
		scale := Map[T]{N: n, Factor: 3}
		call(m, suffix[T]("scale"), &scale, map[string]uint32{"X": in.at})
		for i, y := range in.get() {
			if y != 3*x[i] {
				t.Errorf("scale %v: %v", x[i], y)
			}
		}
	}
}

func TestProduct(t *testing.T) {
	patience.SkipShort(t, "it interprets WebAssembly")
	t.Run("float64", testProduct[float64])
	t.Run("float32", testProduct[float32])
}

// testProduct compares products with plain sums, for all transposes, and for sizes at the edges of tiles and blocks. C
// has gaps between its rows, which must not change.
func testProduct[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	size := int(unsafe.Sizeof(*new(T)))
	tol := 1e-13
	if size == 4 {
		tol = 1e-4
	}
	nan := T(math.NaN())
	sizes := [][3]int{{1, 1, 1}, {4, 8, 16}, {3, 17, 5}, {5, 4, 3}, {8, 8, 0}, {9, 9, 300}, {7, 300, 9}, {40, 3, 50}, {2, 530, 2}, {13, 33, 600}}
	for range 30 {
		sizes = append(sizes, [3]int{1 + rng.IntN(20), 1 + rng.IntN(40), 1 + rng.IntN(30)})
	}
	for _, s := range sizes {
		m, n, k := s[0], s[1], s[2]
		for trans := range 4 {
			mc := newMachine(t)
			lda, ldb, ldc := k+1, n+2, n+3
			ar, ac, br, bc := lda, 1, ldb, 1
			if trans&1 != 0 {
				lda = m + 1
				ar, ac = 1, lda
			}
			if trans&2 != 0 {
				ldb = k + 2
				br, bc = 1, ldb
			}
			A, B := random[T](rng, max(m*lda, k*lda)+1), random[T](rng, max(k*ldb, n*ldb)+1)
			C := random[T](rng, m*ldc)
			beta := []T{0, 1, 0.5}[rng.IntN(3)]
			if beta == 0 {
				C[0] = nan
			}
			a, b, c := put(mc, A), put(mc, B), put(mc, C)
			work := put(mc, make([]T, WorkSize(size)))
			p := Product[T]{M: m, N: n, K: k, ARow: ar, ACol: ac, BRow: br, BCol: bc, CRow: ldc, Alpha: 2, Beta: beta}
			call(mc, suffix[T]("gemm"), &p, map[string]uint32{"A": a.at, "B": b.at, "C": c.at, "Work": work.at})
			got := c.get()
			work.get()
			for i := range m {
				for j := range ldc {
					want := C[i*ldc+j]
					if j < n && k > 0 {
						sum := 0.0
						for q := range k {
							sum += float64(A[i*ar+q*ac]) * float64(B[q*br+j*bc])
						}
						if beta == 0 {
							want = T(2 * sum)
						} else {
							want = T(2*sum + float64(beta)*float64(want))
						}
					}
					if v := got[i*ldc+j]; !(math.Abs(float64(v-want)) <= tol*float64(k+1)) && !(v != v && want != want) {
						t.Fatalf("%d×%d×%d, transposes %d, beta %v: (%d, %d) is %v, want %v", m, n, k, trans, beta, i, j, v, want)
					}
				}
			}
		}
	}
}

// A NaN or Inf in an operand affects the elements that depend on it, and no others.
func TestProductNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		const m, n, k = 9, 11, 5
		mc := newMachine(t)
		A, B := random[float64](rand.New(rand.NewPCG(4, 4)), m*k), random[float64](rand.New(rand.NewPCG(5, 5)), k*n)
		A[2*k+3], B[4*n+10] = bad, bad
		a, b, c, work := put(mc, A), put(mc, B), put(mc, make([]float64, m*n)), put(mc, make([]float64, WorkSize(8)))
		p := Product[float64]{M: m, N: n, K: k, ARow: k, ACol: 1, BRow: n, BCol: 1, CRow: n, Alpha: 1}
		call(mc, "gemm64", &p, map[string]uint32{"A": a.at, "B": b.at, "C": c.at, "Work": work.at})
		for i, v := range c.get() {
			if finite := !math.IsNaN(v) && !math.IsInf(v, 0); finite == (i/n == 2 || i%n == 10) {
				t.Errorf("(%d, %d) is %v", i/n, i%n, v)
			}
		}
	}
}

func TestRows(t *testing.T) {
	t.Run("float64", testRows[float64])
	t.Run("float32", testRows[float32])
}

func testRows[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	tol := 1e-13
	if unsafe.Sizeof(*new(T)) == 4 {
		tol = 1e-4
	}
	near := func(what string, n int, got T, want float64) {
		t.Helper()
		if !(math.Abs(float64(got)-want) <= tol) {
			t.Errorf("%s of %d: %v, want %v", what, n, got, want)
		}
	}
	for n := range 70 {
		m := newMachine(t)
		y := random[T](rng, n)
		at := map[string]uint32{}
		var rows [4][]T
		for i := range rows {
			rows[i] = random[T](rng, n)
			at[fmt.Sprint("A", i)] = put(m, rows[i]).at
		}
		f := [4]T(random[T](rng, 4))
		for count, names := range map[int][2]string{1: {"axpy", "dot"}, 4: {"axpy4_", "dot4_"}} {
			out := put(m, y)
			at["Y"] = out.at
			args := Rows[T]{N: n}
			call(m, suffix[T](names[1]), &args, at)
			for i := range count {
				want := 0.0
				for j, v := range y {
					want += float64(v) * float64(rows[i][j])
				}
				near(names[1], n, args.F[i], want)
			}
			args.F = f
			call(m, suffix[T](names[0]), &args, at)
			for j, v := range out.get() {
				want := float64(y[j])
				for i := range count {
					want += float64(f[i]) * float64(rows[i][j])
				}
				near(names[0], n, v, want)
			}
		}
		out := put(m, y)
		at["Y"] = out.at
		args := Rows[T]{N: n, F: f}
		call(m, suffix[T]("both"), &args, at)
		want := 0.0
		for j, v := range out.get() {
			want += float64(rows[0][j]) * float64(rows[1][j])
			near("both", n, v, float64(y[j])+float64(f[0])*float64(rows[0][j]))
		}
		near("both's product", n, args.F[1], want)
	}
}

// A sweep is soft thresholding that uses new values immediately.
func TestSweep(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, m := range []int{1, 3, 4, 5, 17, 64} {
		for _, low := range []float32{-1, float32(math.Inf(-1))} {
			mc := newMachine(t)
			stride := (m + 16) &^ 15
			A, w, q := random[float32](rng, m*stride), random[float32](rng, stride), random[float32](rng, stride)
			g, inv := make([]float32, stride), make([]float32, stride)
			for i := range m {
				A[i*stride+i] = 2
				g[i], inv[i] = 2, 0.5
				q[i] *= 4
			}
			a, aw, aq, ag, ai := put(mc, A), put(mc, w), put(mc, q), put(mc, g), put(mc, inv)
			s := Sweep{M: m, Stride: stride, Low: low}
			call(mc, "sweep32", &s, map[string]uint32{"A": a.at, "W": aw.at, "Q": aq.at, "G": ag.at, "Inv": ai.at})
			change := 0.0
			for i := range m {
				v := float64(q[i]) + 2*float64(w[i])
				v = (v - min(max(v, float64(low)), 1)) / 2
				d := float64(w[i]) - v
				w[i] = float32(v)
				for j := range m {
					q[j] += float32(d * float64(A[i*stride+j]))
				}
				change = max(change, 2*math.Abs(d))
			}
			gw, gq := aw.get(), aq.get()
			scale := 1.0
			for i := range m {
				scale = max(scale, math.Abs(float64(q[i])))
			}
			for i := range m {
				if !(math.Abs(float64(gw[i]-w[i])) <= 1e-4*scale && math.Abs(float64(gq[i]-q[i])) <= 1e-4*scale) {
					t.Fatalf("%d atoms, low %v: atom %d is %v with %v, want %v with %v", m, low, i, gw[i], gq[i], w[i], q[i])
				}
			}
			if !(math.Abs(float64(s.Change)-change) <= 1e-4*scale) {
				t.Errorf("%d atoms: change %v, want %v", m, s.Change, change)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for n := 1; n < 150; n += 1 + n/9 {
		for _, sign := range []float32{-1, 1} {
			m := newMachine(t)
			q, bound := random[float32](rng, n), random[float32](rng, n)
			q[n/2] = float32(math.NaN())
			aq, ab := put(m, q), put(m, bound)
			words := make([]float64, (n+63)/64)
			bits := put(m, words)
			b := Bounds{N: n, Sign: sign, Least: 0.7}
			at := map[string]uint32{"Q": aq.at, "Bound": ab.at, "Bits": bits.at}
			call(m, "excess32", &b, at)
			call(m, "above32", &b, at)
			worst, got := float32(0), bits.get()
			for j, v := range q {
				over := max(v, sign*v) - bound[j]
				if over > worst {
					worst = over
				}
				if set := math.Float64bits(got[j/64])>>(j%64)&1 == 1; set != (over >= 0.7) {
					t.Errorf("%d numbers: bit %d is %v at %v", n, j, set, over)
				}
			}
			if b.Worst != worst {
				t.Errorf("excess of %d: %v, want %v", n, b.Worst, worst)
			}
		}
	}
}

// The updates equal the formulas of package s3c, in both layouts (rows and list).
func TestUpdate(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const units, n = 3, 32
	for _, name := range []string{"slabRows32", "slabList32", "spikeRows32", "spikeStoreRows32", "spikeList32"} {
		m := newMachine(t)
		rows := name != "slabList32" && name != "spikeList32"
		count := units
		if !rows {
			count = 1
		}
		p, h, s := random[float32](rng, count*n), random[float32](rng, count*n), random[float32](rng, count*n)
		for i := range h {
			h[i] = float32(math.Abs(float64(h[i])))
		}
		s[3], p[5], p[7] = 0, 1000, -1000 // a slab that is not clipped, and both ends of the sigmoid
		param := random[float32](rng, 8*max(units, n))
		ap, ah, as, am := put(m, p), put(m, h), put(m, s), put(m, make([]float32, count*n))
		u := Update{Units: count, Width: 4 * n, Stride: 4 * n, Eta: 0.75, Keep: 0.25, Rho: 0.5, Most: 0.875}
		call(m, name, &u, map[string]uint32{"P": ap.at, "H": ah.at, "S": as.at, "M": am.at, "Param": put(m, param).at})
		gp, gh, gs, gm := ap.get(), ah.get(), as.get(), am.get()
		for i := range p {
			of := func(k int) float64 {
				if rows {
					return float64(param[i/n*8+k])
				}
				return float64(param[k*n+i])
			}
			wp, wh, ws := float64(p[i]), float64(h[i]), float64(s[i])
			if name[:4] == "slab" {
				x := (of(0) + wp + of(1)*wh*ws) * of(2)
				if limit := -0.5 * ws; ws > 0 && x < limit || ws < 0 && x > limit {
					x = limit
				}
				ws = 0.75*x + 0.25*ws
			} else {
				best := 1 / (1 + math.Exp(-((wp+of(0)+of(1)*wh*ws-of(3)*ws)*ws + of(4))))
				wh = 0.75*best + 0.25*wh
				if name == "spikeStoreRows32" {
					wp, wh = best, min(wh, 0.875)
				}
			}
			for _, c := range []struct {
				got  float32
				want float64
			}{{gp[i], wp}, {gh[i], wh}, {gs[i], ws}, {gm[i], wh * ws}} {
				if !(math.Abs(float64(c.got)-c.want) <= 3e-6*(1+math.Abs(c.want))) {
					t.Fatalf("%s, number %d: %v, want %v", name, i, c.got, c.want)
				}
			}
		}
	}
}

func TestScreen(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	const units, n = 5, 32
	m := newMachine(t)
	p, h, s, sums := random[float32](rng, units*n), random[float32](rng, units*n), random[float32](rng, units*n), random[float32](rng, 3*n)
	ap, ah, as, am, asum := put(m, p), put(m, h), put(m, s), put(m, make([]float32, units*n)), put(m, sums)
	bits := put(m, make([]float32, units*n/32))
	u := Update{Units: units, Width: 4 * n, Eta: 0.5}
	call(m, "screenRows32", &u, map[string]uint32{"P": ap.at, "H": ah.at, "S": as.at, "M": am.at, "Param": asum.at, "Bits": bits.at})
	gm, gb := am.get(), bits.get()
	for i := range p {
		above := p[i] > 0.5 || h[i] > 0.5
		if set := math.Float32bits(gb[i/32])>>(i%32)&1 == 1; set != above {
			t.Errorf("bit %d is %v", i, set)
		}
		want := h[i] * s[i]
		if above {
			want = 0
		} else {
			square := s[i] * s[i]
			sums[i%n] += square
			sums[n+i%n] += h[i] * square
			sums[2*n+i%n] += p[i] * square
		}
		if gm[i] != want {
			t.Errorf("number %d: %v, want %v", i, gm[i], want)
		}
	}
	for i, v := range asum.get() {
		if !(math.Abs(float64(v-sums[i])) <= 1e-5) {
			t.Errorf("sum %d: %v, want %v", i, v, sums[i])
		}
	}
}

// TestBlock tests products of blocks, with numbers of rows that are multiples of four, and others.
func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	near := func(what string, i int, got float32, want float64) {
		t.Helper()
		if !(math.Abs(float64(got)-want) <= 1e-4) {
			t.Errorf("%s, number %d: %v, want %v", what, i, got, want)
		}
	}
	for n := range 11 {
		const d = 48
		m := newMachine(t)
		a, b, c := random[float32](rng, n*d), random[float32](rng, d), random[float32](rng, n)
		aa, ab, ac := put(m, a), put(m, b), put(m, c)
		args := Block{N: n, D: d}
		at := map[string]uint32{"A": aa.at, "B": ab.at, "C": ac.at}
		call(m, "sums32", &args, at)
		left := ab.get()
		for i, v := range left {
			want := float64(b[i])
			for u := range n {
				want -= float64(c[u]) * float64(a[u*d+i])
			}
			near("sums", i, v, want)
		}
		if n%4 == 0 {
			call(m, "dots32", &args, at)
			for u, v := range ac.get() {
				want := 0.0
				for i := range d {
					want += float64(a[u*d+i]) * float64(left[i])
				}
				near("dots", u, v, want)
			}
		}
	}
	m := newMachine(t)
	g, c, r, u := random[float32](rng, 32), random[float32](rng, 32), random[float32](rng, 32), random[float32](rng, 32)
	au := put(m, u)
	args := Block{N: 32, F: [2]float32{0.25, 2}}
	call(m, "respond32", &args, map[string]uint32{"A": put(m, g).at, "B": put(m, c).at, "C": put(m, r).at, "R": au.at})
	for i, v := range au.get() {
		near("respond", i, v, 0.25*float64(u[i])+2*(float64(g[i])+float64(c[i])*float64(r[i])))
	}
}

// A sweep of nnls minimizes over one column at a time, for 32 rows at once.
func TestDescent(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, k := range []int{1, 2, 7} {
		const rows = 32
		m := newMachine(t)
		G, inv, c, u := random[float64](rng, k*k), random[float64](rng, k), random[float64](rng, k*rows), random[float64](rng, k*rows)
		order := rng.Perm(k)
		places := make([]float64, k)
		for i, o := range order {
			places[i] = math.Float64frombits(uint64(o))
		}
		au := put(m, u)
		args := Descent{K: k, Columns: k}
		call(m, "descent64", &args, map[string]uint32{"Order": put(m, places).at, "G": put(m, G).at, "Inv": put(m, inv).at, "C": put(m, c).at, "U": au.at})
		for _, o := range order {
			for i := range rows {
				s := c[o*rows+i]
				for r := range k {
					s -= float64(G[o*k+r] * u[r*rows+i])
				}
				u[o*rows+i] = max(0, u[o*rows+i]+float64(s*inv[o]))
			}
		}
		for i, v := range au.get() {
			if v != u[i] {
				t.Fatalf("%d columns: number %d is %v, want %v", k, i, v, u[i])
			}
		}
	}
}
