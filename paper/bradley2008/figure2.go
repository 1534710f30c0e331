package bradley2008

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A Plane describes the plane in which the classes are separated best, for one kind of features. The plane is fitted
// on training digits. Error, Ratio, Z and Y are for test digits in this plane.
type Plane struct {
	Name string
	// Shrinkage is the shrinkage of the scatter within the classes, chosen on validation digits.
	Shrinkage float64
	// Error is the share of test digits that are nearer to the mean of another class than to the mean of their own.
	// Training is this share for the digits on which the plane was fitted.
	Error, Training float64
	// Ratio is the scatter between the classes divided by the scatter within the classes, for the test digits in
	// the plane.
	Ratio float64
	Z     *mat.Dense // N×2, test digits
	Y     []int      // N, indices into Figure2Result.Classes
}

// Figure2Result holds the panels of figure 2, and the planes.
type Figure2Result struct {
	Classes []int // the eight most confusable digits
	Planes  []*Plane
	*figure.Grid
}

// A figure2 computes and draws figure 2, and adds its rows.
type figure2 struct {
	*Lab
	trained int // number of digits for back-propagation
	n       int // number of digits on which the planes are fitted
	out     *Figure2Result
}

// confusable returns the k classes that are confused most often. The classifier is a maxent classifier of the digits
// after PCA, and confusions are counted on the validation digits.
func (t *figure2) confusable(k int) []int {
	d := t.Digits()
	train := d.Train.First(t.Pick(200, 1000, 10000))
	_, _, m := chooseMaxent(t.Context(), train.X, train.Y, d.Validation.X, d.Validation.Y)
	out := classify.Confuse(m.Predict(d.Validation.X.T()), d.Validation.Y).MostConfused(k)
	slices.Sort(out)
	return out
}

// selectClasses selects the columns of W (m×N) whose label in y is one of classes. It returns them as rows. labels
// holds, for each row, the index of its label in classes.
func selectClasses(W *mat.Dense, y []int, classes []int) (rows *mat.Dense, labels []int) {
	var idx []int
	for i, c := range y {
		if k := slices.Index(classes, c); k >= 0 {
			idx, labels = append(idx, i), append(labels, k)
		}
	}
	return classify.Rows(W.T(), idx), labels
}

// whiten shifts and scales each feature to mean 0 and variance 1 on the training digits, and applies the same shift
// and scale to the other digits.
func whiten(f *Features) *Features {
	s, err := classify.Standardize(f.Train.T())
	lab.Check(err)
	apply := func(W *mat.Dense) *mat.Dense { return mat.DenseCopyOf(s.Transform(W.T()).T()) }
	return &Features{Name: f.Name, Train: apply(f.Train), Validation: apply(f.Validation), Test: apply(f.Test)}
}

// plane fits one plane on the first t.n training digits. The fit needs some shrinkage: the scatter within the classes
// is singular if there is an atom that no digit uses, and also if there are more features than digits. The shrinkage is
// chosen on the validation digits.
func (t *figure2) plane(name string, f *Features) *Plane {
	d, classes := t.Digits(), t.out.Classes
	m, _ := f.Train.Dims()
	X, y := selectClasses(f.Train.Slice(0, m, 0, t.n).(*mat.Dense), d.Train.Y[:t.n], classes)
	V, yv := selectClasses(f.Validation, d.Validation.Y, classes)
	T, yt := selectClasses(f.Test, d.Test.Y, classes)
	out := &Plane{Name: name, Y: yt}
	least := 2.
	for _, s := range []float64{1e-3, 1e-2, 0.1, 0.5} {
		t.Heed()
		mda, err := classify.FitMDA(t.Context(), X, y, &classify.MDAOptions{Dimensions: 2, Shrinkage: s, Classes: len(classes)})
		lab.Check(err)
		if e := classify.ErrorRate(mda.Predict(V), yv); e < least {
			least = e
			out.Shrinkage, out.Z = s, mda.Transform(T)
			out.Error, out.Training = classify.ErrorRate(mda.Predict(T), yt), classify.ErrorRate(mda.Predict(X), y)
		}
	}
	out.Ratio = scatterRatio(out.Z, yt, len(classes))
	return out
}

// scatterRatio returns tr S_B/tr S_W, the scatter between the classes divided by the scatter within the classes. The
// rows of Z have the labels y, 0 to K−1.
func scatterRatio(Z *mat.Dense, y []int, K int) float64 {
	_, p := Z.Dims()
	M, mean, size := mat.NewDense(K, p, nil), make([]float64, p), make([]float64, K)
	for i, c := range y {
		size[c]++
		for j, z := range Z.RawRowView(i) {
			M.Set(c, j, M.At(c, j)+z)
			mean[j] += z / float64(len(y))
		}
	}
	within, between := 0., 0.
	for k := range K {
		for j := range p {
			M.Set(k, j, M.At(k, j)/max(size[k], 1))
			between += size[k] * (M.At(k, j) - mean[j]) * (M.At(k, j) - mean[j])
		}
	}
	for i, c := range y {
		for j, z := range Z.RawRowView(i) {
			within += (z - M.At(c, j)) * (z - M.At(c, j))
		}
	}
	return between / within
}

// mirror makes the axes of the matrix Z (N×2, labels y) point the same way as the axes of the matrix called model
// (labels modelY). It flips an axis of Z if the class means of Z and of model on this axis correlate negatively. This
// is necessary because the sign of a discriminant axis is arbitrary.
func mirror(Z *mat.Dense, y []int, model *mat.Dense, modelY []int, K int) {
	a, b := centres(Z, y, K), centres(model, modelY, K)
	for j := range 2 {
		if mat.Dot(a.ColView(j), b.ColView(j)) < 0 {
			for i := range y {
				Z.Set(i, j, -Z.At(i, j))
			}
		}
	}
}

// centres returns the class means (K×2) of the rows of Z, which have the labels y, minus the mean of these means.
func centres(Z *mat.Dense, y []int, K int) *mat.Dense {
	M, size := mat.NewDense(K, 2, nil), make([]float64, K)
	for i, c := range y {
		size[c]++
		for j, z := range Z.RawRowView(i) {
			M.Set(c, j, M.At(c, j)+z)
		}
	}
	for j := range 2 {
		mean := 0.
		for c := range K {
			M.Set(c, j, M.At(c, j)/max(size[c], 1))
			mean += M.At(c, j) / float64(K)
		}
		for c := range K {
			M.Set(c, j, M.At(c, j)-mean)
		}
	}
	return M
}

// Figure2 draws test digits of the eight most confusable classes in the plane that
// multiple discriminant analysis finds in the input, in L1 and KL codes, and in KL
// codes after back-propagation.
func (l *Lab) Figure2() *Figure2Result {
	trained := trainer{l}.largest()
	return (&figure2{l, trained, min(l.Pick(300, 2000, 10000), trained), &Figure2Result{}}).run()
}

func (t *figure2) run() *Figure2Result {
	t.out.Classes = t.confusable(8)
	add := func(name string, f *Features) { t.out.Planes = append(t.out.Planes, t.plane(name, f)) }
	add("PCA-whitened input", whiten(t.PCAFeatures()))
	add("L1", t.L1Features())
	add("KL", t.KLFeatures())
	add("KL after back-propagation", t.BackpropFeatures(t.trained, 0))

	first := t.out.Planes[0]
	for _, p := range t.out.Planes[1:] {
		mirror(p.Z, p.Y, first.Z, first.Y, len(t.out.Classes))
	}
	t.rows()
	t.plot()
	return t.out
}

func (t *figure2) rows() {
	d, p := t.Digits(), t.out.Planes
	how := fmt.Sprintf("classes %v; planes fitted on the first %d training digits, back-propagation on %d; shrinkage", t.out.Classes, t.n, t.trained)
	for i, x := range p {
		if i > 0 {
			how += ","
		}
		how += fmt.Sprintf(" %v", x.Shrinkage)
	}
	for i, claim := range []struct{ id, what, quote string }{
		{"l1-input", "ratio of L1 codes to whitened input", "The L1 coefficients tame the disorder of the input space so that clusters for each class are apparent, although noisy and overlapping"},
		{"kl-l1", "ratio of KL codes to L1 codes", "The switch to KL regularization makes these clusters more distinct"},
		{"backprop-kl", "ratio of KL codes after back-propagation to those before", "applying back-propagation further separates the clusters"},
	} {
		a, b := p[i], p[i+1]
		t.Claim(record.Row{ID: "figure2-error-" + claim.id, What: "share of test digits nearer to the mean of another class in the plane: " + claim.what,
			Published: record.Text(claim.quote, "section 6.2"), Measured: record.Number(b.Error/a.Error, ""), Rule: record.AtMost(0.99), Repeat: 0.01, Data: d.Data, Figure: "figure2",
			Reason: fmt.Sprintf("%s %.1f %%, %s %.1f %% (on training digits %.1f and %.1f %%); %s", a.Name, 100*a.Error, b.Name, 100*b.Error, 100*a.Training, 100*b.Training, how)})
		t.Claim(record.Row{ID: "figure2-scatter-" + claim.id, What: "between-class scatter / within-class scatter of test digits in the plane: " + claim.what,
			Measured: record.Number(b.Ratio/a.Ratio, ""), Rule: record.AtLeast(1.01), Repeat: 0.01, Data: d.Data, Figure: "figure2",
			Reason: fmt.Sprintf("%s %.2f, %s %.2f", a.Name, a.Ratio, b.Name, b.Ratio)})
	}
}

func (t *figure2) plot() {
	const most = 1200 // more points would only overlap
	shown, panels := min(most, len(t.out.Planes[0].Y)), make([]*figure.Figure, len(t.out.Planes))
	names := make([]string, len(t.out.Classes))
	for k, c := range t.out.Classes {
		names[k] = fmt.Sprint(c)
	}
	for i, p := range t.out.Planes {
		panels[i] = figure.Classes(p.Name, mat.Col(nil, 0, p.Z)[:shown], mat.Col(nil, 1, p.Z)[:shown], p.Y[:shown], names)
	}
	t.out.Grid = figure.NewGrid("Figure 2: the most discriminative plane", 2, panels...).Size(3.4, 3.2)
	t.Save("figure2", fmt.Sprintf("%d test digits of the eight most confusable classes. Each panel shows the plane fitted to the digits of these classes among the first %d training digits. A numeral marks the median of its class. Both axes have the same scale; signs are chosen to match the first panel. Data: %v.", shown, t.n, t.Digits().Data),
		t.out.Grid)
}
