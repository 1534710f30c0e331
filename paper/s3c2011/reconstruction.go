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
	f, err := s3cplot.Reconstructions(m, few, infer(l.Context(), m, few, nil).Q, side, side, l.tiles("Patches, and below them their reconstructions", columns, true))
	lab.Check(err)
	var rest mat.Dense
	rest.Sub(V, m.Inverse(q))
	left, all := mat.Norm(&rest, 2), mat.Norm(V, 2)
	share := 100 * (1 - left*left/(all*all))
	_, N := m.Dims()
	p := l.Photographs()
	l.Save("reconstructions", fmt.Sprintf("Alternating rows: patches of test images (normalized contrast) and their reconstructions E[W(hs)], with the whitening undone. Each patch is scaled to its own range, and gray is 0. In the whitened space, %.0f %% of the sum of squares is explained by %d units. Data: %v.", share, N, p.Data), f)
	rule := record.AtLeast(10)
	if l.Full() {
		rule = record.AtLeast(50) // more than the model leaves to the noise
	}
	l.Row(record.Row{
		ID: "reconstruction-share", What: fmt.Sprintf("%d whitened patches of test images: share of the sum of squares explained by E[W(hs)]", n),
		Measured: record.Number(share, "%"), Rule: rule, Data: p.Data, Figure: "reconstructions", Repeat: 0.2,
		Reason: fmt.Sprintf("a sparse model assigns fine detail to the noise, of variance 1/β = %.2f per component", 1/m.Beta[0]),
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
	g := figure.NewGrid("Images reconstructed from their codes", 1, row("original", clean), row(fmt.Sprintf("reconstructed from the codes of the patches: %.1f dB", quality), back)).Size(6.2, 1.1)
	p := l.Photographs()
	_, N := l.Model().Dims()
	l.Save("reconstructed-images", fmt.Sprintf("The mean and the contrast of each patch are kept; everything else is E[W(hs)] with %d units. A pixel is the mean over the patches that cover it, up to 36. The peak signal-to-noise ratio is the mean over the images. Data: %v.", N, p.Data), g)
	return g
}
