package bradley2008

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/letters"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Characters are the letters of R. Kassel and B. Taskar, to which the basis of the digits is transferred (section
// 6.3.2). They are split at random, because the paper does not say how it splits them. Train is in random order.
type Characters struct {
	Train, Validation, Test CharacterPart
	Classes                 int
	Data                    record.Data
	Kept                    float64 // share of the energy of x that the digits' axes keep
}

// A CharacterPart is a set of characters in two forms: after the digits' PCA, and as pictures.
type CharacterPart struct {
	Part
	Pixels *mat.Dense // 784×N, 0 to 1
	Small  *mat.Dense // 128×N, the letters before they were scaled; nil for generated ones
	Fold   []int      // N: the fold of the letter's word, 0 to 9; nil for generated ones
}

// letterBox is the side in pixels of the square to which a letter is scaled, in the middle of 28×28 pixels. MNIST
// scales its digits to the same square. The paper does not state this size. The digits' axes keep 96.3 % of the energy
// of letters in a box of 20, as large a share as for digits. They keep 90.5 % in a box of 28, where letters reach
// beyond the ink of any digit.
const letterBox = 20

// Enlarge turns letters (128×N, each of 16×8 pixels row by row) into pictures (784×N). First it pads each letter to
// 16×16 pixels, to keep its shape. Then it scales the letter to box×box pixels by bilinear interpolation, and puts it
// into the middle of 28×28 pixels.
func Enlarge(P mat.Matrix, box int) *mat.Dense {
	const h, w = letters.Height, letters.Width
	if r, _ := P.Dims(); r != h*w || box < 1 || box > Side {
		panic(fmt.Sprintf("bradley2008: Enlarge: letters of %d pixels into a box of %d", r, box))
	}
	M := mat.NewDense(Side*Side, h*w, nil) // the map is linear, and the same for all letters
	first := (Side - box) / 2
	// at returns the two pixels of the padded letter next to a pixel of the box, and the weight of the second.
	at := func(i int) (int, float64) {
		x := (float64(i)+0.5)*h/float64(box) - 0.5
		f := math.Floor(x)
		return int(f), x - f
	}
	for i := range box {
		y, v := at(i)
		for j := range box {
			x, u := at(j)
			x -= (h - w) / 2 // remove the padding
			row := M.RawRowView((first+i)*Side + first + j)
			for _, c := range [4]struct {
				y, x   int
				weight float64
			}{{y, x, (1 - v) * (1 - u)}, {y, x + 1, (1 - v) * u}, {y + 1, x, v * (1 - u)}, {y + 1, x + 1, v * u}} {
				if c.y >= 0 && c.y < h && c.x >= 0 && c.x < w {
					row[c.y*w+c.x] += c.weight
				}
			}
		}
	}
	var out mat.Dense
	out.Mul(M, P) // 784×128 · 128×N
	return &out
}

// A letterReader reads the characters of a run, and splits them.
type letterReader struct{ *Lab }

// counts returns the sizes of the training, validation and test parts. The training part must be large enough for all
// draws of training characters: see table5.draws.
func (r letterReader) counts() [3]int {
	return [3]int{r.Pick(100, 500, 20000), r.Pick(100, 300, 5000), r.Pick(200, 1000, 10000)}
}

// Characters returns the letters of this run. At full size it panics if the letters or MNIST are missing. At lecture
// size, if they are missing, it makes a stand-in: generated digits whose shapes vary more than those of the digits
// that the basis was learned from. At smoke size it always makes the stand-in.
func (l *Lab) Characters() *Characters { return letterReader{l}.read() }

func (r letterReader) read() *Characters {
	n := r.counts()
	if r.Pick(0, 1, 1) == 1 && !r.Digits().Data.Generated {
		all, err := letters.Load()
		if err == nil {
			return r.cut(all, n)
		}
		if !errors.Is(err, data.ErrAbsent) || r.Full() {
			panic(err)
		}
	}
	c := &Characters{Classes: 10, Data: record.Generated("digits with larger variation, in place of letters")}
	s, err := synth.Digits(r.Context(), synth.DigitsOptions{N: n[0] + n[1] + n[2], Variation: 1.6, Seed: r.Seed + 1})
	lab.Check(err)
	from := 0
	for i, p := range []*CharacterPart{&c.Train, &c.Validation, &c.Test} {
		p.Pixels = mat.DenseCopyOf(s.Images.Slice(from, from+n[i], 0, Side*Side).T())
		p.Y = s.Labels[from : from+n[i]]
		from += n[i]
	}
	r.project(c)
	return c
}

// cut splits the letters at random. The seed is the constant splitSeed, not the run's seed. The letters are first
// split into three parts, which are the same at all sizes. Smaller sizes use the beginning of each part. So no size
// trains on the test letters of the full size.
func (r letterReader) cut(all *letters.Letters, n [3]int) *Characters {
	P, y := all.Pixels(), all.Labels()
	fold := make([]int, 0, len(y))
	for _, w := range all.Words {
		for range w.Letters {
			fold = append(fold, w.Fold)
		}
	}
	order := rand.New(rand.NewPCG(splitSeed, 2)).Perm(len(y))
	test, validation, train := order[:10000], order[10000:15000], order[15000:]
	c := &Characters{Classes: 26, Data: record.Real("letters")}
	for i, p := range [3]struct {
		part *CharacterPart
		of   []int
	}{{&c.Train, train}, {&c.Validation, validation}, {&c.Test, test}} {
		of := p.of[:n[i]]
		p.part.Small = mat.DenseCopyOf(classify.Rows(P, of).T())
		p.part.Pixels = Enlarge(p.part.Small, letterBox)
		p.part.Y = classify.Labels(y, of)
		p.part.Fold = classify.Labels(fold, of)
	}
	r.project(c)
	return c
}

// project computes X in each part of c, by projecting the pictures on the PCA axes of the digits. It also sets c.Kept.
func (r letterReader) project(c *Characters) {
	d := r.Digits()
	for _, p := range []*CharacterPart{&c.Train, &c.Validation, &c.Test} {
		p.X = d.Project(p.Pixels.T())
	}
	c.Kept = keptShare(d, c.Test.Pixels, c.Test.X)
}

// keptShare returns the share of the pictures' energy that the digits' axes Q keep: Σ‖Q'(x − mean)‖² / Σ‖x − mean‖²,
// summed over the pictures x, which are the columns of pixels (784×N). X holds the signals Q'(x − mean).
func keptShare(d *Digits, pixels, X *mat.Dense) float64 {
	all := 0.0
	for i, m := range d.Mean {
		for _, v := range pixels.RawRowView(i) {
			all += (v - m) * (v - m)
		}
	}
	in := mat.Norm(X, 2)
	return in * in / all
}

// LetterPictures draws digits and letters, and next to them what remains of each after projection on the PCA axes of
// the digits.
func (l *Lab) LetterPictures() *figure.Grid {
	d, c := l.Digits(), l.Characters()
	const n = 40
	title, they, what := "letters", "letters", fmt.Sprintf("Letters of %d × %d pixels, padded to a square and scaled to %d × %d in the middle of 28 × 28.", letters.Height, letters.Width, letterBox, letterBox)
	if c.Data.Generated {
		title, they, what = "characters (generated)", "characters", "Generated characters in place of letters."
	}
	tiles := func(title string, P mat.Matrix) *figure.Figure {
		return figure.Tiles(title, mat.DenseCopyOf(P), Side, Side, 10)
	}
	first := func(P mat.Matrix) mat.Matrix { r, _ := P.Dims(); return mat.DenseCopyOf(P).Slice(0, r, 0, n) }
	through := func(X *mat.Dense) mat.Matrix { return d.Pixels(first(X), true).T() }
	g := figure.NewGrid("Projection onto the digits' PCA axes", 2,
		tiles("digits", first(d.TestPixels.T())), tiles("digits projected onto 180 axes", through(d.Test.X)),
		tiles(title, first(c.Test.Pixels)), tiles("projected onto the digits' 180 axes", through(c.Test.X))).Size(3.4, 1.7)
	l.Save("letters", fmt.Sprintf("%s The axes were fitted to digits. They keep %.1f %% of the energy of the digits and %.1f %% of that of the %s. Data: %v; %v.",
		what, 100*keptShare(d, mat.DenseCopyOf(d.TestPixels.T()), d.Test.X), 100*c.Kept, they, d.Data, c.Data),
		g)
	return g
}
