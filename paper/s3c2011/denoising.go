package s3c2011

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A restorer removes noise from images. It estimates every patch of the image, including overlapping ones, and
// averages the estimates of each pixel.
//
// A patch x of contrast c is whitened as in training, but in other coordinates. The patches in training have the
// covariance V E V', and the coordinates are along its axes, the columns of V, instead of along pixels:
//
//	z = (E + ε)^(−½) V' ((x − mean(x))/c − Mean).
//
// In these coordinates, white noise of variance σ² in the pixels becomes independent noise of variances ν = σ²/c² / (E
// + ε). S3C's own noise has the variance 1/β. In coordinate d the two variances add up to 1/β + ν_d, so S3C with the
// precision β_d = 1/(1/β + ν_d) is the model of the noisy patch.
type restorer struct {
	offset, epsilon float64
	average         []float64  // Mean (D)
	values          []float64  // E (D)
	V               *mat.Dense // D×D
	heed            func()     // panics if the experiment must end
}

// newRestorer returns a restorer for images whose patches are whitened by w. heed is called often, and panics if the
// experiment must end.
func newRestorer(w *vision.Whitening, heed func()) *restorer {
	d := w.Dim()
	// Compute the axes from ZCA = V (E + ε)^(−½) V'.
	S := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			S.SetSym(i, j, (w.ZCA.At(i, j)+w.ZCA.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(S, true) {
		panic("s3c2011: the eigenvalues of the whitening were not found")
	}
	r := &restorer{offset: w.Offset, epsilon: w.Epsilon, average: w.Mean, V: new(mat.Dense), heed: heed}
	for _, v := range eig.Values(nil) {
		r.values = append(r.values, math.Max(0, 1/(v*v)-w.Epsilon))
	}
	eig.VectorsTo(r.V)
	return r
}

// An estimate is a function that returns the expected clean patches, given the noisy patches Z (n×D) and the variances
// nu of their noise (D), all in the coordinates of a restorer.
type estimate func(Z *mat.Dense, nu []float64) *mat.Dense

// restore estimates the clean image behind im, whose noise has the standard deviation sigma. f estimates the patches.
func (r *restorer) restore(im *colourImage, sigma float64, f estimate) *colourImage {
	d := len(r.values)
	down, across := im.height-side+1, im.width-side+1
	index := func(p, j int) int { // index of value j of patch p in the image
		plane, y, x := j/(side*side), p/across+j/side%side, p%across+j%side
		return (plane*im.height+y)*im.width + x
	}
	// Process patches of similar contrast together. The contrasts of neighboring groups differ by a tenth.
	groups := map[int][]int{}
	means := make([]float64, down*across)
	x := make([]float64, d)
	for p := range means {
		for j := range x {
			x[j] = im.x[index(p, j)]
		}
		means[p] = mean(x)
		s := 0.0
		for _, v := range x {
			s += (v - means[p]) * (v - means[p]) / float64(d-1)
		}
		c := math.Sqrt(math.Max(s-sigma*sigma, 0) + r.offset)
		g := int(math.Round(math.Log(c) / math.Log(1.1)))
		groups[g] = append(groups[g], p)
	}
	sum, count := make([]float64, len(im.x)), make([]float64, len(im.x))
	for _, g := range slices.Sorted(maps.Keys(groups)) { // in a fixed order, because rounding depends on it
		r.heed()
		patches := groups[g]
		c := math.Pow(1.1, float64(g))
		X := mat.NewDense(len(patches), d, nil)
		for k, p := range patches {
			for j := range d {
				X.Set(k, j, (im.x[index(p, j)]-means[p])/c-r.average[j])
			}
		}
		var Z, Y mat.Dense
		Z.Mul(X, r.V) // (n×D)(D×D)
		nu := make([]float64, d)
		scale := make([]float64, d)
		for j, e := range r.values {
			scale[j] = math.Sqrt(e + r.epsilon)
			nu[j] = sigma * sigma / (c * c) / (e + r.epsilon)
		}
		Z.Apply(func(_, j int, v float64) float64 { return v / scale[j] }, &Z)
		E := f(&Z, nu)
		E.Apply(func(_, j int, v float64) float64 { return v * scale[j] }, E)
		Y.Mul(E, r.V.T())
		for k, p := range patches {
			for j := range d {
				i := index(p, j)
				sum[i] += c*(Y.At(k, j)+r.average[j]) + means[p]
				count[i]++
			}
		}
	}
	for i := range sum {
		sum[i] /= count[i]
	}
	return &colourImage{im.height, im.width, sum}
}

// wiener returns the best linear estimate, which shrinks each coordinate. It is optimal for normally distributed
// patches.
func (r *restorer) wiener(Z *mat.Dense, nu []float64) *mat.Dense {
	n, d := Z.Dims()
	out := mat.NewDense(n, d, nil)
	out.Apply(func(_, j int, v float64) float64 {
		signal := r.values[j] / (r.values[j] + r.epsilon)
		if signal == 0 {
			return 0
		}
		return v * signal / (signal + nu[j])
	}, Z)
	return out
}

// spikeSlab returns S3C's estimate, where m is the model of whitened patches. If codes is set, the estimate is
// W(ĥ∘ŝ). Otherwise a part of the residual z − W(ĥ∘ŝ) is added to W(ĥ∘ŝ), because the model's own noise, of variance
// 1/β, belongs to the clean patch. The expected share of this noise in the residual is 1/β / (1/β + ν).
func (r *restorer) spikeSlab(m *s3c.Model, codes bool) estimate {
	turned := m.Clone()
	turned.W.Mul(r.V.T(), m.W) // (D×D)(D×N)
	d, N := m.Dims()
	return func(Z *mat.Dense, nu []float64) *mat.Dense {
		n, _ := Z.Dims()
		noisy := turned.Clone()
		noisy.Beta = make([]float64, d)
		for j := range d {
			noisy.Beta[j] = 1 / (1/m.Beta[j%len(m.Beta)] + nu[j])
		}
		e, err := noisy.NewEncoder(&s3c.EncoderOptions{})
		lab.Check(err)
		z, h, s := make([]float32, n*d), make([]float32, n*N), make([]float32, n*N)
		for k := range n {
			for j, v := range Z.RawRowView(k) {
				z[k*d+j] = float32(v)
			}
		}
		e.EncodeBoth(h, s, z, n)
		HS := mat.NewDense(n, N, nil)
		for k := range n {
			for i := range N {
				HS.Set(k, i, float64(h[k*N+i])*float64(s[k*N+i]))
			}
		}
		var out mat.Dense
		out.Mul(HS, turned.W.T()) // (n×N)(N×D)
		if !codes {
			out.Apply(func(k, j int, v float64) float64 {
				own := 1 / m.Beta[j%len(m.Beta)]
				return v + own/(own+nu[j])*(Z.At(k, j)-v)
			}, &out)
		}
		return &out
	}
}

// A DenoisingQuality is the quality of images at one noise level: peak signal-to-noise ratios in dB, averaged over
// images.
type DenoisingQuality struct {
	Noise  float64 // standard deviation, on a pixel scale of 0 to 255
	Noisy  float64
	Wiener float64
	S3C    float64
}

// A Denoising is the result of Denoise: pictures, and a table.
type Denoising struct {
	*figure.Grid
	Levels []DenoisingQuality
}

// Denoise adds noise to test images and removes the noise again.
func (l *Lab) Denoise() *Denoising {
	r, im := newRestorer(l.Whitening(), l.Heed), l.Photographs().Test
	n := min(l.Pick(4, 8, 20), im.Len())
	model := r.spikeSlab(l.Model(), false)
	out := &Denoising{}
	const shown, level = 8, 25.0
	var pictures [4][]*colourImage
	better := 0
	for _, sigma := range []float64{10, level, 50} {
		rng := rand.New(rand.NewPCG(l.Seed, 0xde01))
		q := DenoisingQuality{Noise: sigma}
		for k := range n {
			clean := asColour(im, k)
			noisy := &colourImage{clean.height, clean.width, make([]float64, len(clean.x))}
			for i, v := range clean.x {
				noisy.x[i] = v + sigma*rng.NormFloat64()
			}
			linear, sparse := r.restore(noisy, sigma, r.wiener), r.restore(noisy, sigma, model)
			a, b := psnr(clean, linear), psnr(clean, sparse)
			q.Noisy += psnr(clean, noisy) / float64(n)
			q.Wiener += a / float64(n)
			q.S3C += b / float64(n)
			if sigma == level {
				if b > a {
					better++
				}
				if k < shown {
					for i, c := range []*colourImage{clean, noisy, linear, sparse} {
						pictures[i] = append(pictures[i], c)
					}
				}
			}
		}
		out.Levels = append(out.Levels, q)
	}
	q := out.Levels[1]
	out.Grid = figure.NewGrid("Denoising", 1,
		row("original", pictures[0]), row(fmt.Sprintf("noisy: %.1f dB", q.Noisy), pictures[1]),
		row(fmt.Sprintf("linear estimate: %.1f dB", q.Wiener), pictures[2]), row(fmt.Sprintf("S3C: %.1f dB", q.S3C), pictures[3]))
	width := 6.2 * float64(len(pictures[0])) / shown
	out.Size(width, 0.8*width/float64(len(pictures[0]))+0.35)
	p := l.Photographs()
	l.Save("denoising", fmt.Sprintf("Test images with white noise of standard deviation %g (pixels 0 to 255), denoised in two ways: by the linear estimate that is optimal for normally distributed patches with the same covariance, and by the expected clean patch under S3C. Both keep the mean of each noisy patch, estimate all 27×27 overlapping patches of an image, and average the estimates of each pixel. Peak signal-to-noise ratios are means over %d images. S3C was trained on noise-free patches. Data: %v.", level, n, p.Data), out.Grid)
	l.Row(record.Row{
		ID: "denoising-gain", What: fmt.Sprintf("%d test images, noise %g: peak signal-to-noise ratio after denoising by S3C minus that of the noisy images", n, level),
		Measured: record.Number(q.S3C-q.Noisy, "dB"), Rule: record.AtLeast(1), Data: p.Data, Figure: "denoising", Repeat: 0.05,
		Reason: fmt.Sprintf("%.2f and %.2f dB", q.S3C, q.Noisy),
	})
	if l.Size == record.Smoke {
		return out // at this size the model has hardly learned anything
	}
	l.Row(record.Row{
		ID: "denoising-linear", What: "the same images: peak signal-to-noise ratio after denoising by S3C minus that of the linear estimate",
		Measured: record.Number(q.S3C-q.Wiener, "dB"), Rule: record.AtLeast(-0.3), Data: p.Data, Figure: "denoising", Repeat: 0.05,
		Reason: fmt.Sprintf("S3C is better on %d of %d images; at noise %g the difference is %.2f dB, at %g %.2f dB", better, n, out.Levels[0].Noise, out.Levels[0].S3C-out.Levels[0].Wiener, out.Levels[2].Noise, out.Levels[2].S3C-out.Levels[2].Wiener),
	})
	return out
}
