package lectureattention

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Cost measures the time of self-attention and of a recurrent pass as the
// length of the sequence grows.
func (l *Lab) Cost() *figure.Figure {
	const d = 32
	lengths := []int{32, 64, 128, 256, 512, 1024, 2048}
	if l.Size == record.Smoke {
		lengths = lengths[:6]
	}
	repeats := l.Pick(2, 5, 9)
	head := attention.NewHead(d, d, d, l.Seed)
	U := normal(l.Seed, d, d)
	U.Scale(1/math.Sqrt(d), U)

	var x, attend, recur, weights []float64
	for _, n := range lengths {
		H := normal(l.Seed+1, n, d)
		x = append(x, float64(n))
		attend = append(attend, 1000*l.fastest(repeats, func() {
			out := must.Get(attention.SelfAttention(H, head, nil))
			r, c := out.Alpha.Dims()
			if r*c != n*n {
				panic("lectureattention: the weights are not n×n")
			}
		}))
		recur = append(recur, 1000*l.fastest(repeats, func() { recurrentPass(H, head.Wq, U) }))
		weights = append(weights, float64(8*n*n)/(1<<20))
	}
	// There are n² weights, against 3nd products of width d. So the n² term dominates when n is several times d.
	slope := func(y []float64) float64 {
		var lx, ly []float64
		for i := range x {
			if x[i] >= 8*d {
				lx, ly = append(lx, math.Log(x[i])), append(ly, math.Log(y[i]))
			}
		}
		_, b := stat.LinearRegression(lx, ly, nil, false)
		return b
	}
	data := record.Times(record.Generated(label("random sequences of width %d, fastest of %d runs", d, repeats)))
	l.Row(record.Row{
		ID: "cost-attention", What: label("self-attention: exponent p of the time ∝ n^p, fitted over n = %d to %d", 8*d, lengths[len(lengths)-1]),
		Published: record.Published(2, "", "slide \"Transformers pros and cons\": attention computations are theoretically O(n²)"),
		Measured:  record.Number(tenth(slope(attend)), ""), Rule: record.Within(0.3).Partly(0.4), Repeat: 0.7, Data: data, Figure: "cost",
		Reason: "timings vary from run to run, and cache effects appear once the weights no longer fit in the cache",
	})
	l.Row(record.Row{
		ID: "cost-recurrent", What: "recurrent pass: exponent p of the time ∝ n^p, same fit",
		Measured: record.Number(tenth(slope(recur)), ""), Rule: record.Between(0.7, 1.3), Repeat: 0.5, Data: data, Figure: "cost", Reason: "timings vary from run to run",
	})
	l.Row(record.Row{
		ID: "cost-parallel", What: "attention is easier to compute in parallel than recurrence",
		Published: slides.Quote("*Much easier to parallelize.", "Transformers pros and cons"),
		Rule:      record.NoData("needs a machine with many processors; what is certain without one: attention takes 1 sequential step for any length n, a recurrent network takes n"),
	})
	l.Row(record.Row{
		ID: "cost-depth", What: "Transformers can be much deeper than recurrent networks",
		Published: slides.Quote("In practice, can make it much deeper (more layers) than RNN.", "Transformers pros and cons"),
		Rule:      record.NoData("models of that depth take too long to train in a lecture"),
	})
	f := figure.New("Cost of one head vs. sequence length", "sequence length n", "").LogX().LogY()
	f.Marked("attention, ms", x, attend).Marked("recurrence, ms", x, recur)
	f.Use(figure.Gray).Marked("weights α, MiB", x, weights)
	last := len(x) - 1
	f.Use(figure.Black).Dashed("slope 2", []float64{x[last] / 8, x[last]}, []float64{attend[last] / 64 / 3, attend[last] / 3})
	l.Save("cost", "One head of width 32. For short sequences, the products with W_q, W_k and W_v take most of the time, which grows like n. For long sequences, the n² weights dominate both time and memory.",
		f)
	return f
}

// fastest returns the shortest time in seconds of several calls.
func (l *Lab) fastest(times int, f func()) float64 {
	best := math.Inf(1)
	for range times {
		l.Heed()
		best = math.Min(best, lab.Seconds(f))
	}
	return best
}

// recurrentPass computes h_t = tanh(W'x_t + U'h_{t−1}) for the rows x_t of X (n×d)
// and returns the last h_t.
func recurrentPass(X, W, U *mat.Dense) *mat.VecDense {
	n, d := X.Dims()
	var in mat.Dense
	in.Mul(X, W) // n×d · d×d
	h, next := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	for t := range n {
		next.MulVec(U.T(), h) // d×d · d
		for j, v := range in.RawRowView(t) {
			next.SetVec(j, math.Tanh(v+next.AtVec(j)))
		}
		h, next = next, h
	}
	return h
}
