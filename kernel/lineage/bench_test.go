package lineage

import "testing"

// BenchmarkRead measures the time to analyze a cell, which is spent in each run of the cell.
func BenchmarkRead(b *testing.B) {
	for name, src := range map[string]string{
		"empty": "", "statements": "x := 1\ny := x * 2\n",
		"function": "func f(a []float64) float64 {\n\ts := 0.0\n\tfor _, v := range a {\n\t\ts += v\n\t}\n\treturn s\n}\nf([]float64{1, 2, 3})",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
