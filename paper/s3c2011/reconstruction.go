package s3c2011

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c/s3cplot"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Reconstructions draws patches of test images, and the reconstructions of these patches from their codes.
func (l *Lab) Reconstructions() *figure.Figure {
	m, V := l.Model(), l.HeldOut(l.Pick(100, 500, 1000))
	n, _ := V.Dims()
	q := infer(l.Context(), m, V, nil).Q
	const columns, rows = 16, 3
	few := mat.DenseCopyOf(V.Slice(0, columns*rows, 0, V.RawMatrix().Cols))
	f, err := s3cplot.Reconstructions(m, few, infer(l.Context(), m, few, nil).Q, side, side, l.tiles("Patches, and below them what S3C sees", columns, true))
	lab.Check(err)
	var rest mat.Dense
	rest.Sub(V, m.Inverse(q))
	left, all := mat.Norm(&rest, 2), mat.Norm(V, 2)
	share := 100 * (1 - left*left/(all*all))
	_, N := m.Dims()
	p := l.Photographs()
	l.Save("reconstructions", fmt.Sprintf("In turn, a row of patches of test images (normal contrast) and a row of their reconstructions E[W(hs)], with the whitening undone. Each has its own range, and grey is 0. In the whitened space %.0f %% of the squares are explained by %d units. Data: %v.", share, N, p.Data), f)
	rule := record.AtLeast(10)
	if l.Full() {
		rule = record.AtLeast(50) // more than the model leaves to the noise
	}
	l.Row(record.Row{
		ID: "reconstruction-share", What: fmt.Sprintf("%d patches of test images: share of the squares, whitened, that E[W(hs)] explains", n),
		Measured: record.Number(share, "%"), Rule: rule, Data: p.Data, Figure: "reconstructions", Repeat: 0.2,
		Reason: fmt.Sprintf("a sparse model leaves fine detail to its noise: 1/β = %.2f a number", 1/m.Beta[0]),
	})
	return f
}

// ReconstructedImages draws test images, and the same images reconstructed from the codes of all
// their patches.
func (l *Lab) ReconstructedImages() *figure.Grid {
	r, im := newRestorer(l.Whitening(), l.Heed), l.Photographs().Test
	codes := r.spikeSlab(l.Model(), true)
	var clean, back []*colourImage
	quality := 0.0
	const n = 8
	for k := range n {
		c := asColour(im, k)
		b := r.restore(c, 0, codes)
		clean, back = append(clean, c), append(back, b)
		quality += psnr(c, b) / n
	}
	g := figure.NewGrid("Images from their codes", 1, row("as they are", clean), row(fmt.Sprintf("from the codes of their patches: %.1f dB", quality), back)).Size(6.2, 1.1)
	p := l.Photographs()
	_, N := l.Model().Dims()
	l.Save("reconstructed-images", fmt.Sprintf("The mean and the contrast of each patch are kept, all else is E[W(hs)] with %d units; a pixel is the mean over the patches that cover it, up to 36. Peak signal-to-noise ratio, mean over the images. Data: %v.", N, p.Data), g)
	return g
}
