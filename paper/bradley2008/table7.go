package bradley2008

import (
	"context"
	"fmt"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Table7 records for each cell of table 7 that its recordings are not public.
// GeneratedMusic follows the table's protocol with other sounds.
func (l *Lab) Table7() record.Table {
	var lines []string
	ids := make([][]string, len(MusicSizes))
	for k, n := range MusicSizes {
		lines = append(lines, fmt.Sprint(n))
		for _, c := range []struct {
			id, name  string
			published [3]float64
		}{{"pca", "PCA", table7.PCA}, {"l1", "L1", table7.L1}, {"kl", "KL", table7.KL}} {
			id := fmt.Sprintf("table7-%s-%d", c.id, n)
			ids[k] = append(ids[k], id)
			l.Row(record.Row{ID: id, What: fmt.Sprintf("accuracy on 7 genres of music: %s, %d training snippets", c.name, n),
				Published: table(c.published[k], "%", fmt.Sprintf("table 7, %s, row %d", c.name, n)), Rule: record.NoData("the recordings are not public")})
		}
	}
	l.Sheet("table7", record.Lay("Table 7: genres of music, accuracy in per cent", "training snippets", []string{"PCA", "L1", "KL"}, lines, ids, l.Rows()))
	return l.tabulate("Table 7: genres of music", "table7-")
}

// GeneratedMusicResult is the result of GeneratedMusic.
type GeneratedMusicResult struct {
	Sizes                []int
	PCA, L1, L1Parts, KL []Accuracy
	Settings             Settings
	record.Table
}

// GeneratedMusic follows the protocol of appendix E with generated music, in rows
// of our own. Its measurements say nothing about the numbers of table 7.
func (l *Lab) GeneratedMusic() *GeneratedMusicResult {
	d := l.MusicData()
	B := l.musicBasis(d)
	s, _ := l.musicSearch(d, B)
	t := &GeneratedMusicResult{Sizes: MusicSizes[:l.Pick(1, 2, 3)], Settings: s}
	codes := map[string]*Features{} // computed on demand
	features := func(name string) *Features {
		if f, ok := codes[name]; ok {
			return f
		}
		f := &Features{Name: name, Train: d.Train.X, Test: d.Test.X}
		switch name {
		case "l1":
			f.Train, f.Test = CodeL1(l.Context(), B, d.Train.X, s.L1Lambda), CodeL1(l.Context(), B, d.Test.X, s.L1Lambda)
		case "l1-parts":
			a, b := CodeL1(l.Context(), B, d.Train.X, s.L1Lambda), CodeL1(l.Context(), B, d.Test.X, s.L1Lambda)
			f.Train, f.Test = PartsOf(a), PartsOf(b)
		case "kl":
			f.Train, f.Test = CodeKL(l.Context(), B, d.Train.X, s.KLLambda, s.P), CodeKL(l.Context(), B, d.Test.X, s.KLLambda, s.P)
		}
		codes[name] = f
		return f
	}
	for _, n := range t.Sizes {
		for _, c := range []struct {
			name string
			to   *[]Accuracy
		}{{"pca", &t.PCA}, {"l1", &t.L1}, {"l1-parts", &t.L1Parts}, {"kl", &t.KL}} {
			*c.to = append(*c.to, averageAccuracy(l.musicDraws(n), func(r int) []float64 {
				return l.store.Numbers(l.musicKey(c.name, s, n, r), func() []float64 {
					a, alpha := genreAccuracy(l.Context(), d, features(c.name), between(r*n, (r+1)*n))
					l.say("music: %s, %d snippets, draw %d: accuracy %.2f %%, alpha %v", c.name, n, r, a, alpha)
					return []float64{a, alpha}
				})
			}))
		}
	}
	l.musicRows(t, d)
	l.musicFigure(t, d)
	t.Table = l.tabulate("The protocol of table 7 on generated music", "music-")
	return t
}

// musicDraws returns the number of training sets of a size.
func (l *Lab) musicDraws(n int) int {
	switch {
	case n <= 200:
		return l.Pick(1, 3, 5)
	case n <= 2000:
		return l.Pick(1, 2, 5)
	}
	return 1
}

// genreAccuracy trains a maxent classifier on the given training snippets and tests it on snippets
// of other clips, in percent. The penalty is chosen on the held-out clips, because snippets of one
// clip are similar.
func genreAccuracy(ctx context.Context, d *MusicData, f *Features, numbers []int) (accuracy, alpha float64) {
	train, _ := d.Train.cut(numbers, len(numbers), 0)
	_, held := d.Train.cut(between(0, len(d.Train.Y)), 0, 2000)
	y := func(of []int) []int { return classify.Labels(d.Train.Y, of) }
	alpha, _, start := chooseAlpha(ctx, columns(f.Train, train), y(train), columns(f.Train, held), y(held), musicClasses)
	m, err := classify.FitMaxent(ctx, columns(f.Train, numbers).T(), y(numbers), &classify.MaxentOptions{Alpha: alpha, Classes: musicClasses, Tolerance: 1e-5, MaxIterations: 400, Start: start})
	lab.Check(ended.Accept(err))
	return 100 * classify.Accuracy(m.Predict(f.Test.T()), d.Test.Y), alpha
}

func (l *Lab) musicRows(t *GeneratedMusicResult, d *MusicData) {
	how := fmt.Sprintf("n = %d, L1 λ = %v, KL λ = %v, p = %v; %d axes of the unlabelled genres' spectra, %.1f %% of their variance; chance is %.1f %%",
		t.Settings.Atoms, t.Settings.L1Lambda, t.Settings.KLLambda, t.Settings.P, musicDimensions, 100*d.Explained, 100./musicClasses)
	for k, n := range t.Sizes {
		for _, c := range []struct {
			id, what string
			a        []Accuracy
		}{{"pca", "PCA", t.PCA}, {"l1", "L1 codes", t.L1}, {"l1-parts", "L1 codes on [−B B]", t.L1Parts}, {"kl", "KL codes", t.KL}} {
			a := c.a[k]
			row := record.Row{ID: fmt.Sprintf("music-%s-%d", c.id, n), What: fmt.Sprintf("accuracy on 7 genres of GENERATED music: %s, %d training snippets", c.what, n),
				// Above chance, and not so easy that nothing can be distinguished.
				Measured: record.Number(a.Test, "%"), Rule: record.Between(20, 85), Repeat: 1, Data: d.Data, Figure: "music-accuracy", Reason: how}
			if a.Draws > 1 {
				row.Spread, row.SpreadOf = a.Spread, fmt.Sprintf("standard deviation over %d training sets", a.Draws)
			}
			l.Row(row)
		}
		l.Row(record.Row{ID: fmt.Sprintf("music-order-%d", n), What: fmt.Sprintf("GENERATED music: KL codes are better than L1 codes on the same basis, %d training snippets", n),
			Measured: record.Bool(t.KL[k].Test > t.L1[k].Test, fmt.Sprintf("KL %.1f, L1 %.1f, L1 on [−B B] %.1f, PCA %.1f", t.KL[k].Test, t.L1[k].Test, t.L1Parts[k].Test, t.PCA[k].Test)),
			Rule:     record.Holds(), Data: d.Data, Figure: "music-accuracy",
			Reason: fmt.Sprintf("standard deviations over %d training sets: KL %.1f, L1 %.1f", t.KL[k].Draws, t.KL[k].Spread, t.L1[k].Spread)})
	}
}

func (l *Lab) musicFigure(t *GeneratedMusicResult, d *MusicData) {
	x := make([]float64, len(t.Sizes))
	for i, n := range t.Sizes {
		x[i] = float64(n)
	}
	f := figure.New("Genres of generated music", "training snippets", "accuracy, %").LogX()
	for i, s := range []struct {
		name string
		a    []Accuracy
	}{{"L1", t.L1}, {"KL", t.KL}, {"L1 on [−B B]", t.L1Parts}, {"PCA", t.PCA}} {
		y, e := make([]float64, len(x)), make([]float64, len(x))
		for k, a := range s.a {
			y[k], e[k] = a.Test, a.Spread
		}
		f.Use([]int{figure.Blue, figure.Vermilion, figure.Sky, figure.Gray}[i]).ErrorBars(s.name, x, y, e)
		f.Use([]int{figure.Blue, figure.Vermilion, figure.Sky, figure.Gray}[i]).Scatter("", x, y)
	}
	f.Use(figure.Black).HLine("chance", 100./musicClasses)
	l.Save("music-accuracy", fmt.Sprintf("The protocol of table 7 on generated music: the paper's recordings are not public, and its numbers are not comparable. Bars: standard deviation over training sets. Data: %v.", d.Data),
		f)
	l.Rounded("music-accuracy")
}
