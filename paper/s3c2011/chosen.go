package s3c2011

import (
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
)

// meanPools are the pools of the run with all images: what Choosing may choose among without
// another E step.
var meanPools = []vision.Pool{{Grid: 2, Pooling: vision.Mean}, {Grid: 3, Pooling: vision.Mean}, {Grid: 4, Pooling: vision.Mean}}

// codes returns the features of images by all codes, pooled in several ways. Like Features
// it keeps them in files at the large sizes.
func (l *Lab) codes(im *vision.Images, e vision.Encoder, pools []vision.Pool) l2svm.Points {
	opt := vision.ExtractOptions{Pools: pools, Format: features.Float16, ShardRows: l.Pick(50, 500, 500), Recorder: l.Recorder}
	defer gemm.Serial()() // images go side by side
	if opt.Folder = l.FeatureFolder(); opt.Folder == "" {
		M, err := vision.Features(l.Context(), im, l.Whitening(), e, opt)
		lab.Check(err)
		return l2svm.Dense(M)
	}
	layout, err := vision.ExtractLayout(im, l.Whitening(), e, opt)
	lab.Check(err)
	_, err = vision.Extract(l.Context(), im, l.Whitening(), e, opt)
	lab.Check(err)
	X, err := features.Open(features.OpenOptions{Depends: layout.Depends}, l.FeatureFolder())
	lab.Check(err)
	return X
}
