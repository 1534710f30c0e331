package bradley2008

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Table7 adds a row for each cell of table 7. The rows say that the paper's recordings are not public. GeneratedMusic
// follows the table's protocol with other sounds.
func (l *Lab) Table7() record.Table {
	var lines []string
	ids := make([][]string, len(MusicSizes))
	for k, n := range MusicSizes {
		lines = append(lines, fmt.Sprint(n))
		for _, c := range []struct {
			id, name  string
			published [3]float64
		}{{"pca", "PCA", published7.PCA}, {"l1", "L1", published7.L1}, {"kl", "KL", published7.KL}} {
			id := fmt.Sprintf("table7-%s-%d", c.id, n)
			ids[k] = append(ids[k], id)
			l.Row(record.Row{ID: id, What: fmt.Sprintf("accuracy on 7 genres of music: %s, %d training snippets", c.name, n),
				Published: table(c.published[k], "%", fmt.Sprintf("table 7, %s, row %d", c.name, n)), Rule: record.NoData("the recordings are not public")})
		}
	}
	l.Sheet("table7", record.Lay("Table 7: accuracy on genres of music (%)", "training snippets", []string{"PCA", "L1", "KL"}, lines, ids, l.Rows()))
	return l.tabulate("Table 7: genres of music", "table7-")
}

// GeneratedMusicResult holds the rows of GeneratedMusic as a table. It also holds the accuracies: a list for each kind
// of features, with one element for each of Sizes.
type GeneratedMusicResult struct {
	Sizes                []int
	PCA, L1, L1Parts, KL []Accuracy
	Settings             Settings
	record.Table
}

// GeneratedMusic follows the protocol of appendix E with generated music. It adds rows of its own, which say nothing
// about the numbers of table 7.
func (l *Lab) GeneratedMusic() *GeneratedMusicResult {
	return (&generatedMusic{music: newMusic(l), codes: map[string]*Features{}}).run()
}

// A generatedMusic measures what GeneratedMusic returns.
type generatedMusic struct {
	*music
	B     *mat.Dense
	out   *GeneratedMusicResult
	codes map[string]*Features // computed on demand
}

func (t *generatedMusic) run() *GeneratedMusicResult {
	t.B = t.basis()
	s, _ := t.search(t.B)
	t.out = &GeneratedMusicResult{Sizes: MusicSizes[:t.Pick(1, 2, 3)], Settings: s}
	for _, n := range t.out.Sizes {
		for _, c := range []struct {
			name string
			to   *[]Accuracy
		}{{"pca", &t.out.PCA}, {"l1", &t.out.L1}, {"l1-parts", &t.out.L1Parts}, {"kl", &t.out.KL}} {
			*c.to = append(*c.to, averageAccuracy(t.draws(n), func(r int) []float64 {
				return t.store.Numbers(t.keys().music(c.name, s, n, r), func() []float64 {
					a, alpha := genreAccuracy(t.Context(), t.d, t.features(c.name), ints(r*n, (r+1)*n))
					t.say("music: %s, %d snippets, draw %d: accuracy %.2f %%, alpha %v", c.name, n, r, a, alpha)
					return []float64{a, alpha}
				})
			}))
		}
	}
	t.rows()
	t.plot()
	t.out.Table = t.tabulate("The protocol of table 7 on generated music", "music-")
	return t.out
}

func (t *generatedMusic) features(name string) *Features {
	s := t.out.Settings
	code := func(X *mat.Dense) *mat.Dense {
		switch name {
		case "l1":
			return CodeL1(t.Context(), t.B, X, s.L1Lambda)
		case "l1-parts":
			return PartsOf(CodeL1(t.Context(), t.B, X, s.L1Lambda))
		case "kl":
			return CodeKL(t.Context(), t.B, X, s.KLLambda, s.P)
		}
		return X // PCA
	}
	if t.codes[name] == nil {
		t.codes[name] = &Features{Name: name, Train: code(t.d.Train.X), Test: code(t.d.Test.X)}
	}
	return t.codes[name]
}

// draws returns the number of training sets of n snippets.
func (t *generatedMusic) draws(n int) int {
	switch {
	case n <= 200:
		return t.Pick(1, 3, 5)
	case n <= 2000:
		return t.Pick(1, 2, 5)
	}
	return 1
}

// genreAccuracy trains a maxent classifier on the training snippets with the given indices. It returns the accuracy on
// the test snippets, in percent, and the penalty alpha. The penalty is chosen on the held-out clips, because snippets
// of one clip are similar.
func genreAccuracy(ctx context.Context, d *MusicData, f *Features, numbers []int) (accuracy, alpha float64) {
	train, _ := d.Train.cut(numbers, len(numbers), 0)
	_, held := d.Train.cut(ints(0, len(d.Train.Y)), 0, 2000)
	y := func(of []int) []int { return classify.Labels(d.Train.Y, of) }
	alpha, _, start := chooseAlpha(ctx, columns(f.Train, train), y(train), columns(f.Train, held), y(held), musicClasses)
	m, err := classify.FitMaxent(ctx, columns(f.Train, numbers).T(), y(numbers), &classify.MaxentOptions{Alpha: alpha, Classes: musicClasses, Tolerance: 1e-5, MaxIterations: 400, Start: start})
	lab.Check(ended.Accept(err))
	return 100 * classify.Accuracy(m.Predict(f.Test.T()), d.Test.Y), alpha
}

func (t *generatedMusic) rows() {
	how := fmt.Sprintf("n = %d, L1 λ = %v, KL λ = %v, p = %v; %d PCA axes of the unlabeled genres' spectra, which explain %.1f %% of their variance; chance is %.1f %%",
		t.out.Settings.Atoms, t.out.Settings.L1Lambda, t.out.Settings.KLLambda, t.out.Settings.P, musicDimensions, 100*t.d.Explained, 100./musicClasses)
	for k, n := range t.out.Sizes {
		for _, c := range []struct {
			id, what string
			a        []Accuracy
		}{{"pca", "PCA", t.out.PCA}, {"l1", "L1 codes", t.out.L1}, {"l1-parts", "L1 codes on [−B B]", t.out.L1Parts}, {"kl", "KL codes", t.out.KL}} {
			a := c.a[k]
			row := record.Row{ID: fmt.Sprintf("music-%s-%d", c.id, n), What: fmt.Sprintf("accuracy on 7 genres of GENERATED music: %s, %d training snippets", c.what, n),
				Measured: record.Number(a.Test, "%"), Rule: record.AtLeast(t.aboveChance()), Repeat: 1, Data: t.d.Data, Figure: "music-accuracy", Reason: how}
			if a.Draws > 1 {
				row.Spread, row.SpreadOf = a.Spread, fmt.Sprintf("standard deviation over %d training sets", a.Draws)
			}
			t.Row(row)
		}
		t.Row(record.Row{ID: fmt.Sprintf("music-order-%d", n), What: fmt.Sprintf("GENERATED music: KL codes are better than L1 codes on the same basis, %d training snippets", n),
			Measured: record.Bool(t.out.KL[k].Test > t.out.L1[k].Test, fmt.Sprintf("KL %.1f, L1 %.1f, L1 on [−B B] %.1f, PCA %.1f", t.out.KL[k].Test, t.out.L1[k].Test, t.out.L1Parts[k].Test, t.out.PCA[k].Test)),
			Rule:     record.Holds(), Data: t.d.Data, Figure: "music-accuracy",
			Reason: fmt.Sprintf("standard deviations over %d training sets: KL %.1f, L1 %.1f", t.out.KL[k].Draws, t.out.KL[k].Spread, t.out.L1[k].Spread)})
	}
}

// aboveChance returns an accuracy, in percent, that guessing exceeds with a probability of 0.001: chance plus three
// standard errors. Snippets of one clip are alike, so the standard error is computed from the number of test clips.
func (t *generatedMusic) aboveChance() float64 {
	p := 1. / musicClasses
	return math.Round(10*100*(p+3*math.Sqrt(p*(1-p)/float64((musicClips-musicTraining)*musicClasses)))) / 10
}

func (t *generatedMusic) plot() {
	x := toFloats(t.out.Sizes)
	f := figure.New("Genres of generated music", "training snippets", "accuracy, %").LogX()
	for i, s := range []struct {
		name string
		a    []Accuracy
	}{{"L1", t.out.L1}, {"KL", t.out.KL}, {"L1 on [−B B]", t.out.L1Parts}, {"PCA", t.out.PCA}} {
		y, e := make([]float64, len(x)), make([]float64, len(x))
		for k, a := range s.a {
			y[k], e[k] = a.Test, a.Spread
		}
		f.Use([]int{figure.Blue, figure.Vermilion, figure.Sky, figure.Gray}[i]).ErrorBars(s.name, x, y, e)
		f.Use([]int{figure.Blue, figure.Vermilion, figure.Sky, figure.Gray}[i]).Scatter("", x, y)
	}
	f.Use(figure.Black).HLine("chance", 100./musicClasses)
	t.Save("music-accuracy", fmt.Sprintf("The protocol of table 7 on generated music. The paper's recordings are not public, so its numbers are not comparable. Bars: standard deviation over training sets. Data: %v.", t.d.Data),
		f)
	t.Rounded("music-accuracy")
}
