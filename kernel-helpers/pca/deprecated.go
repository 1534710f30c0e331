package pca

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// AutoencoderLoss returns the loss of a linear autoencoder, ½ tr(S − 2SABᵀ + BAᵀSABᵀ), and its gradients
// (d×k each) for a covariance S (d×d), an encoder A and a decoder B (d×k each).
//
// Deprecated: use lecturepca.AutoencoderLoss.
func AutoencoderLoss(S mat.Symmetric, encoder, decoder mat.Matrix) (loss float64, dA, dB *mat.Dense) {
	if isNil(S) || isNil(encoder) || isNil(decoder) {
		panic("pca: AutoencoderLoss: a matrix is nil")
	}
	d, k := encoder.Dims()
	if r, c := decoder.Dims(); r != d || c != k || S.SymmetricDim() != d {
		panic(fmt.Sprintf("pca: AutoencoderLoss: S is %d×%d, A %d×%d, B %d×%d", S.SymmetricDim(), S.SymmetricDim(), d, k, r, c))
	}
	var SA, SB, ASA, BB, L, R mat.Dense
	SA.Mul(S, encoder)
	SB.Mul(S, decoder)
	ASA.Mul(encoder.T(), &SA)
	BB.Mul(decoder.T(), decoder)
	dA, dB = new(mat.Dense), new(mat.Dense)
	dA.Mul(&SA, &BB)
	dA.Sub(dA, &SB)
	dB.Mul(decoder, &ASA)
	dB.Sub(dB, &SA)
	L.Mul(decoder.T(), &SA)
	R.Mul(&ASA, &BB)
	return mat.Trace(S)/2 - mat.Trace(&L) + mat.Trace(&R)/2, dA, dB
}

// Apply does what Transform does.
//
// Deprecated: use Transform.
func (w *Whitener) Apply(X mat.Matrix) *mat.Dense { return w.Transform(X) }
