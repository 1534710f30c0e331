package bradley2008

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Appendix E describes 17 genres of 15 clips. B is learned from 10 genres, without their labels. From each of the
// other 7 genres, 10 clips are for training and 5 for testing. Snippets are 50 ms long.
const (
	musicGenres     = 17
	musicClips      = 15
	musicUnlabelled = 10
	musicTraining   = 10
	musicClasses    = musicGenres - musicUnlabelled
	snippetSeconds  = 0.05
	// musicHeldOut is the number of training clips of each genre on which λ, p and alpha are chosen; the
	// paper does not say how it chooses them.
	musicHeldOut = 2
	// musicDimensions is the number of dimensions to which PCA reduces a spectrum. The paper uses PCA for digits, and
	// does not say whether it does so for music.
	musicDimensions = 100
	// musicEnergy is the mean of ‖x‖² after scaling. It is about the mean of ‖x‖² for MNIST's digits, so that λ has
	// about the same meaning.
	musicEnergy = 50
)

// Snippets are spectra of snippets of music after PCA and scaling, one per column, in random order.
type Snippets struct {
	X    *mat.Dense // musicDimensions×N
	Y    []int      // N: the genre of labeled snippets, 0 to 6
	Clip []int      // N: the number of the clip within its genre
}

// MusicData is generated music, split as appendix E splits recordings.
type MusicData struct {
	Unlabelled, Train, Test Snippets
	Explained               float64 // share of the variance that the axes explain
	Data                    record.Data
}

// spectra cuts a sound into snippets, and returns the magnitudes of their spectra, one snippet per column. A snippet of
// n samples has n/2 + 1 magnitudes. The window is a Hann window.
func spectra(samples []float64, rate float64) *mat.Dense {
	length := int(math.Round(snippetSeconds * rate))
	F := synth.Frames(samples, length, length, false) // length×N
	_, N := F.Dims()
	fft := fourier.NewFFT(length)
	out := mat.NewDense(length/2+1, N, nil)
	x := make([]float64, length)
	var c []complex128
	for k := range N {
		for i := range x {
			x[i] = F.At(i, k) * (0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(length)))
		}
		c = fft.Coefficients(c, x)
		for i, z := range c {
			out.Set(i, k, cmplx.Abs(z))
		}
	}
	return out
}

// A music learns a basis from the music of a run.
type music struct {
	*sharedState
	d *MusicData
}

func newMusic(l *Lab) *music { return &music{&l.sharedState, l.MusicData()} }

func (m *music) keys() keys { return keys{size: m.Size, seed: m.Seed} }

// clips generates the clips of this run, each with the given length in seconds.
func (m *music) clips(seconds float64) *synth.MusicSet {
	s, err := synth.Music(m.Context(), synth.MusicOptions{Genres: musicGenres, Clips: musicClips, Seconds: seconds, Seed: m.Seed})
	lab.Check(err)
	return s
}

// MusicData generates the music of this run and splits it. At full size, clips are 10 seconds long, not 60 as in the
// paper. There are then 14,000 snippets for training. At the smaller sizes, clips are shorter.
func (l *Lab) MusicData() *MusicData { return (&music{sharedState: &l.sharedState}).read() }

func (m *music) read() *MusicData {
	seconds := []float64{0.5, 3, 10}[m.Pick(0, 1, 2)]
	s := m.clips(seconds)
	per := int(math.Round(seconds / snippetSeconds)) // snippets of a clip
	// raw returns the spectra S of snippets in random order, one snippet per row, with their genres y and clips.
	raw := func(stream uint64, take func(genre, clip int) bool) (S *mat.Dense, y, clips []int) {
		var rows [][]float64
		for i, c := range s.Clips {
			if k := i % musicClips; take(c.Genre, k) {
				m.Heed()
				P := spectra(c.Samples, s.Rate)
				for j := range per {
					rows = append(rows, mat.Col(nil, j, P))
					y = append(y, c.Genre-musicUnlabelled)
					clips = append(clips, k)
				}
			}
		}
		S = mat.NewDense(len(rows), len(rows[0]), nil)
		rand.New(rand.NewPCG(m.Seed, stream)).Shuffle(len(rows), func(i, j int) {
			rows[i], rows[j] = rows[j], rows[i]
			y[i], y[j] = y[j], y[i]
			clips[i], clips[j] = clips[j], clips[i]
		})
		for i, r := range rows {
			S.SetRow(i, r)
		}
		return S, y, clips
	}
	out := &MusicData{Data: record.Generated(fmt.Sprintf("music, %d genres of %d clips of %v s", musicGenres, musicClips, seconds))}
	U, _, _ := raw(1, func(g, _ int) bool { return g < musicUnlabelled })
	axes, err := pca.Fit(m.Context(), U, &pca.Options{Components: musicDimensions})
	lab.Check(err)
	out.Explained = axes.Explained(musicDimensions)
	scale := 1.
	signals := func(S *mat.Dense) *mat.Dense {
		X := mat.DenseCopyOf(axes.Scores(S).T())
		X.Scale(scale, X)
		return X
	}
	X := signals(U)
	_, N := X.Dims()
	scale = math.Sqrt(musicEnergy*float64(N)) / mat.Norm(X, 2)
	X.Scale(scale, X)
	out.Unlabelled.X = X
	for i, p := range []*Snippets{&out.Train, &out.Test} {
		S, y, clips := raw(uint64(2+i), func(g, k int) bool { return g >= musicUnlabelled && (k < musicTraining) == (i == 0) })
		*p = Snippets{signals(S), y, clips}
	}
	return out
}

// subset returns a copy of the snippets with the given indices.
func (s *Snippets) subset(numbers []int) *Snippets {
	out := &Snippets{X: mat.DenseCopyOf(columns(s.X, numbers))}
	for _, i := range numbers {
		out.Y, out.Clip = append(out.Y, s.Y[i]), append(out.Clip, s.Clip[i])
	}
	return out
}

// cut chooses from the snippets with the given indices. The last musicHeldOut training clips of each genre are held
// out. The result train contains the indices of the first n snippets of the other training clips, and heldOut contains
// the indices of the first m snippets of the held-out clips.
func (s *Snippets) cut(numbers []int, n, m int) (train, heldOut []int) {
	for _, i := range numbers {
		switch out := s.Clip[i] >= musicTraining-musicHeldOut; {
		case out && len(heldOut) < m:
			heldOut = append(heldOut, i)
		case !out && len(train) < n:
			train = append(train, i)
		}
	}
	return train, heldOut
}

// ints returns start, start+1, .., end−1.
func ints(start, end int) []int {
	out := make([]int, end-start)
	for i := range out {
		out[i] = start + i
	}
	return out
}

// basis learns B (musicDimensions×n) by L1 sparse coding of the unlabeled genres.
func (m *music) basis() *mat.Dense {
	n := m.Pick(48, 128, 256)
	return m.store.Matrix(m.keys().musicBasis(n), func() *mat.Dense {
		r, err := dictionary.Fit(m.Context(), m.d.Unlabelled.X, &dictionary.Options{
			Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.3, Tolerance: 1e-4}),
			Atoms: n, Unit: true, Passes: m.Pick(2, 3, 6), Seed: m.Seed, Recorder: m.recorder(),
		})
		lab.Check(err)
		return lab.Single(r.B)
	})
}

// search tries several λ and p on the basis B. For each of them it trains a classifier on the codes of the training
// clips except the last two of each genre. It measures the error on the clips that were left out. search returns the
// best settings and all trials.
func (m *music) search(B *mat.Dense) (Settings, []Trial) {
	_, n := B.Dims()
	s := Settings{Atoms: n, BasisLambda: 0.3}
	trials := priorGrid(s, []float64{0.1, 0.2, 0.4, 0.8}, []float64{0.05, 0.1, 0.3}, []float64{1e-2, 1e-1, 1})
	from, to := m.d.Train.cut(ints(0, len(m.d.Train.Y)), m.Pick(100, 400, 2000), m.Pick(100, 300, 2000))
	train, held := m.d.Train.subset(from), m.d.Train.subset(to)
	for i := range trials {
		t := &trials[i]
		found := m.store.Numbers(m.keys().musicTrial(t), func() []float64 {
			alpha, e, _ := chooseAlpha(m.Context(), t.code(m.Context(), B, train.X), train.Y, t.code(m.Context(), B, held.X), held.Y, musicClasses)
			m.say("music: %s, λ %v, p %v: validation error %.2f %%, alpha %v", t.Prior, t.Lambda, t.P, 100*e, alpha)
			return []float64{alpha, 100 * e}
		})
		t.Alpha, t.Error = found[0], found[1]
	}
	best := bestOf(trials)
	mark(trials, best)
	return best, trials
}

// MusicSearch searches for λ and p on the generated music.
func (l *Lab) MusicSearch() []Trial {
	m := newMusic(l)
	_, trials := m.search(m.basis())
	return trials
}

// MusicSpectra draws the spectra of two clips of each of the seven genres to be distinguished.
func (l *Lab) MusicSpectra() *figure.Figure {
	const clips, wide = 2, 3 // wide is the width of a snippet in pixels
	s := (&music{sharedState: &l.sharedState}).clips(3)
	var dB [][]float64
	var labels []string
	var h, w int
	for k := range clips {
		for g := range musicClasses {
			labels = append(labels, fmt.Sprintf("genre %d, clip %d", musicUnlabelled+g+1, k+1))
			S := spectra(s.Clips[(musicUnlabelled+g)*musicClips+k].Samples, s.Rate)
			h, w = S.Dims()
			tile := make([]float64, 0, h*w*wide)
			for i := range h { // low frequencies at the bottom
				for j := range w * wide {
					tile = append(tile, 20*math.Log10(S.At(h-1-i, j/wide)+1e-3))
				}
			}
			dB = append(dB, tile)
		}
	}
	P := mat.NewDense(len(dB), h*w*wide, nil)
	for i, tile := range dB {
		P.SetRow(i, tile)
	}
	out := gallery.Figure(P, h, w*wide, &gallery.Options{Title: "Generated music: spectra of snippets", Columns: musicClasses, Grays: gallery.Range, Lo: -10, Hi: 40, Labels: labels})
	l.Save("music-spectra", fmt.Sprintf("Horizontal: 3 s in snippets of 50 ms. Vertical: 0 to %v kHz, low frequencies at the bottom. Black to white spans 50 dB. Each column shows one of the seven genres to be classified, with two clips drawn from that genre's distribution.", s.Rate/2000),
		out)
	return out
}
