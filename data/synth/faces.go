package synth

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// FacesOptions configures Faces.
type FacesOptions struct {
	N    int // number of images; 0: 5000
	Size int // pixels per side, 16 to 128; 0: 32
	// Noise is the standard deviation of the noise added to each pixel, on the scale from 0 (black) to 1 (white); 0
	// means none.
	Noise float64
	Seed  uint64
}

// A FaceSet holds generated faces and their ground truth.
type FaceSet struct {
	Images  *mat.Dense // N × Size², one image per row, pixels row by row, 0 (black) to 1 (white)
	Size    int        // pixels per side
	Latents *mat.Dense // N × len(Names): the parameters of the faces, in physical units
	Names   []string   // names of the columns of Latents
}

// Latent returns the column of Latents with the given name, that is, one value for each image. Learned components can
// be compared with these values. Latent panics if there is no such name.
func (s *FaceSet) Latent(name string) []float64 {
	k := slices.Index(s.Names, name)
	if k < 0 {
		panic(fmt.Sprintf("synth: Latent: there is no %q, only %q", name, s.Names))
	}
	return mat.Col(nil, k, s.Latents)
}

// Faces draws face-like images; see the package comment for the method. The same options give the same images
// for any number of processors.
func Faces(ctx context.Context, opt FacesOptions) (*FaceSet, error) {
	if opt.N == 0 {
		opt.N = 5000
	}
	if opt.Size == 0 {
		opt.Size = 32
	}
	switch {
	case opt.Size < 16 || opt.Size > 128:
		return nil, fmt.Errorf("synth: Faces: images of %d pixels a side, must be 16 to 128", opt.Size)
	case opt.N < 0 || opt.N > maxValues/(opt.Size*opt.Size):
		return nil, fmt.Errorf("synth: Faces: %d images of %d pixels a side, must be 1 to %d images", opt.N, opt.Size, maxValues/(opt.Size*opt.Size))
	case !(opt.Noise >= 0 && opt.Noise <= 10):
		return nil, fmt.Errorf("synth: Faces: noise of standard deviation %v, must be from 0 to 10", opt.Noise)
	}
	s := &FaceSet{
		Images:  mat.NewDense(opt.N, opt.Size*opt.Size, nil),
		Size:    opt.Size,
		Latents: mat.NewDense(opt.N, len(latents), nil),
	}
	for _, l := range latents {
		s.Names = append(s.Names, l.name)
	}
	err := forEach(ctx, "Faces", opt.N, func(i int) {
		rnd := random(opt.Seed, streamFaces, i)
		var f face
		for k, l := range latents {
			v := l.mean + l.sd*truncatedNormal(rnd)
			if l.chance > 0 { // probability that the feature exists at all
				there := rnd.Float64() < l.chance
				v = max(0, v)
				if !there {
					v = 0
				}
			}
			*l.of(&f) = v
			s.Latents.Set(i, k, v)
		}
		image := s.Images.RawRowView(i)
		f.draw(image, opt.Size, rnd)
		if opt.Noise > 0 {
			for k, v := range image {
				image[k] = clamp(v+opt.Noise*rnd.NormFloat64(), 0, 1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// latents lists the parameters of a face. They are normal and truncated at 2.5 standard deviations. A parameter whose
// chance is not 0 is positive with that probability, and is 0 in all other cases. Lengths on the head are in units of
// the head's half axes, with the origin at its center, x to the right and y down. Angles are in radians; tones are
// between 0 and 1.
var latents = []struct {
	name             string
	of               func(f *face) *float64
	mean, sd, chance float64
}{
	{"light azimuth", func(f *face) *float64 { return &f.lightAzimuth }, 0, 0.6, 0}, // positive: light from the right
	{"light elevation", func(f *face) *float64 { return &f.lightElevation }, 0.35, 0.36, 0},
	{"ambient light", func(f *face) *float64 { return &f.ambient }, 0.4, 0.1, 0}, // share of the total light
	{"skin tone", func(f *face) *float64 { return &f.skin }, 0.68, 0.09, 0},
	{"hair tone", func(f *face) *float64 { return &f.hair }, 0.28, 0.1, 0},
	{"clothes tone", func(f *face) *float64 { return &f.clothes }, 0.45, 0.08, 0},
	{"background tone", func(f *face) *float64 { return &f.background }, 0.5, 0.05, 0},
	{"shift x", func(f *face) *float64 { return &f.shiftX }, 0, 0.045, 0}, // in half images
	{"shift y", func(f *face) *float64 { return &f.shiftY }, 0.02, 0.045, 0},
	{"head width", func(f *face) *float64 { return &f.width }, 0.74, 0.045, 0}, // half axis in half images
	{"head height", func(f *face) *float64 { return &f.height }, 0.92, 0.05, 0},
	{"jaw", func(f *face) *float64 { return &f.jaw }, 0.2, 0.07, 0}, // how much narrower the chin is
	{"yaw", func(f *face) *float64 { return &f.yaw }, 0, 0.23, 0},   // positive: turned to the right
	{"pitch", func(f *face) *float64 { return &f.pitch }, 0, 0.13, 0},
	{"roll", func(f *face) *float64 { return &f.roll }, 0, 0.05, 0},
	{"hairline", func(f *face) *float64 { return &f.hairline }, -0.62, 0.09, 0},
	{"hair length", func(f *face) *float64 { return &f.hairLength }, 0.1, 0.4, 0}, // height of the lower end at the sides
	{"hair volume", func(f *face) *float64 { return &f.hairVolume }, 0.13, 0.05, 0},
	{"eye distance", func(f *face) *float64 { return &f.eyeX }, 0.37, 0.025, 0}, // distance of each eye from the middle
	{"eye height", func(f *face) *float64 { return &f.eyeY }, -0.1, 0.03, 0},
	{"eye width", func(f *face) *float64 { return &f.eyeWidth }, 0.165, 0.015, 0},
	{"eye opening", func(f *face) *float64 { return &f.eyeOpening }, 0.058, 0.016, 0},
	{"gaze", func(f *face) *float64 { return &f.gaze }, 0, 0.03, 0},
	{"brow height", func(f *face) *float64 { return &f.browY }, 0.17, 0.03, 0}, // above the eye
	{"brow thickness", func(f *face) *float64 { return &f.browThickness }, 0.042, 0.012, 0},
	{"nose length", func(f *face) *float64 { return &f.noseY }, 0.27, 0.035, 0}, // height of the tip
	{"nose width", func(f *face) *float64 { return &f.noseWidth }, 0.13, 0.02, 0},
	{"mouth height", func(f *face) *float64 { return &f.mouthY }, 0.55, 0.03, 0},
	{"mouth width", func(f *face) *float64 { return &f.mouthWidth }, 0.28, 0.04, 0},
	{"mouth opening", func(f *face) *float64 { return &f.mouthOpening }, 0.03, 0.03, 0.4},
	{"lips", func(f *face) *float64 { return &f.lips }, 0.06, 0.014, 0}, // half the height of the lips
	{"smile", func(f *face) *float64 { return &f.smile }, 0.25, 0.35, 0},
	{"beard", func(f *face) *float64 { return &f.beard }, 0.5, 0.2, 0.22},    // darkness
	{"glasses", func(f *face) *float64 { return &f.glasses }, 0.7, 0.2, 0.2}, // darkness
}
