package lectureattention

import (
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/record"
)

// Normalisation compares batch normalization with layer normalization. It measures how well a small batch estimates
// the moments, and how much a sample's normalized features depend on the other samples of its batch.
func (l *Lab) Normalisation() *figure.Grid {
	const d = 32
	trials := l.Pick(200, 1000, 5000)
	sizes := []int{2, 4, 8, 16, 32, 64, 128}
	x := make([]float64, len(sizes))
	var meanError, batchChange, layerChange, gap []float64
	rng := rand.New(rand.NewPCG(l.Seed, 0x6E6F726D))
	draw := func(rows int) *mat.Dense {
		Z := mat.NewDense(rows, d, nil)
		Z.Apply(func(_, j int, _ float64) float64 { return float64(j%5) + rng.NormFloat64() }, Z) // standard deviation 1
		return Z
	}
	for k, B := range sizes {
		x[k] = float64(B)
		// s is the mean squared distance of a batch's mean from the true mean.
		s := 0.0
		for range trials {
			sum := 0.0
			for range B {
				sum += rng.NormFloat64()
			}
			s += sum * sum / float64(B*B) / float64(trials)
		}
		meanError = append(meanError, math.Sqrt(s))
		// Give one sample two different sets of companions: by how much does its output change (root mean square)?
		// Then compare the same sample in training and in inference.
		var cb, cl, g float64
		const pairs = 20
		for range pairs {
			l.Heed()
			one, two := draw(B), draw(B)
			two.SetRow(0, one.RawRowView(0))
			bn := &attention.BatchNorm{}
			for range 50 {
				bn.Train(draw(B))
			}
			train := (&attention.BatchNorm{}).Train(one)
			cb += rowDiff(train, (&attention.BatchNorm{}).Train(two)) / pairs
			cl += rowDiff(attention.LayerNorm(one), attention.LayerNorm(two)) / pairs
			g += rowDiff(train, bn.Test(one)) / pairs
		}
		batchChange, layerChange, gap = append(batchChange, cb), append(layerChange, cl), append(gap, g)
	}

	data := record.Generated(label("normal samples of %d features, standard deviation 1", d))
	const title = "From batch to layer normalization"
	l.Row(record.Row{
		ID: "norm-batch-poor", What: "batch of 4: standard error of the batch mean, in standard deviations (theory: 1/√4)",
		Published: slides.Quote("Batch normalization tricky in sequence models: long sequences have small batches/poor stats.", title),
		Measured:  record.Number(meanError[1], ""), Rule: record.Between(0.4, 0.6), Repeat: 0.05, Data: data, Figure: "normalisation",
	})
	l.Row(record.Row{
		ID: "norm-batch-companions", What: "batch of 4: root mean square change of a sample's normalized features when the other three samples are replaced",
		Measured: record.Number(batchChange[1], ""), Rule: record.AtLeast(0.1), Repeat: 0.1, Data: data, Figure: "normalisation",
	})
	l.Row(record.Row{
		ID: "norm-layer-independent", What: "layer normalization: the same change, largest over batches of 2 to 128 (must be exactly 0)",
		Published: slides.Quote("Layer normalization is independent of the batch size.", title),
		Measured:  record.Number(mat.Max(mat.NewVecDense(len(layerChange), layerChange)), ""), Rule: record.AtMost(0), Data: data, Figure: "normalisation",
	})
	l.Row(record.Row{
		ID: "norm-train-test", What: "batch of 4: root mean square difference of a sample's features in training (batch moments) and at inference (running moments)",
		Measured: record.Number(gap[1], ""), Rule: record.AtLeast(0.1), Repeat: 0.1, Data: data, Figure: "normalisation",
		Reason: "layer normalization is the same in training and at inference",
	})

	l.scaleAndShift(draw(64))
	left := figure.New("Standard error of the batch mean", "batch size", "").LogX().LogY()
	left.Marked("measured", x, meanError).Use(figure.Black).Curve("1/√B", func(b float64) float64 { return 1 / math.Sqrt(b) }, 2, 128)
	right := figure.New("Change of a sample's features", "batch size", "").LogX()
	right.Marked("batch norm, other samples", x, batchChange).Marked("batch norm, inference", x, gap).Marked("layer norm", x, layerChange)
	right.Y.Min = 0
	third := l.lengths()
	g := figure.NewGrid("Batch and layer normalization", 3, left, third, right)
	l.Save("normalisation", "Left: the mean of a small batch is a poor estimate. Middle: in a batch of 32 sequences of different lengths, few reach the later positions, so the batch is small there. Right (root mean square): with batch normalization, a sample's features depend on the other samples of the batch and differ between training and inference; with layer normalization, they do neither. Both are without learned scale and shift, with 1e-5 added to the variance.",
		g.Size(3.1, 2.9))
	return g
}

// scaleAndShift adds the rows about γ and β in h = σ(γẑ + β), where ẑ is a feature z of Z after batch normalization.
// The first row checks that γ = √(Var[z] + ε) and β = E[z] undo the normalization, so nothing is lost. The other rows
// measure the share of the variance of σ(γẑ) that a straight line in ẑ explains, with γ = 1 and γ = 8: without a scale
// the sigmoid works where it is nearly linear.
func (l *Lab) scaleAndShift(Z *mat.Dense) {
	n, d := Z.Dims()
	norm := &attention.BatchNorm{}
	zhat := norm.Train(Z)
	worst := 0.0
	for j := range d {
		gamma, beta := math.Sqrt(norm.Variance[j]+tape.NormEpsilon), norm.Mean[j]
		for i := range n {
			worst = max(worst, math.Abs(gamma*zhat.At(i, j)+beta-Z.At(i, j)))
		}
	}
	data := record.Generated(label("%d normal samples of %d features", n, d))
	l.Row(record.Row{
		ID: "norm-scale-shift", What: "γẑ + β with γ = √(Var[z] + ε) and β = E[z]: largest difference from z",
		Published: slides.Quote("Add scale and shift parameters, γ, β", "Recall: batch normalization"),
		Measured:  record.Number(worst, ""), Rule: record.AtMost(1e-9), Repeat: 1e-9, Data: data,
		Reason: "so a layer with γ and β can compute everything that it could without normalization",
	})
	straight := func(gamma float64) float64 {
		var x, y []float64
		for _, z := range zhat.RawMatrix().Data {
			x, y = append(x, z), append(y, 1/(1+math.Exp(-gamma*z)))
		}
		r := stat.Correlation(x, y, nil)
		return r * r
	}
	l.Row(record.Row{
		ID: "norm-gamma-one", What: "share of the variance of σ(γẑ) explained by a linear function of ẑ: γ = 1",
		Measured: record.Number(straight(1), ""), Rule: record.AtLeast(0.95), Repeat: 0.02, Data: data,
		Reason: "without a scale, a layer of sigmoids is nearly linear",
	})
	l.Row(record.Row{
		ID: "norm-gamma-eight", What: "the same with γ = 8",
		Measured: record.Number(straight(8), ""), Rule: record.AtMost(0.9), Repeat: 0.05, Data: data,
	})
}

// rowDiff returns the root mean square difference between the first rows of A and B.
func rowDiff(A, B *mat.Dense) float64 {
	s := 0.0
	for j, v := range A.RawRowView(0) {
		s += (v - B.At(0, j)) * (v - B.At(0, j))
	}
	_, c := A.Dims()
	return math.Sqrt(s / float64(c))
}

// lengths draws the standard error of a feature's mean at each position of a batch of 32 sequences
// with uniformly distributed lengths from 1 to 40.
func (l *Lab) lengths() *figure.Figure {
	const B, longest = 32, 40
	trials := l.Pick(200, 1000, 5000)
	rng := rand.New(rand.NewPCG(l.Seed, 0x6C656E67))
	sum, count := make([]float64, longest), make([]float64, longest)
	for range trials {
		total, alive := make([]float64, longest), make([]float64, longest)
		for range B {
			for t := range 1 + rng.IntN(longest) {
				total[t] += rng.NormFloat64()
				alive[t]++
			}
		}
		for t, n := range alive {
			if n > 0 { // otherwise there is no mean
				sum[t] += total[t] * total[t] / (n * n)
				count[t]++
			}
		}
	}
	var x, y []float64
	for t := range sum {
		if count[t] > 0 {
			x, y = append(x, float64(t+1)), append(y, math.Sqrt(sum[t]/count[t]))
		}
	}
	l.Row(record.Row{
		ID: "norm-long-sequences", What: "32 sequences of length 1 to 40: standard error of the batch mean at the last position divided by that at the first",
		Published: slides.Quote("long sequences have small batches/poor stats", "From batch to layer normalization"),
		Measured:  record.Number(y[len(y)-1]/y[0], ""), Rule: record.AtLeast(2), Repeat: 1, Data: record.Generated("normal features, uniform lengths"), Figure: "normalisation",
	})
	f := figure.New("Standard error by position", "position", "").Lines("", x, y)
	f.Y.Min = 0
	return f
}

// Vanishing measures how much of the gradient passes through 20 layers of sigmoids: without normalization, with batch
// normalization, with layer normalization, and with layer normalization where ½ (the sigmoid's mean) is also subtracted
// from each sigmoid.
func (l *Lab) Vanishing() *figure.Figure {
	const d, B, layers = 32, 64, 20
	kinds := []string{"no normalization", "batch norm", "layer norm", "layer norm, σ(z) − ½"}
	norms := make([][]float64, len(kinds))
	for k := range kinds {
		set := tape.NewSet(l.Seed)
		t := tape.New()
		gammaD, betaD := set.Ones("gamma", 1, d), set.Zeros("beta", 1, d)
		gammaB, betaB := set.Ones("gamma of columns", 1, B), set.Zeros("beta of columns", 1, B)
		half := mat.NewDense(1, d, nil)
		half.Apply(func(_, _ int, _ float64) float64 { return -0.5 }, half)
		h := t.Input(normal(l.Seed, B, d))
		hs := []*tape.Value{h}
		for i := range layers {
			z := t.MatMul(h, t.Param(set.Normal(label("W%d", i+1), d, d, 1/math.Sqrt(d)))) // B×d · d×d
			switch k {
			case 1: // each column: a feature over the batch
				z = t.Transpose(t.LayerNorm(t.Transpose(z), t.Param(gammaB), t.Param(betaB)))
			case 2, 3: // each row: a sample over its features
				z = t.LayerNorm(z, t.Param(gammaD), t.Param(betaD))
			}
			h = t.Sigmoid(z)
			if k == 3 {
				h = t.Add(h, t.Const(half))
			}
			hs = append(hs, h)
		}
		t.Backward(t.Sum(t.Mul(h, t.Const(normal(l.Seed+1, B, d)))))
		last := mat.Norm(hs[layers].Grad, 2)
		for _, v := range hs {
			norms[k] = append(norms[k], mat.Norm(v.Grad, 2)/last)
		}
	}
	data := record.Generated(label("%d layers of %d sigmoids, random weights, batch of %d", layers, d, B))
	const title = "Recall: batch normalization"
	l.Row(record.Row{
		ID: "vanishing-bare", What: "gradient norm at the input of 20 sigmoid layers, as a fraction of that at their output",
		Published: slides.Quote("\"Vanishing gradient\" from saturating non-linearities … (problem amplified by depth)", title),
		Measured:  record.Number(norms[0][0], ""), Rule: record.AtMost(1e-3), Data: data, Figure: "vanishing",
	})
	// Take the gradient as a fraction of what reaches the last layer: does every further group of five layers leave
	// less than a tenth?
	depths, falls, seen := []int{5, 10, 15, 20}, true, ""
	for i, depth := range depths {
		here := norms[0][layers-depth]
		falls = falls && (i == 0 || here < norms[0][layers-depths[i-1]]/10)
		seen += label("%d: %.0e; ", depth, here)
	}
	l.Row(record.Row{
		ID: "vanishing-depth", What: "the same at the input of the last 5, 10, 15 and 20 layers: every five more layers reduce it to less than a tenth",
		Published: slides.Quote("\"Vanishing gradient\" from saturating non-linearities … (problem amplified by depth)", title),
		Measured:  record.Bool(falls, strings.TrimSuffix(seen, "; ")), Rule: record.Holds(), Data: data, Figure: "vanishing",
	})
	l.Row(record.Row{
		ID: "vanishing-batch", What: "gradient norm at the input of 20 sigmoid layers, with batch normalization before each sigmoid",
		Published: slides.Quote("fixed with normalizations (e.g. \"batch normalization\")", title),
		Measured:  record.Number(norms[1][0], ""), Rule: record.AtLeast(0.01), Data: data, Figure: "vanishing",
	})
	l.Row(record.Row{
		ID: "vanishing-layer", What: "the same with layer normalization",
		Published: slides.Quote("fixed with normalizations (e.g. \"batch normalization\")", title),
		Measured:  record.Number(norms[2][0], ""), Rule: record.AtLeast(0.01), Data: data, Figure: "vanishing",
		Reason: "sigmoid outputs are positive, so all samples share a common component; batch normalization subtracts it, layer normalization does not (in the next row, ½ is subtracted). A Transformer also has residual connections",
	})
	l.Row(record.Row{
		ID: "vanishing-layer-centred", What: "the same with layer normalization and σ(z) − ½ in place of σ(z)",
		Measured: record.Number(norms[3][0], ""), Rule: record.AtLeast(0.01), Data: data, Figure: "vanishing",
	})
	f := figure.New("Gradient through 20 sigmoid layers, relative to the output", "layer", "").LogY()
	for k, name := range kinds {
		f.Series(name, norms[k])
	}
	l.Save("vanishing", "The backward pass runs from right to left. The slope of a sigmoid is at most 1/4, so the gradient nearly vanishes over twenty layers. Batch normalization prevents this; layer normalization does so only in part, unless the sigmoid is centered.",
		f)
	return f
}
