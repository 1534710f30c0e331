package s3c2011

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
)

// A Kind is a method of computing features.
type Kind string

const (
	// S3C is the model's E_Q[h], averaged over 3×3 cells.
	S3C Kind = "S3C"
	// S3CProduct is E_Q[hs] with split signs, pooled in the same way as S3C.
	S3CProduct Kind = "S3C, E[hs]"
	// SoftThreshold is max(0, ±d'x − 0.25) with an OMP-1 dictionary, summed over quadrants.
	SoftThreshold Kind = "soft threshold"
	// SparseCoding is the sparse code for a dictionary learned by sparse coding, with split signs, summed
	// over quadrants: Coates and Ng's "natural encoding".
	SparseCoding Kind = "sparse coding"
)

// Kinds returns all kinds of features.
func Kinds() []Kind { return []Kind{S3C, S3CProduct, SoftThreshold, SparseCoding} }

// ParseKind returns the kind with the given name, in upper or lower case. The name may also be the kind's short name
// in file names.
func ParseKind(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if strings.EqualFold(name, string(k)) || name == k.slug() {
			return k, nil
		}
		names = append(names, fmt.Sprintf("%q", k))
	}
	return "", fmt.Errorf("s3c2011: no kind of features %q; there are %s", name, strings.Join(names, ", "))
}

// slug returns the short name of the kind, which is used in keys and file names.
func (k Kind) slug() string {
	return strings.NewReplacer(", ", "-", " ", "-", "[", "", "]", "").Replace(strings.ToLower(string(k)))
}

// pooling returns the pooling that the authors of this kind of features used: each image is divided into grid×grid
// cells, and p says how a cell's features are pooled.
func (k Kind) pooling() (grid int, p vision.Pooling) {
	if k == S3C || k == S3CProduct {
		return 3, vision.Mean
	}
	return 2, vision.Sum
}

// Encoder returns the kind's encoder, which turns whitened patches into features.
func (p *pipeline) Encoder(k Kind) vision.Encoder { return p.encoder(k, !p.skips()) }

// skips reports whether S3C's features are computed by the E step that skips units that hardly matter. With few units,
// an E step without skipping is faster.
func (p *pipeline) skips() bool { return !p.Dense && p.Device == nil && p.Settings().Units >= 150 }

// encoder is like Encoder, but with a choice of the E step for S3C's features: the whole E step if dense is true, and
// otherwise the E step that skips units.
func (p *pipeline) encoder(k Kind, dense bool) vision.Encoder {
	switch k {
	case SoftThreshold:
		return vision.SoftThreshold(p.Dictionary(k), 0.25)
	case SparseCoding:
		e, err := vision.SparseEncoder(p.Dictionary(k), &sparseapprox.Options{Lambda: 1})
		lab.Check(err)
		return vision.SplitSigns(e)
	case S3C, S3CProduct:
		first, how := p.eStep(s3c.Schedule{}, dense)
		m := p.Model()
		name := fmt.Sprintf("S3C %s, %s", m.Checksum(), how)
		d, n := m.Dims()
		if k == S3C {
			return vision.Wrap(name, d, n, func() vision.PatchEncoder { return first.Fork() })
		}
		return vision.SplitSigns(vision.WrapProduct(name, d, n, func() vision.SpikeSlabEncoder { return first.Fork() }))
	}
	panic(fmt.Sprintf("s3c2011: no kind %q", k))
}

// eStep returns an encoder that performs the E step with the given schedule, and a description of the E step. The zero
// schedule means the published one. If dense is false, the E step skips units that hardly matter, unless a device
// performs it.
func (p *pipeline) eStep(schedule s3c.Schedule, dense bool) (*s3c.Encoder, string) {
	opt, how := s3c.EncoderOptions{Schedule: schedule, Device: p.Device}, "whole E step"
	switch {
	case p.Device != nil:
		how += " on " + p.Device.Info().Name
	case !dense:
		opt.Skip, how = &s3c.SkipOptions{}, "skipping E step"
	}
	e, err := p.Model().NewEncoder(&opt)
	lab.Check(err)
	return e, how
}

// A Set names one of the two sets of images.
type Set string

// The sets of images.
const (
	Train Set = "train"
	Test  Set = "test"
)

func (p *pipeline) images(s Set) *vision.Images {
	switch im := p.Photographs(); s {
	case Train:
		return im.Train
	case Test:
		return im.Test
	}
	panic(fmt.Sprintf("s3c2011: no set %q; there are train and test", s))
}

func (p *pipeline) extraction(k Kind, folder string) *vision.ExtractOptions {
	grid, pooling := k.pooling()
	return &vision.ExtractOptions{Grid: grid, Pooling: pooling, Folder: folder, Format: features.Float16, ShardRows: p.Pick(50, 500, 500), Recorder: p.Recorder}
}

// Extract computes the features of one part of a set of images and writes them to files. The parts are numbered from
// 0 to parts−1. Several machines may each compute a part; Merge combines their files. The files are written to a
// subfolder of the given folder; each kind and set has its own subfolder. If the given folder is "", they are written
// to FeatureFolder itself. Existing files are kept.
func (p *pipeline) Extract(k Kind, s Set, folder string, part, parts int) (*features.Report, error) {
	if part < 0 || part >= parts {
		return nil, fmt.Errorf("s3c2011: part %d of %d: parts are counted from 0", part, parts)
	}
	p.begin(stageFeatures, k)
	folder, err := p.place(folder, k, s)
	if err != nil {
		return nil, err
	}
	im, w, e := p.images(s), p.Whitening(), p.Encoder(k)
	opt := p.extraction(k, folder)
	layout, err := vision.ShardsLayout(im, w, e, opt)
	if err != nil {
		return nil, err
	}
	if opt.Shards = layout.Part(part, parts); len(opt.Shards) == 0 { // there are more parts than files
		return &features.Report{}, os.MkdirAll(folder, 0o777)
	}
	defer gemm.Serial()() // images run in parallel
	return vision.ExtractShards(p.Context(), im, w, e, opt)
}

// place returns the folder for the files of features of kind k for the set s. This is a subfolder of the given folder,
// or FeatureFolder itself if the given folder is "". In the latter case, place returns an error if this size keeps no
// files.
func (p *pipeline) place(folder string, k Kind, s Set) (string, error) {
	if folder != "" {
		return below(folder, k, s), nil
	}
	if folder = p.FeatureFolder(); folder == "" {
		return "", fmt.Errorf("s3c2011: size %s keeps no files; give a folder, or size medium or full", p.Size)
	}
	return folder, nil
}

// below returns the path of a subfolder of the given folder. The subfolder is for the features of kind k for the set s.
// Each pair of a kind and a set has its own subfolder, because features.Merge accepts only folders that hold a single
// matrix.
func below(folder string, k Kind, s Set) string {
	return filepath.Join(folder, k.slug()+"-"+string(s))
}

// Merge combines the features of kind k that several machines have computed with Extract. The argument from lists the
// folders that were passed to Extract. Merge verifies the files in them and copies these files to subfolders of the
// given folder. If the given folder is "", the subfolders are those of FeatureFolder. Merge returns an error if
// features are missing, or if they do not belong to this run's model and data.
func (p *pipeline) Merge(k Kind, folder string, from ...string) error {
	for _, s := range []Set{Train, Test} {
		var list []string
		for _, f := range from {
			list = append(list, below(f, k, s))
		}
		to, err := p.place(folder, k, s)
		if err == nil {
			err = features.Merge(to, list...)
		}
		if err != nil {
			return err
		}
		if there, all := p.shards(to, k, s); there != all {
			return fmt.Errorf("s3c2011: the merged folder %s has %d of this run's %d files; the others are missing or belong to another model, dictionary or seed", to, there, all)
		}
	}
	return nil
}

// FeatureFolder returns the folder for the files of features. It is inside StageFolder. FeatureFolder returns "" if
// this size keeps nothing on disk.
func (p *pipeline) FeatureFolder() string {
	if f := p.folder(); f != "" {
		return filepath.Join(f, "features")
	}
	return ""
}

var errNotMade = errors.New("not made")

// layout returns the layout of a set's feature files in a folder.
func (p *pipeline) layout(folder string, k Kind, s Set) features.Layout {
	layout, err := vision.ShardsLayout(p.images(s), p.Whitening(), p.Encoder(k), p.extraction(k, folder))
	lab.Check(err)
	return layout
}

// shards counts the feature files of a set. The result there is the number of files in the given folder, and all is the
// number of files of the complete set. shards reads and verifies each file, which takes a few seconds at full size.
func (p *pipeline) shards(folder string, k Kind, s Set) (there, all int) {
	layout := p.layout(folder, k, s)
	all = layout.Shards()
	if folder == "" {
		return 0, all
	}
	for i := range all {
		r, err := features.BuildShards(p.Context(), folder, layout, func([]float32, int, int) error { return errNotMade }, &features.BuildOptions{Shards: []int{i}})
		if err != nil && !errors.Is(err, errNotMade) {
			lab.Check(err)
		}
		there += len(r.Kept)
	}
	return there, all
}

// Features returns the features of a set of images, one image per row. It computes the features, or reads them if
// they exist. At the small sizes all requested features stay in memory; at the large sizes only the features of one
// kind stay.
func (p *pipeline) Features(k Kind, s Set) l2svm.Points {
	kind := p.keys().features(k).Name()
	name := kind + "-" + string(s)
	if X := p.held[name]; X != nil {
		return X
	}
	var X l2svm.Points
	if p.folder() == "" {
		defer gemm.Serial()() // images run in parallel
		M, err := vision.ExtractFeatures(p.Context(), p.images(s), p.Whitening(), p.Encoder(k), p.extraction(k, ""))
		lab.Check(err)
		X = l2svm.Dense(M)
	} else {
		_, err := p.Extract(k, s, "", 0, 1)
		lab.Check(err)
		X, err = features.OpenShards([]string{p.FeatureFolder()}, &features.OpenOptions{Depends: p.layout(p.FeatureFolder(), k, s).Depends})
		lab.Check(err)
		for other := range p.held {
			if !strings.HasPrefix(other, kind) {
				delete(p.held, other)
			}
		}
	}
	if p.held == nil {
		p.held = map[string]l2svm.Points{}
	}
	p.held[name] = X
	return X
}

// codes returns the features that the encoder e computes for the images im, pooled in each of the ways listed in
// pools. At the sizes that keep files, it keeps the features in files, as Features does.
func (p *pipeline) codes(im *vision.Images, e vision.Encoder, pools []vision.Pool) l2svm.Points {
	opt := vision.ExtractOptions{Pools: pools, Format: features.Float16, ShardRows: p.Pick(50, 500, 500), Recorder: p.Recorder}
	defer gemm.Serial()() // images run in parallel
	if opt.Folder = p.FeatureFolder(); opt.Folder == "" {
		M, err := vision.ExtractFeatures(p.Context(), im, p.Whitening(), e, &opt)
		lab.Check(err)
		return l2svm.Dense(M)
	}
	layout, err := vision.ShardsLayout(im, p.Whitening(), e, &opt)
	lab.Check(err)
	if X := p.held[layout.Depends]; X != nil {
		return X
	}
	_, err = vision.ExtractShards(p.Context(), im, p.Whitening(), e, &opt)
	lab.Check(err)
	X, err := features.OpenShards([]string{p.FeatureFolder()}, &features.OpenOptions{Depends: layout.Depends, OnDisk: true}) // the files have several gigabytes, and a recipe uses only a part of them
	lab.Check(err)
	p.held = map[string]l2svm.Points{layout.Depends: X} // replaces the previous features, because they are large
	return X
}
