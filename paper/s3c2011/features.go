package s3c2011

import (
	"fmt"
	"path/filepath"
	"strings"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
)

// A Kind is a way to make features.
type Kind string

const (
	// S3C is E_Q[h] by the model, mean-pooled over 3×3 cells.
	S3C Kind = "S3C"
	// S3CProduct is E_Q[hs], its signs split, pooled in the same way.
	S3CProduct Kind = "S3C, E[hs]"
	// SoftThreshold is max(0, ±d'x − 0.25) with a dictionary of OMP-1, summed over quadrants.
	SoftThreshold Kind = "soft threshold"
	// SparseCoding is the sparse code with the dictionary that sparse coding learned, its
	// signs split, summed over quadrants: Coates and Ng's "natural encoding".
	SparseCoding Kind = "sparse coding"
)

// slug is the kind in keys and names of files.
func (k Kind) slug() string {
	return strings.NewReplacer(", ", "-", " ", "-", "[", "", "]", "").Replace(strings.ToLower(string(k)))
}

// pooling is that of the kind's authors.
func (k Kind) pooling() (grid int, p vision.Pooling) {
	if k == S3C || k == S3CProduct {
		return 3, vision.Mean
	}
	return 2, vision.Sum
}

// Encoder turns whitened patches into features.
func (l *Lab) Encoder(k Kind) vision.Encoder {
	switch k {
	case SoftThreshold:
		return vision.SoftThreshold(l.Dictionary(k), 0.25)
	case SparseCoding:
		e, err := vision.SparseCode(l.Dictionary(k), sparseapprox.Options{Lambda: 1})
		lab.Check(err)
		return vision.SplitSigns(e)
	case S3C, S3CProduct:
		opt, how := s3c.EncoderOptions{}, "whole E step"
		if !l.Dense {
			opt.Skip, how = &s3c.SkipOptions{}, "skipping E step"
		}
		m := l.Model()
		first, err := s3c.NewEncoder(m, opt)
		lab.Check(err)
		name := fmt.Sprintf("S3C %s, %s", m.Checksum(), how)
		d, n := m.Dims()
		if k == S3C {
			return vision.Wrap(name, d, n, func() vision.PatchEncoder { return first.Fork() })
		}
		return vision.SplitSigns(vision.WrapProduct(name, d, n, func() vision.SpikeSlabEncoder { return first.Fork() }))
	}
	panic(fmt.Sprintf("s3c2011: no kind %q", k))
}

// A Set names one of the two sets of images.
type Set string

// The sets of images.
const (
	Train Set = "train"
	Test  Set = "test"
)

func (l *Lab) images(s Set) *vision.Images {
	p := l.Photographs()
	switch s {
	case Train:
		return p.Train
	case Test:
		return p.Test
	}
	panic(fmt.Sprintf("s3c2011: no set %q; there are train and test", s))
}

func (l *Lab) extraction(k Kind, folder string) vision.ExtractOptions {
	grid, pooling := k.pooling()
	return vision.ExtractOptions{Grid: grid, Pooling: pooling, Folder: folder, Format: features.Float16, ShardRows: 500, Recorder: l.Recorder}
}

// Extract makes the features of part number part of parts (from 0) of a set of images, in
// files in the folder ("": that of the stages). Files that are there are kept. Several
// machines make a part each; features.Merge brings the files together.
func (l *Lab) Extract(k Kind, s Set, folder string, part, parts int) (*features.Report, error) {
	if part < 0 || part >= parts {
		return nil, fmt.Errorf("s3c2011: part %d of %d: parts are counted from 0", part, parts)
	}
	if folder == "" {
		folder = l.featureFolder()
	}
	im, w, e := l.images(s), l.Whitening(), l.Encoder(k)
	opt := l.extraction(k, folder)
	layout, err := vision.ExtractLayout(im, w, e, opt)
	if err != nil {
		return nil, err
	}
	opt.Shards = layout.Part(part, parts)
	return vision.Extract(background, im, w, e, opt)
}

func (l *Lab) featureFolder() string { return filepath.Join(l.folder(), "features") }

// Features are those of a set of images, one a row: made, or read where they have been.
// At the small sizes they are held in memory.
func (l *Lab) Features(k Kind, s Set) l2svm.Points {
	im, w, e := l.images(s), l.Whitening(), l.Encoder(k)
	if l.folder() == "" {
		X, err := vision.Features(background, im, w, e, l.extraction(k, ""))
		lab.Check(err)
		return l2svm.Dense(X)
	}
	_, err := l.Extract(k, s, "", 0, 1)
	lab.Check(err)
	layout, err := vision.ExtractLayout(im, w, e, l.extraction(k, l.featureFolder()))
	lab.Check(err)
	X, err := features.Open(features.OpenOptions{Depends: layout.Depends}, l.featureFolder())
	lab.Check(err)
	return X
}
