package icon

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
)

// An Augment bounds the random changes that turn an image into a view of the image. With the zero value, a view equals
// the image. Digits returns usual values.
type Augment struct {
	Shift    float64 // largest shift along each axis, in pixels
	Rotation float64 // largest rotation, in radians
	Scale    float64 // largest change of size: 0.1 means a factor from 1/1.1 to 1.1
	Noise    float64 // standard deviation of noise added to each pixel
}

// Digits returns the usual Augment for pictures of digits, h pixels high and wide.
func Digits(h int) Augment {
	return Augment{Shift: 0.1 * float64(h), Rotation: 0.26, Scale: 0.2, Noise: 0.05}
}

// apply writes a random view of the image (h×w) to dst. Pixels outside the image are 0.
func (a Augment) apply(dst, image []float64, h, w int, rng *rand.Rand) {
	uniform := func() float64 { return 2*rng.Float64() - 1 }
	sin, cos := math.Sincos(a.Rotation * uniform())
	scale := math.Exp(math.Log1p(a.Scale) * uniform())
	dy, dx := a.Shift*uniform(), a.Shift*uniform()
	cy, cx := float64(h-1)/2, float64(w-1)/2
	at := func(y, x int) float64 {
		if y < 0 || x < 0 || y >= h || x >= w {
			return 0
		}
		return image[y*w+x]
	}
	for y := range h {
		for x := range w {
			// (u, v) is the point of the image that maps to this pixel. Interpolate bilinearly at this point.
			v, u := (float64(y)-cy-dy)/scale, (float64(x)-cx-dx)/scale
			sy, sx := cos*v-sin*u+cy, sin*v+cos*u+cx
			fy, fx := math.Floor(sy), math.Floor(sx)
			iy, ix := int(fy), int(fx)
			fy, fx = sy-fy, sx-fx
			p := (1-fy)*((1-fx)*at(iy, ix)+fx*at(iy, ix+1)) + fy*((1-fx)*at(iy+1, ix)+fx*at(iy+1, ix+1))
			if a.Noise > 0 {
				p += a.Noise * rng.NormFloat64()
			}
			dst[y*w+x] = p
		}
	}
}

// Views returns two random views of each row of X (n×(h·w)): rows i and i+n of the result (2n×(h·w)) are
// views of row i. The random changes depend only on the seed and the row number.
func (a Augment) Views(X mat.Matrix, h, w int, seed uint64) *mat.Dense {
	D := given.Dense("icon: Augment.Views", "X", X)
	n, d := D.Dims()
	if d != h*w {
		panic(fmt.Sprintf("icon: Views: X is %d×%d, pictures of %d×%d", n, d, h, w))
	}
	if err := option.Check("icon: Views", option.NotNegative("Shift", float64(a.Shift)), option.NotNegative("Rotation", a.Rotation), option.NotNegative("Scale", a.Scale), option.NotNegative("Noise", a.Noise)); err != nil {
		panic(err.Error())
	}
	V := mat.NewDense(2*n, d, nil)
	eachRow(2*n, func(i int) {
		a.apply(V.RawRowView(i), D.RawRowView(i%n), h, w, rand.New(rand.NewPCG(seed, uint64(i))))
	})
	return V
}
