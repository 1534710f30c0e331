package vision

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/sparseapprox"
)

// KMeans does what FitKMeans does.
//
// Deprecated: use FitKMeans.
func KMeans(ctx context.Context, X Rows, opt kmeans.Options) (*Dictionary, error) {
	return FitKMeans(ctx, X, &opt)
}

// SparseCoding does what FitSparseCoding does.
//
// Deprecated: use FitSparseCoding.
func SparseCoding(ctx context.Context, X Rows, opt dictionary.Options) (*Dictionary, error) {
	return FitSparseCoding(ctx, X, &opt)
}

// OMP1 does what FitOMP1 does.
//
// Deprecated: use FitOMP1.
func OMP1(ctx context.Context, X Rows, opt OMP1Options) (*Dictionary, error) {
	return FitOMP1(ctx, X, &opt)
}

// Whiten does what FitWhitening does.
//
// Deprecated: use FitWhitening.
func Whiten(ctx context.Context, X Rows, opt WhitenOptions) (*Whitening, error) {
	return FitWhitening(ctx, X, &opt)
}

// Extract does what ExtractShards does.
//
// Deprecated: use ExtractShards.
func Extract(ctx context.Context, im *Images, w *Whitening, e Encoder, opt ExtractOptions) (*features.Report, error) {
	return ExtractShards(ctx, im, w, e, &opt)
}

// ExtractLayout does what ShardsLayout does.
//
// Deprecated: use ShardsLayout.
func ExtractLayout(im *Images, w *Whitening, e Encoder, opt ExtractOptions) (features.Layout, error) {
	return ShardsLayout(im, w, e, &opt)
}

// Features does what ExtractFeatures does.
//
// Deprecated: use ExtractFeatures.
func Features(ctx context.Context, im *Images, w *Whitening, e Encoder, opt ExtractOptions) (*mat.Dense, error) {
	return ExtractFeatures(ctx, im, w, e, &opt)
}

// PooledMaps does what PoolMaps does.
//
// Deprecated: use PoolMaps.
func PooledMaps(im *Images, k int, w *Whitening, e Encoder, channels []int, opt ExtractOptions) (maps, pooled []*mat.Dense, err error) {
	return PoolMaps(im, k, w, e, channels, &opt)
}

// Grey does what Gray does.
//
// Deprecated: use Gray.
func Grey(X mat.Matrix, height, width int) (*Images, error) { return Gray(X, height, width) }

// Leaves does what NewLeaves does.
//
// Deprecated: use NewLeaves.
func Leaves(ctx context.Context, opt LeavesOptions) (*Images, []int, error) {
	return NewLeaves(ctx, &opt)
}

// SparseCode does what SparseEncoder does.
//
// Deprecated: use SparseEncoder.
func SparseCode(d *Dictionary, opt sparseapprox.Options) (Encoder, error) {
	return SparseEncoder(d, &opt)
}
