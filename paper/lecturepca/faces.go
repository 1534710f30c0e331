package lecturepca

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
	"overcomplete/ui/slider"
)

// kept is how many axes of the faces the lecture keeps.
const kept = 100

// FaceGallery shows some of the faces.
func (l *Lab) FaceGallery() *figure.Figure {
	s := l.faceSet()
	f := gallery.Tiles(fmt.Sprintf("%s: 30 of %d", capitalize(s.Name), s.X.RawMatrix().Rows), lab.First(s.X, 30), Side, Side, 10)
	l.Save("faces", fmt.Sprintf("Each face is a point in %d dimensions, one per pixel. Data: %v.", Side*Side, s.Data), f)
	return f
}

func capitalize(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// Eigenfaces shows the first axes as pictures.
func (l *Lab) Eigenfaces() *figure.Figure {
	s, m := l.faceSet(), l.Model()
	axes := m.Images()
	var rows []float64
	var labels []string
	for _, from := range []int{0, 10, 20, 30, 100, 500} {
		for i := from; i < min(from+10, m.K()); i++ {
			rows = append(rows, axes.RawRowView(i)...)
			labels = append(labels, "")
			if i == from {
				labels[len(labels)-1] = fmt.Sprintf("from %d", from+1)
			}
		}
	}
	f := gallery.Figure(mat.NewDense(len(labels), Side*Side, rows), Side, Side, &gallery.Options{Title: "Eigenfaces, early and late", Columns: 10, Grays: gallery.PerTileSigned, Labels: labels})
	l.Save("eigenfaces", fmt.Sprintf("Each axis has its own gray scale: mid-gray is 0, and black and white are the two signs. An axis and its negative are equivalent. The label of a row gives its first axis. Data: %v.", s.Data), f)
	return f
}

// The numbers of axes that the figures and the slider show.
var steps = []int{0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1024}

// reconstruct returns n faces from their first k scores.
func (l *Lab) reconstruct(n, k int) *mat.Dense {
	return l.Model().Project(lab.First(l.faceSet().X, n), k)
}

// Reconstructions shows faces and their reconstructions from k axes.
func (l *Lab) Reconstructions() *figure.Figure {
	s, m := l.faceSet(), l.Model()
	const n = 10
	var rows []float64
	var labels []string
	add := func(X *mat.Dense, label string) {
		for i := range n {
			rows = append(rows, X.RawRowView(i)...)
			if i == 0 {
				labels = append(labels, label)
			} else {
				labels = append(labels, "")
			}
		}
	}
	add(lab.First(s.X, n), "original")
	for _, k := range []int{300, kept, 30, 10, 1} {
		if k <= m.K() {
			add(l.reconstruct(n, k), fmt.Sprintf("k = %d", k))
		}
	}
	lo, hi := span(s.X)
	f := gallery.Figure(mat.NewDense(len(rows)/(Side*Side), Side*Side, rows), Side, Side, &gallery.Options{
		Title: "Original and reconstructed faces", Columns: n, Grays: gallery.Range, Lo: lo, Hi: hi, Labels: labels})
	l.Save("reconstructions", fmt.Sprintf("Each face is reconstructed from k numbers instead of %d. These faces are among those from which the axes were computed. Data: %v.", Side*Side, s.Data), f)
	return f
}

// span returns the range of the elements in the first 100 rows of X. It leaves out half a percent of the elements at
// each end, so that one bright pixel does not darken all faces.
func span(X *mat.Dense) (lo, hi float64) {
	v := slices.Clone(lab.First(X, 100).RawMatrix().Data)
	slices.Sort(v)
	return v[len(v)/200], v[len(v)-1-len(v)/200]
}

// Slider shows eight faces and their reconstructions from k axes, with a slider for k.
func (l *Lab) Slider() *slider.Slider {
	s, m := l.faceSet(), l.Model()
	const n = 8
	lo, hi := span(s.X)
	var frames []image.Image
	var labels []string
	start := 0
	for _, k := range steps {
		if k > m.K() {
			break
		}
		back := l.reconstruct(n, k)
		both := mat.NewDense(2*n, Side*Side, nil)
		for i := range n {
			both.SetRow(i, s.X.RawRowView(i))
			both.SetRow(n+i, back.RawRowView(i))
		}
		frames = append(frames, gallery.Image(both, Side, Side, &gallery.Options{Columns: n, Grays: gallery.Range, Lo: lo, Hi: hi}))
		labels = append(labels, fmt.Sprintf("k = %d, %.1f %% of the variance", k, 100*m.Explained(k)))
		if k <= 12 {
			start = len(frames) - 1
		}
	}
	return slider.New("Faces (above) and their reconstruction from k axes (below)", labels, frames).At(start).Scale(3).
		Note(fmt.Sprintf("Data: %v. Made by %s.", s.Data, record.Maker()))
}

// Shares draws the eigenvalues, and the share of the variance and the loss as functions of k, for each set of faces.
// It also adds the result rows about them.
func (l *Lab) Shares() *figure.Grid {
	gen := l.generatedSet()
	m := l.Model()
	if l.faceSet().Name != gen.Name {
		m = fit(l.Context(), gen.X, nil)
	}
	type set struct {
		id string
		s  *FaceData
		m  *pca.Model
	}
	sets := []set{{"generated", gen, m}}
	if o, err := olivettiFaces(); err == nil {
		sets = append(sets, set{"olivetti", o, fit(l.Context(), o.X, nil)})
	} else {
		l.Row(record.Row{ID: "share-100-olivetti", What: "Olivetti faces: share of the variance explained by 100 axes (1024 dimensions)",
			Rule: absentRule(err, getOlivetti), Data: record.Real("Olivetti faces")})
	}
	for _, s := range sets {
		l.Row(record.Row{
			ID: "share-100-" + s.id, What: fmt.Sprintf("%s: share of the variance explained by 100 axes (1024 dimensions)", s.s.Name),
			Measured: record.Number(100*s.m.Explained(min(kept, s.m.K())), "%"), Rule: record.AtLeast(90), Data: s.s.Data, Figure: "shares", Repeat: 1e-3,
			Reason: "not the lecture's faces",
		})
	}
	claim := slides.Quote("we can go down to ~100 from the \"ambient\" 1024 dimensions", "5000 faces")
	what := "the lecture's faces: share of the variance explained by 100 axes (1024 dimensions)"
	if c, err := courseFaces(); err == nil {
		l.Row(record.Row{ID: "share-100-lecture", What: what, Published: claim,
			Measured: record.Number(100*l.Model().Explained(kept), "%"), Rule: record.AtLeast(90), Data: c.Data, Figure: "shares", Repeat: 1e-3})
		sets = append(sets, set{"lecture", c, l.Model()})
	} else {
		l.Row(record.Row{ID: "share-100-lecture", What: what, Published: claim, Rule: absentRule(err, getCourse),
			Data: record.Real("5,000 faces of 32 × 32 of the machine-learning course")})
	}
	l.shareRows(gen, m)

	scree := figure.New("Eigenvalues, % of their sum", "axis", "%")
	share := figure.New("Cumulative share, %", "k", "%")
	loss := figure.New("Reconstruction loss, %", "k", "%")
	for _, s := range sets {
		var ax, ay, kx, ky, ly []float64
		for i, r := range s.m.ExplainedRatio() {
			if r > 1e-7 {
				ax, ay = append(ax, float64(i+1)), append(ay, 100*r)
			}
		}
		sum := 0.0
		for k := 0; k <= s.m.K(); k++ {
			kx, ky = append(kx, float64(k)), append(ky, 100*sum)
			ly = append(ly, 100*s.m.DiscardedLoss(k)/math.Sqrt(s.m.Total))
			if k < s.m.K() {
				sum += s.m.ExplainedRatio()[k]
			}
		}
		scree.Lines(s.s.Name, ax, ay)
		share.Lines(s.s.Name, kx, ky)
		loss.Lines(s.s.Name, kx, ly)
	}
	decades(scree.LogX())
	for _, f := range []*figure.Figure{share, loss} {
		f.Range(0, 300, 0, 101)
	}
	g := figure.NewGrid("How many axes?", 3, scree, share, loss).Size(2.8, 2.6)
	l.Save("shares", "Left: eigenvalues divided by their sum. Middle: share of the variance explained by the first k axes. Right: Frobenius norm of the residual as a fraction of that of the centered data; if 5 % of the variance is lost, the loss is √0.05 = 22 %. Compare only the shapes of the curves: the sets differ in size and in how the faces were taken.", g)
	return g
}

// shareRows adds rows about shares of variance, eigenvalues and reconstruction loss on one set of faces. For example,
// one row checks that the share of the variance and the squared relative loss sum to 1.
func (l *Lab) shareRows(s *FaceData, m *pca.Model) {
	sum := 0.0
	for _, r := range m.ExplainedRatio() {
		sum += r
	}
	heading := "PCA: % variance explained to help pick hyper-parameter, k"
	l.Row(record.Row{
		ID: "share-sums-to-1", What: "sum of all shares (eigenvalues divided by their sum)",
		Published: slides.Quote("If you normalize the eigenvalues in D by their sum, then they correspond to % variance explained.", heading),
		Measured:  record.Bool(math.Abs(sum-1) < 1e-10, fmt.Sprintf("differs from 1 by %.1g", math.Abs(sum-1))), Rule: record.Holds(), Data: s.Data, Figure: "shares",
	})
	worst, along := 0.0, 0.0
	Z := m.Scores(s.X)
	n, _ := Z.Dims()
	for i := range min(50, m.K()) {
		v := 0.0
		for r := range n {
			v += Z.At(r, i) * Z.At(r, i)
		}
		along = math.Max(along, math.Abs(v-m.Eigenvalues[i])/m.Eigenvalues[0])
	}
	for _, k := range []int{1, 10, kept} {
		if k > m.K() {
			continue
		}
		e := m.Loss(s.X, k)
		worst = math.Max(worst, math.Abs(e*e/m.Total+m.Explained(k)-1))
	}
	l.Row(record.Row{
		ID: "loss-and-variance", What: "for k = 1, 10, 100: loss² / ‖X̄‖² and the explained share of the variance sum to 1",
		Published: slides.Quote("reconstruction loss and % variance", "PCA: reconstruction loss and % variance"),
		Measured:  record.Bool(worst < 1e-10, fmt.Sprintf("the sum differs from 1 by at most %.1g", worst)), Rule: record.Holds(), Data: s.Data, Figure: "shares",
	})
	l.Row(record.Row{
		ID: "eigenvalue-is-variance", What: "the sum of squared scores on each of the first 50 axes equals its eigenvalue",
		Published: slides.Quote("projection variance Var(λ)", "PCA: reconstruction loss and % variance"),
		Measured:  record.Bool(along < 1e-12, fmt.Sprintf("they differ by at most %.1g of λ₁", along)), Rule: record.Holds(), Data: s.Data,
	})
	lowest := leastEigenvalue(s.X, m.Total)
	l.Row(record.Row{
		ID: "eigenvalues-psd", What: "no eigenvalue of the covariance is negative, up to rounding: smallest eigenvalue as a fraction of their sum",
		Published: slides.Quote("all λi ≥ 0 because covariance is PSD", "PCA overview"),
		Measured:  record.Bool(lowest > -1e-13, fmt.Sprintf("%.1g", lowest)),
		Rule:      record.Holds(), Data: s.Data,
	})
	monotone := true
	for k := 1; k <= m.K(); k++ {
		monotone = monotone && m.DiscardedLoss(k) <= m.DiscardedLoss(k-1)
	}
	l.Row(record.Row{
		ID: "loss-falls", What: "the loss never increases with k, and is zero when all axes are kept",
		Published: slides.Quote("The larger the reconstruction loss, the more information we have lost.", "Final, dimensionality-reduced data"),
		Measured:  record.Bool(monotone && m.Loss(s.X, m.K()) < 1e-6*math.Sqrt(m.Total), fmt.Sprintf("a loss of %.1g of ‖X̄‖ with all %d axes", m.Loss(s.X, m.K())/math.Sqrt(m.Total), m.K())),
		Rule:      record.Holds(), Data: s.Data, Figure: "shares",
	})
	if k, err := m.Choose(0.95); err == nil {
		l.Row(record.Row{
			ID: "share-95", What: "number of axes needed for 95 % of the variance", Measured: record.Number(float64(k), ""),
			Rule: record.AtMost(200), Data: s.Data, Figure: "shares", Repeat: 1,
		})
	}
	// Test on new faces, which were not used for the axes.
	half := n / 2
	X := s.X
	half1, half2 := X.Slice(0, half, 0, Side*Side), X.Slice(half, n, 0, Side*Side)
	h := fit(l.Context(), half1, &pca.Options{Components: min(kept, half-1)})
	r, _ := half2.Dims()
	Zero := h.Loss(half2, 0)
	newLoss := h.Loss(half2, h.K())
	l.Row(record.Row{
		ID: "share-new-faces", What: fmt.Sprintf("held-out faces: share of the variance explained by %d axes", h.K()),
		Measured: record.Number(100*(1-newLoss*newLoss/(Zero*Zero)), "%"), Rule: record.AtLeast(75),
		Data: s.Data, Repeat: 1e-2, Reason: fmt.Sprintf("axes computed from %d faces, tested on the other %d", half, r),
	})
}

// leastEigenvalue returns the smallest eigenvalue of X̄ᵀX̄ that the solver finds, as a fraction of the total.
func leastEigenvalue(X *mat.Dense, total float64) float64 {
	S, err := pca.Scatter(X)
	lab.Check(err)
	v, err := pca.Eigenvalues(S)
	lab.Check(err)
	return v[len(v)-1] / total
}
