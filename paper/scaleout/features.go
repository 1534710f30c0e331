package scaleout

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
)

func init() {
	register.DoFn2x2[context.Context, Shard, Outcome, error](&featuresFn{})
}

// FeatureOptions are the options of Features.
type FeatureOptions struct {
	Images Images
	// Model is a file that holds an S3C model or training state.
	Model string
	// Whole makes the E step skip no units. With fewer than 150 units no unit is ever skipped, as in package s3c2011.
	Whole bool
	// ShardRows is the number of images in a file. 0 means 500, as in package
	// s3c2011.
	ShardRows int
	// Folder receives the folders s3c-train and s3c-test. Report receives one line for each file.
	Folder, Report string
}

// Features writes files of E_Q[h], mean-pooled over 3×3 cells, into a folder that "overcomplete s3c merge"
// accepts. The files are the same as those of "overcomplete s3c extract".
// The stages of the pipeline are, in terms of types:
//
//	Shard → (a file) → Outcome → file Report
func Features(s beam.Scope, o FeatureOptions) {
	s = s.Scope("scaleout.Features")
	if o.ShardRows == 0 {
		o.ShardRows = 500
	}
	shards := beam.Reshuffle(s, beam.CreateList(s, o.shards()))
	report(s, beam.ParDo(s, &featuresFn{FeatureOptions: o}, shards), o.Report)
}

func (o FeatureOptions) shards() []Shard {
	var list []Shard
	for _, set := range []struct {
		name string
		rows int
	}{{"train", o.Images.Train}, {"test", o.Images.Test}} {
		for k := range (features.Layout{Rows: set.rows, ShardRows: o.ShardRows}).Shards() {
			list = append(list, Shard{Index: len(list), Set: set.name, Number: k})
		}
	}
	for i := range list {
		list[i].Of = len(list)
	}
	return list
}

// A featuresFn makes a shard's file.
type featuresFn struct {
	FeatureOptions
	images  *loadedImages
	encoder vision.Encoder
}

func (f *featuresFn) Setup(ctx context.Context) error {
	var err error
	if f.images, err = f.Images.load(ctx); err != nil {
		return fmt.Errorf("scaleout: Features: %w", err)
	}
	m, err := loadModel(ctx, f.Model)
	if err != nil {
		return fmt.Errorf("scaleout: Features: %w", err)
	}
	// The encoder must be the same as in s3c2011's Lab.Encoder, because the files contain its description.
	d, N := m.Dims()
	opt, how := s3c.EncoderOptions{}, "whole E step"
	if !f.Whole && N >= 150 {
		opt.Skip, how = &s3c.SkipOptions{}, "skipping E step"
	}
	first, err := m.NewEncoder(&opt)
	if err != nil {
		return fmt.Errorf("scaleout: Features: %w", err)
	}
	f.encoder = vision.Wrap(fmt.Sprintf("S3C %s, %s", m.Checksum(), how), d, N, func() vision.PatchEncoder { return first.Fork() })
	return nil
}

func (f *featuresFn) ProcessElement(ctx context.Context, s Shard) (Outcome, error) {
	o := Outcome{Index: s.Index, Of: s.Of, Set: s.Set}
	im := f.images.train
	if s.Set == "test" {
		im = f.images.test
	}
	opt := vision.ExtractOptions{Grid: 3, Pooling: vision.Mean, Format: features.Float16, ShardRows: f.ShardRows, Shards: []int{s.Number}}
	layout, err := vision.ShardsLayout(im, f.images.whitening, f.encoder, &opt)
	if err != nil {
		return o, err
	}
	said, err := makeShard(ctx, f.Folder+"/s3c-"+s.Set, s.Number, func(dir string) (*features.Report, error) {
		opt.Folder = dir
		return vision.ExtractShards(ctx, im, f.images.whitening, f.encoder, &opt)
	})
	if err != nil {
		return o, fmt.Errorf("scaleout: Features: %s, shard %d: %w", s.Set, s.Number, err)
	}
	from, to := layout.Range(s.Number)
	o.Origin = layout.Depends
	o.Line = fmt.Sprintf("%s, images %d to %d: %s", s.Set, from, to-1, said)
	return o, nil
}
