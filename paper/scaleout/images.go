package scaleout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"overcomplete/data/cifar"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
)

// side is the height and width of a patch, in pixels.
const side = 6

// Images describes the images from which patches and features are made. There are no defaults: the numbers must be
// given. Package s3c2011 at full size uses Train 50000, Test 10000, Whiten 2000000 and Seed 1.
type Images struct {
	// Archive is the archive of CIFAR-10, or of other images in the same format: a
	// path on each worker, or in a bucket. If it is "", dead leaves are generated.
	Archive string
	// Train and Test are the numbers of images whose features are made. Patches come
	// from all training images of the archive.
	Train, Test int
	// Whiten is the number of patches for the whitening.
	Whiten int
	// Seed chooses the patches.
	Seed uint64
}

// loadedImages holds the images that a process has read, as described by an Images, and the whitening fitted to these
// images.
type loadedImages struct {
	patches, train, test *vision.Images
	whitening            *vision.Whitening
}

// The DoFns of a process share the images, because reading them takes a long time. Only one of the DoFns reads at
// a time.
var shared struct {
	sync.Mutex
	key   string
	value *loadedImages
}

func (im Images) load(ctx context.Context) (*loadedImages, error) {
	stamp, err := im.stamp(ctx)
	if err != nil {
		return nil, err
	}
	shared.Lock()
	defer shared.Unlock()
	if key := fmt.Sprintf("%#v %s", im, stamp); shared.key != key {
		shared.key, shared.value = "", nil
		v, err := im.read(ctx)
		if err != nil {
			return nil, err
		}
		shared.key, shared.value = key, v
	}
	return shared.value, nil
}

// stamp returns a string that changes when the archive is replaced by another one of the same name.
func (im Images) stamp(ctx context.Context) (string, error) {
	if im.Archive == "" {
		return "", nil
	}
	if !isRemote(im.Archive) {
		info, err := os.Stat(im.Archive)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(info.Size(), info.ModTime()), nil
	}
	fs, err := filesystem.New(ctx, im.Archive)
	if err != nil {
		return "", err
	}
	defer fs.Close()
	size, err := fs.Size(ctx, im.Archive)
	if err != nil {
		return "", fmt.Errorf("%s: %w", im.Archive, err)
	}
	stamp := fmt.Sprint(size)
	if m, ok := fs.(filesystem.LastModifiedGetter); ok {
		if at, err := m.LastModified(ctx, im.Archive); err == nil {
			stamp += at.String()
		}
	}
	return stamp, nil
}

func (im Images) read(ctx context.Context) (*loadedImages, error) {
	if im.Train < 1 || im.Test < 1 || im.Whiten < 2 {
		return nil, fmt.Errorf("there are to be %d training images, %d test images and %d patches for the whitening; at least 1, 1 and 2 are needed", im.Train, im.Test, im.Whiten)
	}
	var l loadedImages
	if im.Archive == "" {
		all, _, err := vision.NewLeaves(ctx, &vision.LeavesOptions{N: im.Train + im.Test, Seed: im.Seed})
		if err != nil {
			return nil, err
		}
		l.train, l.test = all.Slice(0, im.Train), all.Slice(im.Train, im.Train+im.Test)
		l.patches = l.train
	} else {
		r, err := open(ctx, im.Archive)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		d, err := cifar.Read(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", im.Archive, err)
		}
		if d.Train.Len() < im.Train || d.Test.Len() < im.Test {
			return nil, fmt.Errorf("%s has %d and %d images, fewer than %d and %d", im.Archive, d.Train.Len(), d.Test.Len(), im.Train, im.Test)
		}
		l.patches = vision.NewImages(d.Train.Pixels, 3, cifar.Side, cifar.Side)
		l.train = l.patches.Slice(0, im.Train)
		l.test = vision.NewImages(d.Test.Pixels, 3, cifar.Side, cifar.Side).Slice(0, im.Test)
	}
	var err error
	l.whitening, err = vision.FitWhitening(ctx, vision.NewPatches(l.patches, side, im.Whiten, im.Seed), &vision.WhitenOptions{})
	return &l, err
}

// loadModel reads an S3C model from its file or from a training state.
func loadModel(ctx context.Context, path string) (m *s3c.Model, err error) {
	err = asFile(ctx, path, func(file string) error {
		var notModel error
		if m, notModel = s3c.Load(file); !errors.Is(notModel, s3c.ErrFile) {
			return notModel
		}
		st, err := s3c.LoadState(file)
		if err != nil {
			return errors.Join(notModel, err)
		}
		m = st.Model
		return nil
	})
	return m, err
}
