package s3c

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

func numbers(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func TestColumn(t *testing.T) {
	simd.Each(func(name string) {
		for n := range 70 {
			for stride := 1; stride < 40; stride += 9 {
				x := numbers(max(1, (n-1)*stride+1), 15) // ends with the last number
				dst := make([]float32, n)
				column(dst, x, stride)
				for i, v := range dst {
					if v != x[i*stride] {
						t.Fatalf("%s: number %d of %d at stride %d is %v, want %v", name, i, n, stride, v, x[i*stride])
					}
				}
			}
		}
	})
}

// near reports whether a equals b up to the rounding of numbers of the given size.
func near(a, b, size float32) bool {
	return math.Abs(float64(a-b)) <= 3e-6*(1+math.Abs(float64(size)))
}

// With every instruction set, and in both layouts (rows and list), the updates equal the formulas in float64, and write
// nothing outside the arrays.
func TestUpdates(t *testing.T) {
	const units, n = 5, 48
	for _, rows := range []bool{true, false} {
		total := units * n
		if !rows {
			total = n
		}
		p, h, s := numbers(total, 1), numbers(total, 2), numbers(total, 3)
		for i := range h {
			h[i] = sigmoid32(3 * h[i])
			p[i] *= 4
		}
		s[3] = 0 // is not clipped
		param := numbers(max(units*inRow, (pConstant+1)*n), 4)
		for i := range param {
			param[i] = 0.5 + param[i]*param[i]
		}
		at := func(k, i int) float64 {
			if rows {
				return float64(param[i/n*inRow+k])
			}
			return float64(param[k*n+i])
		}
		const eta, rho, most = 0.3, 0.5, 0.7
		clipped := 0
		simd.Each(func(name string) {
			for _, what := range []string{"slab", "spike", "store"} {
				if what == "store" && !rows {
					continue
				}
				cp, ch, cs, cm := clone(p), clone(h), clone(s), make([]float32, total)
				c := &sweep{p: &cp[0], h: &ch[0], s: &cs[0], m: &cm[0], param: &param[0], stride: 4 * n,
					units: units, width: 4 * n, eta: eta, keep: 1 - eta, rho: rho, most: most}
				switch {
				case what == "slab" && rows:
					slabRows(c)
				case what == "slab":
					slabList(c)
				case what == "store":
					spikeStoreRows(c)
				case rows:
					spikeRows(c)
				default:
					spikeList(c)
				}
				for i := range total {
					P, H, S := float64(p[i]), float64(h[i]), float64(s[i])
					if what == "slab" {
						best := (at(pAlphaMu, i) + P + at(pWide, i)*H*S) * at(pInverse, i)
						if clip(best, S, rho) != best {
							clipped++
						}
						S = eta*clip(best, S, rho) + (1-eta)*S
					} else {
						best := sigmoid(S*(P+at(pAlphaMu, i)+at(pWide, i)*H*S-at(pHalf, i)*S) + at(pConstant, i))
						H = eta*best + (1-eta)*H
						if what == "store" {
							H, P = min(H, most), best
						}
					}
					if !near(cp[i], float32(P), 1) || !near(ch[i], float32(H), 1) || !near(cs[i], float32(S), p[i]) || !near(cm[i], float32(H*S), p[i]) {
						t.Fatalf("%s, %s, rows %t, place %d: p %v h %v s %v m %v, want %v %v %v %v", name, what, rows, i, cp[i], ch[i], cs[i], cm[i], P, H, S, H*S)
					}
				}
			}
		})
		if clipped == 0 {
			t.Error("nothing was clipped")
		}
	}
}

func clone(x []float32) []float32 { return append([]float32(nil), x...) }

// Small probabilities are accurate, and nothing is out of range for any logit.
func TestSigmoidRange(t *testing.T) {
	x := []float32{-1000, -87, -60, -20, -1, -1e-3, 0, 1e-3, 1, 20, 60, 87, 1000, 0, 0, 0}
	simd.Each(func(name string) {
		p, h, s, m := make([]float32, 16), make([]float32, 16), make([]float32, 16), make([]float32, 16)
		param := make([]float32, (pConstant+1)*16)
		copy(param[pConstant*16:], x)
		spikeList(&sweep{p: &p[0], h: &h[0], s: &s[0], m: &m[0], param: &param[0], stride: 64, units: 1, width: 64, eta: 1})
		for i, v := range x {
			want := 1 / (1 + math.Exp(-max(float64(v), -87)))
			if math.Abs(float64(h[i])-want) > 1e-6*want {
				t.Errorf("%s: σ(%v) is %v, want %v", name, v, h[i], want)
			}
		}
	})
}

func TestScreenRows(t *testing.T) {
	const units, n = 7, 16
	p, h, s := numbers(units*n, 5), numbers(units*n, 6), numbers(units*n, 7)
	for i := range p {
		p[i], h[i] = sigmoid32(p[i]-2), sigmoid32(h[i]-2)
	}
	simd.Each(func(name string) {
		m, sums, bits := make([]float32, units*n), make([]float32, 3*n), make([]uint64, (units*n+63)/64)
		const threshold = 0.15
		screenRows(&sweep{p: &p[0], h: &h[0], s: &s[0], m: &m[0], param: &sums[0], units: units, width: 4 * n,
			eta: threshold, bits: (*byte)(unsafe.Pointer(&bits[0]))})
		want, active := make([]float32, 3*n), 0
		for i := range p {
			on := p[i] > threshold || h[i] > threshold
			if got := bits[i/64]>>(i%64)&1 == 1; got != on {
				t.Fatalf("%s: place %d: active %t, want %t", name, i, got, on)
			}
			v := h[i] * s[i]
			if on {
				v = 0
				active++
			} else {
				want[i%n] += s[i] * s[i]
				want[n+i%n] += h[i] * s[i] * s[i]
				want[2*n+i%n] += p[i] * s[i] * s[i]
			}
			if m[i] != v {
				t.Fatalf("%s: place %d: m %v, want %v", name, i, m[i], v)
			}
		}
		if active == 0 || active == units*n {
			t.Fatal("all alike: the test is empty")
		}
		for i := range want {
			if !near(sums[i], want[i], want[i]) {
				t.Errorf("%s: sum %d is %v, want %v", name, i, sums[i], want[i])
			}
		}
	})
}

func TestGather(t *testing.T) {
	for _, d := range []int{16, 32, 112, 128, 144, 400} {
		for _, units := range []int{0, 4, 16, 20} {
			w, r, m := numbers(units*d, 8), numbers(d, 9), numbers(units, 10)
			simd.Each(func(name string) {
				out := numbers(units, 11) // is overwritten
				g, c, u := numbers(d, 12), numbers(d, 13), numbers(d, 14)
				old := clone(u)
				respond(0.75, 2, g, c, r, u)
				for i, v := range u {
					if want := 0.75*old[i] + 2*(g[i]+c[i]*r[i]); !near(v, want, want) {
						t.Fatalf("%s: response %d is %v, want %v", name, i, v, want)
					}
				}
				dots(units, w, r, out)
				y := clone(r)
				sums(w, m, y)
				for u := range units {
					var want float64
					for i := range d {
						want += float64(w[u*d+i]) * float64(r[i])
					}
					if math.Abs(float64(out[u])-want) > 1e-4 {
						t.Fatalf("%s, %d units of %d: product %d is %v, want %v", name, units, d, u, out[u], want)
					}
				}
				for i := range d {
					want := float64(r[i])
					for u := range units {
						want -= float64(m[u]) * float64(w[u*d+i])
					}
					if math.Abs(float64(y[i])-want) > 1e-4 {
						t.Fatalf("%s, %d units of %d: sum %d is %v, want %v", name, units, d, i, y[i], want)
					}
				}
			})
		}
	}
}

// The package's assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.Current(t, "s3c") }
