package iconframework

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/icon/iconplot"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/tsne/tsneplot"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// A MethodEmbedding is one method's representation of the digits.
type MethodEmbedding struct {
	Method string
	// Uses lists what the method uses besides the pictures.
	Uses string
	Z    *mat.Dense // n×k
	// Neighbours is the share of digits whose own class wins the vote of their 5 nearest other digits in Z.
	// Trust is the trustworthiness of Z (see icon.Trustworthiness), from the 10 nearest neighbors of each
	// digit.
	Neighbours, Trust float64
	Objective         *icon.Objective
}

// Embedded returns each method's embedding of the digits that Digits returns. It computes the embeddings once.
func (l *Lab) Embedded() []*MethodEmbedding {
	if l.embedded != nil {
		return l.embedded
	}
	s := l.digitSet()
	n, _ := s.X.Dims()
	steps := l.Pick(150, 300, 500)
	var all []*MethodEmbedding
	add := func(method, uses string, Z *mat.Dense, o *icon.Objective) {
		l.Heed()
		all = append(all, &MethodEmbedding{method, uses, Z, icon.KNNAccuracy(Z, s.Labels, 5), icon.Trustworthiness(s.X, Z, 10), o})
	}
	for _, m := range []struct{ method, uses string }{
		{"PCA", ""}, {"Laplacian eigenmaps", ""}, {"SNE", ""}, {"t-SNE by rows", ""}, {"t-SNE", ""}, {"K-means", ""},
	} {
		r := must.Get(icon.FitMethod(l.Context(), s.Z, nil, m.method, &icon.FitOptions{Seed: l.Seed, Steps: steps, Perplexity: math.Min(30, float64(n)/6)}))
		Z := r.Embedding
		if m.method == "K-means" {
			Z = memberships(Z) // memberships of clusters, not their logits
		}
		add(m.method, m.uses, Z, r.Objective)
	}
	net := l.Contrasted().Net
	add("SimCLR", "augmentations", net.Transform(s.X), nil)
	r := must.Get(icon.FitMethod(l.Context(), s.Z, s.Labels, "SupCon", &icon.FitOptions{Seed: l.Seed, Steps: l.Pick(60, 100, 150)}))
	// Scale the rows to length 1, because cosines do not depend on lengths.
	add("SupCon", "labels", unit(r.Embedding), r.Objective)
	r = must.Get(icon.FitMethod(l.Context(), s.Z, s.Labels, "Cross-entropy", &icon.FitOptions{Seed: l.Seed, Steps: l.Pick(60, 100, 150)}))
	add("Cross-entropy", "labels", r.Objective.Learned(), r.Objective)
	l.embedded = all
	return l.embedded
}

// memberships returns the cluster memberships for given logits: the softmax of each row.
func memberships(logits *mat.Dense) *mat.Dense {
	R := mat.DenseCopyOf(logits)
	n, _ := R.Dims()
	for i := range n {
		row := R.RawRowView(i)
		top := mat.Max(R.RowView(i))
		sum := 0.0
		for c := range row {
			row[c] = math.Exp(row[c] - top)
			sum += row[c]
		}
		for c := range row {
			row[c] /= sum
		}
	}
	return R
}

// unit returns a copy of Z with each row scaled to length 1, except rows of zeros.
func unit(Z *mat.Dense) *mat.Dense {
	U := mat.DenseCopyOf(Z)
	n, _ := U.Dims()
	for i := range n {
		if s := mat.Norm(U.RowView(i), 2); s > 0 {
			row := U.RawRowView(i)
			for c := range row {
				row[c] /= s
			}
		}
	}
	return U
}

// plane returns Z itself if it has two columns, and otherwise the first two principal coordinates of its rows.
func plane(ctx context.Context, Z *mat.Dense, seed uint64) *mat.Dense {
	if _, k := Z.Dims(); k == 2 {
		return Z
	}
	return must.Get(pca.Fit(ctx, Z, &pca.Options{Components: 2, Seed: seed})).Scores(Z)
}

// scatter draws the rows of Z (n×2) as points colored by class, with the name of each class at the median of its
// points.
func scatter(title string, Z *mat.Dense, labels []int) *figure.Figure {
	f := tsneplot.Map(&tsne.Result{Y: Z}, title, labels, nil)
	f.Equal, f.Width, f.Height = false, 0, 0
	return f
}

// Embeddings draws the embeddings of Embedded, one panel for each method, and adds the rows about them.
func (l *Lab) Embeddings() *figure.Grid {
	s := l.digitSet()
	var panels []*figure.Figure
	for _, e := range l.Embedded() {
		name := e.Method
		if e.Uses != "" {
			name += " (" + e.Uses + ")"
		}
		panels = append(panels, scatter(fmt.Sprintf("%s: %.0f %%, %.2f", name, 100*e.Neighbours, e.Trust), plane(l.Context(), e.Z, l.Seed), s.Labels))
	}
	g := figure.NewGrid("One engine, nine embeddings of the same digits", 3, panels...).Size(2.9, 2.7)
	l.embeddingRows()
	l.Save("embeddings", fmt.Sprintf("Titles: 5-nearest-neighbor accuracy and trustworthiness (10 neighbors), in the method's own coordinates. The accuracy of raw pixels is %.0f %%. Embeddings with more than two coordinates (K-means 10, SimCLR 128, SupCon 16, cross-entropy 10) are shown by their first two principal components. SupCon and cross-entropy were trained on these labels, so their accuracies say nothing about new digits. Data: %v.", 100*icon.KNNAccuracy(s.X, s.Labels, 5), s.data()),
		g)
	return g
}

func (l *Lab) embeddingRows() {
	s := l.digitSet()
	by := map[string]*MethodEmbedding{}
	for _, e := range l.Embedded() {
		by[e.Method] = e
	}
	two := must.Get(pca.Fit(l.Context(), s.Z, &pca.Options{Components: 2})).Components
	W := by["PCA"].Objective.Params()[0].X
	l.Row(record.Row{
		ID: "fit-pca", What: "PCA by descent on the loss: largest angle between its plane and that of the first two principal axes",
		Published: post.Quote("Before discussing factorization algorithms further, let’s first understand dimensionality reduction as an instance of representation learning.", motivation),
		Measured:  record.Number(pca.LargestAngle(W, two), "degrees"), Rule: record.AtMost(3), Data: s.data(), Figure: "embeddings", Repeat: 0.1,
		Reason: "linear algebra gives the axes directly, without any descent",
	})
	least := 1.0
	for _, m := range []string{"SNE", "t-SNE", "t-SNE by rows"} {
		least = math.Min(least, by[m].Neighbours-by["PCA"].Neighbours)
	}
	l.Row(record.Row{
		ID: "fit-neighbours", What: "two-dimensional maps, 5-nearest-neighbor accuracy: smallest gain of SNE, t-SNE and t-SNE by rows over PCA",
		Measured: record.Number(100*least, "points"), Rule: record.AtLeast(5), Data: s.data(), Figure: "embeddings", Repeat: 2,
		Reason: fmt.Sprintf("PCA %.1f, SNE %.1f, t-SNE %.1f, t-SNE by rows %.1f %%; raw pixels %.1f %% (p is computed from their principal components)", 100*by["PCA"].Neighbours, 100*by["SNE"].Neighbours, 100*by["t-SNE"].Neighbours, 100*by["t-SNE by rows"].Neighbours, 100*icon.KNNAccuracy(s.X, s.Labels, 5)),
	})
	a, b := by["t-SNE"], by["t-SNE by rows"]
	l.Row(record.Row{
		ID: "fit-t-sne-both", What: "t-SNE and t-SNE by rows: difference in the trustworthiness of their maps",
		Measured: record.Number(math.Abs(a.Trust-b.Trust), ""), Rule: record.AtMost(0.05), Data: s.data(), Figure: "embeddings", Repeat: 0.02,
		Reason: fmt.Sprintf("%.3f and %.3f: from the same start, the two losses give maps of similar quality", a.Trust, b.Trust),
	})
}

// Matrices draws p and q of four methods, with the points sorted by class.
func (l *Lab) Matrices() *figure.Grid {
	s := l.digitSet()
	by := map[string]*MethodEmbedding{}
	for _, e := range l.Embedded() {
		by[e.Method] = e
	}
	g := &figure.Grid{Title: "p (left) and q (right) of four methods"}
	var row []*figure.Figure
	for i, m := range []string{"SNE", "t-SNE", "K-means", "SupCon"} {
		pair := iconplot.Matrices(by[m].Objective, s.Labels).Figures[0]
		pair[0].Title.Text, pair[1].Title.Text = m+": p", m+": q"
		for _, f := range pair {
			f.HideAxes()
			row = append(row, f)
		}
		if i%2 == 1 {
			g.Figures = append(g.Figures, row)
			row = nil
		}
	}
	g.Size(2.4, 2.2)
	l.Save("matrices", fmt.Sprintf("Rows and columns are digits sorted by class, in ten blocks; p and q of a method share one scale. SNE and t-SNE do not use the classes: their blocks come from the pictures. The blocks of q for K-means are clusters, those of p for SupCon are classes. With cosines and τ = 0.5, q of SupCon cannot become as sharp as p. Data: %v.", s.data()), g)
	return g
}
