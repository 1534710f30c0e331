package s3c2011

import (
	"errors"
	"fmt"

	"overcomplete/data"
	"overcomplete/data/cifar"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Photographs holds images with classes: CIFAR-10, or generated images in its place.
type Photographs struct {
	// Unlabelled holds all training images, from which S3C and the dictionaries learn. Train and Test hold
	// the images from which features are computed.
	Unlabelled, Train, Test *vision.Images
	TrainLabels, TestLabels []int
	Classes                 []string
	Data                    record.Data
	key                     string
}

// Photographs returns the images of this run: CIFAR-10 if it is on this machine, and generated
// images otherwise.
func (s *sharedLab) Photographs() *Photographs {
	if s.photographs != nil {
		return s.photographs
	}
	d, err := cifar.Load()
	if errors.Is(err, data.ErrAbsent) {
		s.photographs = s.leaves()
		return s.photographs
	}
	lab.Check(err)
	n := s.Settings()
	im := func(c *cifar.Images) *vision.Images {
		return vision.NewImages(c.Pixels, 3, cifar.Side, cifar.Side)
	}
	train, test := min(n.Train, d.Train.Len()), min(n.Test, d.Test.Len())
	s.photographs = &Photographs{
		Unlabelled: im(d.Train), Train: im(d.Train).Slice(0, train), Test: im(d.Test).Slice(0, test),
		TrainLabels: d.Train.Labels[:train], TestLabels: d.Test.Labels[:test],
		Classes: d.Classes, key: "cifar10",
		Data: record.Real(fmt.Sprintf("CIFAR-10, %d images for training and %d for testing", train, test)),
	}
	return s.photographs
}

// leaves returns generated images (dead leaves) as a stand-in for CIFAR-10. There are only as many as are needed to
// show the procedure. They show nothing about photographs.
func (s *sharedLab) leaves() *Photographs {
	n := s.Settings()
	most, tested := 4000, 2000
	if s.Size == record.Lecture { // computing the images' features takes most of the notebook's time
		most, tested = 500, 400
	}
	train, test := min(n.Train, most), min(n.Test, tested)
	im, labels, err := vision.NewLeaves(s.Context(), &vision.LeavesOptions{N: train + test, Seed: s.Seed})
	lab.Check(err)
	p := &Photographs{
		Unlabelled: im.Slice(0, train), Train: im.Slice(0, train), Test: im.Slice(train, train+test),
		TrainLabels: labels[:train], TestLabels: labels[train:],
		key:  fmt.Sprintf("leaves%d", train),
		Data: record.Generated(fmt.Sprintf("%d and %d images of leaves", train, test)),
	}
	for k := range 10 {
		p.Classes = append(p.Classes, fmt.Sprintf("leaves %d", k))
	}
	return p
}
