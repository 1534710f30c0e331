package s3c2011

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/s3c/s3cplot"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/kernel-helpers/vision/visionplot"
	"overcomplete/paper/lab"
)

// A pipeline turns images into features, and trains support vector machines on the features (features.go,
// classifying.go).
type pipeline struct {
	learner
	held map[string]l2svm.Points // features that were requested; see Features
}

// A Setting is one setting of the run, next to the value in the published experiment.
type Setting struct {
	What      string
	Here      string
	Published string
}

// SettingsTable lists the settings of this run's size next to the published ones. The sizes differ only in the numbers
// of units, patches, images and the like.
func (l *Lab) SettingsTable() []Setting {
	s, full := l.Settings(), Settings{Units: 1600, Steps: 8620, Whiten: 2_000_000, Train: 50_000, Test: 10_000, Quantised: 400_000, Iterations: 50, Coded: 100_000, Alternation: 10}
	p := l.Photographs()
	number := func(what string, here, published int) Setting {
		return Setting{what, fmt.Sprint(here), fmt.Sprint(published)}
	}
	return []Setting{
		{"images", p.Data.Name, "CIFAR-10, 50000 images for training and 10000 for testing"},
		{"patches", fmt.Sprintf("%d×%d×3", side, side), "6×6×3"},
		number("patches for the whitening", s.Whiten, full.Whiten),
		number("hidden units of S3C, atoms of dictionaries", s.Units, full.Units),
		number("training steps of S3C, 100 patches each", s.Steps, full.Steps),
		{"updates of the E step", fmt.Sprint(len(s3c.DefaultSchedule().H)), "19"},
		number("patches for OMP-1 (soft threshold)", s.Quantised, full.Quantised),
		number("iterations of OMP-1", s.Iterations, full.Iterations),
		number("patches for sparse coding", s.Coded, full.Coded),
		number("alternations of sparse coding", s.Alternation, full.Alternation),
		{"pooling of S3C", "mean over 3×3 cells", "mean over 3×3 cells"},
		{"pooling of the other methods", "sum over 2×2 cells", "sum over 2×2 cells"},
		{"features per image, S3C", fmt.Sprint(9 * s.Units), "14400"},
		{"labels per class", fmt.Sprint(s.PerClass), fmt.Sprint(PerClass)},
		{"draws of labeled images", fmt.Sprint(s.Draws), "several"},
	}
}

// PatchSteps shows the steps that turn patches into the input of S3C: the unchanged patches, the patches with
// normalized contrast, and the whitened patches.
func (l *Lab) PatchSteps() *figure.Grid {
	const n, columns = 40, 8
	P, d := l.Patches(n), 3*side*side
	raw := make([]float32, n*d)
	lab.Check(P.Read(raw, 0, n))
	w := l.Whitening()
	White, err := vision.Matrix(w.Patches(P), 0, n)
	lab.Check(err)
	// The inverse of the ZCA times z, plus the mean, is the patch with normalized contrast.
	var Contrast mat.Dense
	Contrast.Mul(White, w.Inverse) // (n×D)(D×D), symmetric
	for i := range n {
		row := Contrast.RawRowView(i)
		for j := range row {
			row[j] += w.Mean[j]
		}
	}
	tiles := func(X mat.Matrix, title string) *figure.Figure {
		return s3cplot.Tiles(X, side, side, &s3cplot.TileOptions{Title: title, Columns: columns, Most: n, Color: true}, title)
	}
	g := figure.NewGrid("Preprocessing of the patches", 3,
		pixelTiles(raw, n, columns), tiles(&Contrast, "normalized contrast"), tiles(White, "whitened"))
	l.Save("patch-steps", fmt.Sprintf("%d random patches of %d×%d pixels: unchanged; minus their mean and divided by √(variance + %.3g); and then, minus the mean over all patches, multiplied by the ZCA matrix, with %.3g added to the eigenvalues. In the last two panels each patch is scaled to its own range, and gray is 0. Data: %v.",
		n, side, side, w.Offset, w.Epsilon, l.Photographs().Data), g)
	return g
}

// pixelTiles draws the first n patches of X as they are, without whitening or scaling, in rows of the given number of
// columns. The values of X are from 0 to 255.
func pixelTiles(X []float32, n, columns int) *figure.Figure {
	const zoom = 12
	rows := (n + columns - 1) / columns
	img := image.NewNRGBA(image.Rect(0, 0, (columns*(side+1)+1)*zoom, (rows*(side+1)+1)*zoom))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for k := range n {
		x := X[k*3*side*side:]
		at := func(plane, p int) uint8 { return uint8(x[plane*side*side+p]) }
		x0, y0 := (k%columns*(side+1)+1)*zoom, (k/columns*(side+1)+1)*zoom
		for p := range side * side {
			c := color.NRGBA{at(0, p), at(1, p), at(2, p), 255}
			for i := range zoom * zoom {
				img.SetNRGBA(x0+p%side*zoom+i%zoom, y0+p/side*zoom+i/zoom, c)
			}
		}
	}
	return pictureFigure("pixels", img)
}

// Pooling shows how the training image with the given number becomes features. For the units whose E_Q[h] varies most
// over the image, it shows E_Q[h] at every position, and its mean over each of 3×3 cells. It panics if there is no
// image with this number.
func (l *Lab) Pooling(number int) *figure.Grid {
	const shown = 4
	p, e := l.Photographs(), l.Encoder(S3C)
	if number < 0 || number >= p.Train.Len() {
		panic(fmt.Sprintf("s3c2011: Pooling: there is no image %d, only %d images", number, p.Train.Len()))
	}
	all := numbers(0, e.Channels())
	maps, err := vision.Maps(p.Train, number, l.Whitening(), e, all)
	lab.Check(err)
	spread := make([]float64, len(maps))
	for i, m := range maps {
		spread[i] = variance(m)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(spread[b], spread[a]) })
	g, err := visionplot.Pooling(p.Train, number, l.Whitening(), e, all[:min(shown, len(all))], l.extraction(S3C, ""))
	lab.Check(err)
	l.Save("pooling", fmt.Sprintf("Training image %d (%s): E_Q[h] of the %d of %d units that vary most over the image, at 27×27 positions of the 6×6 window, and the means over 3×3 cells. These means are %d of the image's %d features. Data: %v.",
		number, p.Classes[p.TrainLabels[number]], shown, len(maps), 9*shown, 9*len(maps), p.Data), g)
	return g
}

// numbers returns start, start+1, …, end−1.
func numbers(start, end int) (list []int) {
	for i := start; i < end; i++ {
		list = append(list, i)
	}
	return list
}

// variance returns the variance of a matrix's elements.
func variance(m *mat.Dense) float64 {
	r, c := m.Dims()
	mean := mat.Sum(m) / float64(r*c)
	var v float64
	for i := range r {
		for _, x := range m.RawRowView(i) {
			v += (x - mean) * (x - mean) / float64(r*c)
		}
	}
	return v
}
