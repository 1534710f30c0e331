package ixengine

import (
	"context"
	"testing"

	"overcomplete/kernel/engine"
)

// BenchmarkDynamic measures, in ns per call, calls of functions that are known only at run time. It compares
// each with a loop that calls a function directly.
func BenchmarkDynamic(b *testing.B) {
	for _, l := range []struct {
		name, before, cell string
		n                  int
	}{
		{"direct", "func g(x int) int { return x + 1 }", "s := 0\nfor i := 0; i < 1000000; i++ { s = g(s) }", 1e6},
		{"closure", "", "k := 1\ng := func(x int) int { return x + k }\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = g(s) } }()", 1e6},
		{"earlierClosure", "k := 1\ng := func(x int) int { return x + k }", "s := 0\nfunc() { for i := 0; i < 1000000; i++ { s = g(s) } }()", 1e6},
		{"oddClosure", "", "g := func(x int, y float64, z string, w int) int { return x + w }\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = g(s, 1, \"\", 1) } }()", 1e6},
		{"method", "", "type I interface{ Get(int) int }\ntype T struct{ k int }\nfunc (t *T) Get(x int) int { return t.k + x }\nvar x I = &T{1}\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = x.Get(s) } }()", 1e6},
		{"earlierMethod", "type I interface{ Get(int) int }\ntype T struct{ k int }\nfunc (t *T) Get(x int) int { return t.k + x }\nvar x I = &T{1}", "s := 0\nfunc() { for i := 0; i < 1000000; i++ { s = x.Get(s) } }()", 1e6},
		{"valueMethod", "", "type I interface{ Get(int) int }\ntype T struct{ k, l int }\nfunc (t T) Get(x int) int { return t.k + x }\nvar x I = T{1, 2}\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = x.Get(s) } }()", 1e6},
		{"makeClosure", "", "s := 0\nvar g func() int\nfunc() { for i := 0; i < 1000000; i++ { g = func() int { return i + s } } }()", 1e6},
		{"sortSlice", "import (\"sort\"; \"math/rand\")\nxs := make([]float64, 100000)\nr := rand.New(rand.NewSource(1))\nvar calls int", "for i := range xs { xs[i] = r.Float64() }\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })", 1950000},
		{"slicesSort", "import (\"slices\"; \"math/rand\")\nxs := make([]float64, 100000)\nr := rand.New(rand.NewSource(1))", "for i := range xs { xs[i] = r.Float64() }\nslices.SortFunc(xs, func(a, b float64) int { if a < b { return -1 }; return 1 })", 1950000},
		{"rangeFunc", "func upTo(n int) func(yield func(int) bool) { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }", "s := 0\nfor x := range upTo(1000000) { s += x }\ns", 1e6},
		{"seq2", "import \"slices\"\nxs := make([]int, 1000000)", "s := 0\nfor i, x := range slices.All(xs) { s += x + i }\ns", 1e6},
	} {
		b.Run(l.name, func(b *testing.B) {
			s := fresh(b, Options{})
			do := func(src string) {
				if _, err := s.Run(context.Background(), engine.Cell{Name: "bench", Source: src}); err != nil {
					b.Fatal(err)
				}
			}
			if l.before != "" {
				do(l.before)
			}
			from := processorTime()
			for b.Loop() {
				do(l.cell)
			}
			b.ReportMetric(float64(processorTime()-from)/float64(b.N)/float64(l.n), "cpu-ns/call")
		})
	}
}
