package synth

import (
	"math"
	"math/rand/v2"
)

// A face holds the parameters of one image. The variable latents says what they mean and what their units are.
type face struct {
	lightAzimuth, lightElevation, ambient                           float64
	skin, hair, clothes, background                                 float64
	shiftX, shiftY, width, height, jaw, yaw, pitch, roll            float64
	hairline, hairLength, hairVolume                                float64
	eyeX, eyeY, eyeWidth, eyeOpening, gaze, browY, browThickness    float64
	noseY, noseWidth, mouthY, mouthWidth, mouthOpening, lips, smile float64
	beard, glasses                                                  float64
}

// draw renders the face into the given image: for each pixel it blends layers from back to front with soft edges. Two
// smooth random fields displace the image by a few hundredths of half its side, so that two faces always differ in more
// than their latents. A third field varies the brightness.
func (f *face) draw(image []float64, size int, rnd *rand.Rand) {
	dx, dy := field(size, 2, 0.025, rnd), field(size, 2, 0.025, rnd)
	texture := field(size, 7, 0.07, rnd)
	s := newScene(f, size)
	for i := range size {
		for j := range size {
			k := i*size + j
			x, y := (2*float64(j)+1)/float64(size)-1, (2*float64(i)+1)/float64(size)-1
			image[k] = clamp(s.brightness(x+dx[k], y+dy[k])*(1+texture[k]), 0, 1)
		}
	}
}

// field returns a smooth random field with the standard deviation sd on the pixels of an image. The field is a sum of
// waves. Along each axis, a wave has a whole number of periods, 0 to highest. The amplitude of a wave is
// normal, with a standard deviation inversely proportional to the wave's frequency.
func field(size, highest int, sd float64, rnd *rand.Rand) []float64 {
	out := make([]float64, size*size)
	power := 0.0 // expected mean square of the field
	for ky := 0; ky <= highest; ky++ {
		for kx := -highest; kx <= highest; kx++ {
			if ky > 0 || kx > 0 {
				power += 0.5 / float64(kx*kx+ky*ky)
			}
		}
	}
	sin, cos := make([]float64, size), make([]float64, size) // sine and cosine of t periods over size pixels
	for t := range size {
		sin[t], cos[t] = math.Sincos(2 * math.Pi * float64(t) / float64(size))
	}
	for ky := 0; ky <= highest; ky++ {
		for kx := -highest; kx <= highest; kx++ {
			if ky == 0 && kx <= 0 { // skip the constant, and waves that were already added
				continue
			}
			a := sd * rnd.NormFloat64() / math.Sqrt(power*float64(kx*kx+ky*ky))
			sp, cp := math.Sincos(2 * math.Pi * rnd.Float64())
			for i := range size {
				t := ky * i % size
				s, c := a*(sin[t]*cp+cos[t]*sp), a*(cos[t]*cp-sin[t]*sp)
				row := out[i*size : (i+1)*size]
				t = 0
				for j := range row { // a sin(ky y + kx x + phase)
					row[j] += s*cos[t] + c*sin[t]
					if t += kx; t >= size {
						t -= size
					} else if t < 0 {
						t += size
					}
				}
			}
		}
	}
	return out
}

// A scene is a face together with derived values that are the same for all pixels.
type scene struct {
	*face
	light              [3]float64 // direction toward the light; x right, y down, z toward the viewer
	pixel              float64    // size of a pixel, in units of half the image's side
	sinYaw, cosYaw     float64
	sinPitch, cosPitch float64
	sinRoll, cosRoll   float64
	bumps              []bump
}

func newScene(f *face, size int) *scene {
	s := &scene{face: f, pixel: 2 / float64(size)}
	s.sinYaw, s.cosYaw = math.Sincos(f.yaw)
	s.sinPitch, s.cosPitch = math.Sincos(f.pitch)
	s.sinRoll, s.cosRoll = math.Sincos(f.roll)
	sa, ca := math.Sincos(f.lightAzimuth)
	se, ce := math.Sincos(f.lightElevation)
	s.light = [3]float64{sa * ce, -se, ca * ce}
	s.bumps = []bump{
		{0, f.noseY - 0.17, 0.55 * f.noseWidth, 0.17, 0.13},       // ridge of the nose
		{0, f.noseY, 0.75 * f.noseWidth, 0.075, 0.11},             // tip of the nose
		{-f.eyeX, f.eyeY - 0.02, 0.17, 0.10, -0.07},               // eye sockets
		{f.eyeX, f.eyeY - 0.02, 0.17, 0.10, -0.07},                //
		{0, f.eyeY - f.browY - 0.04, 0.45, 0.08, 0.03},            // ridge of the brows
		{-0.47, 0.25, 0.2, 0.2, 0.05 + 0.04*clamp(f.smile, 0, 1)}, // cheeks
		{0.47, 0.25, 0.2, 0.2, 0.05 + 0.04*clamp(f.smile, 0, 1)},  //
		{0, f.mouthY, 0.8 * f.mouthWidth, f.lips + 0.04, 0.03},    // lips
		{0, f.mouthY + 0.14, 0.2, 0.05, -0.025},                   // hollow below the lips
		{0, 0.84, 0.17, 0.12, 0.06},                               // chin
	}
	return s
}

// A bump is a Gaussian hill (or hollow) on the head.
type bump struct{ x, y, sx, sy, height float64 }

// brightness returns the brightness of the image at (x, y). The image covers [−1, 1]².
func (s *scene) brightness(x, y float64) float64 {
	// The image plane, in half axes of the upright head.
	x0, y0 := x-s.shiftX, y-s.shiftY
	px := (s.cosRoll*x0 + s.sinRoll*y0) / s.width
	py := (s.cosRoll*y0 - s.sinRoll*x0) / s.height
	edge := 1.2 * s.pixel / s.width // half the width of a soft edge

	v := s.background * (1 - 0.12*y)
	// Shoulders and neck.
	if y > 0.6 {
		v = over(v, s.clothes*s.shade(0.5*x, -0.5, 0.7), y-(0.88+s.shiftY/2+0.22*x0*x0), edge)
		v = over(v, 0.8*s.skin*s.shade(px, 0.5, 0.6), min(0.52-math.Abs(px), 1.25-py), edge)
	}
	// The hair behind the head, down to hairLength.
	a, b := px/(1+s.hairVolume), (py+0.03)/(1+0.7*s.hairVolume)
	if py > 0.2 { // the hair falls straight
		b = 0.2 + 0.3*(b-0.2)
	}
	if r := a*a + b*b; r < 1.2 {
		z := math.Sqrt(max(0.05, 1-r))
		hair := s.hair * (0.25 + 1.1*s.shade(0.8*a, 0.8*py, z))
		// The lower end of the hair is uneven and thin.
		end := rise(s.hairLength+0.06*math.Cos(9*px)-py, 0.12)
		v += (hair - v) * rise(1-math.Sqrt(r), edge) * end
	}
	// The head, an ellipsoid that narrows toward the chin.
	qx := px
	if py > 0 {
		qx /= 1 - s.jaw*py*py
	}
	r := qx*qx + py*py
	if r > 1.3 {
		return v
	}
	return over(v, s.head(qx, py, math.Sqrt(max(0.01, 1-r))), 1-math.Sqrt(r), edge)
}

// head returns the brightness of the head at (x, y, z), a point on the half of the unit sphere that faces the viewer.
func (s *scene) head(x, y, z float64) float64 {
	// (X, Y) is the corresponding point on a head that is not turned.
	X, Z := s.cosYaw*x-s.sinYaw*z, s.sinYaw*x+s.cosYaw*z
	Y := s.cosPitch*y - s.sinPitch*Z
	side := math.Abs(X)
	edge := 1.2 * s.pixel / s.width

	// The relief tilts the normals of a flattened ellipsoid.
	nx, ny, nz := 0.8*x, 0.6*y, z
	for _, b := range s.bumps {
		u, w := (X-b.x)/b.sx, (Y-b.y)/b.sy
		if e := u*u + w*w; e < 12 {
			h := b.height * math.Exp(-e/2)
			nx += h * u / b.sx
			ny += h * w / b.sy
		}
	}
	shade := s.shade(nx, ny, nz)

	tone := s.skin
	// Lips, and the mouth between the lips.
	mx, my := X/s.mouthWidth, Y-s.mouthY
	my += 0.07 * s.smile * mx * mx // the corners of a smile point up
	if math.Abs(mx) < 1.3 && math.Abs(my) < 0.4 {
		open := s.mouthOpening * (1 - mx*mx)
		tone = over(tone, 0.72*s.skin, (1-math.Hypot(mx, my/(s.lips+s.mouthOpening)))*s.lips, edge)
		tone = over(tone, 0.25*s.skin, 0.012+open-math.Abs(my)-0.03*mx*mx, edge)
	}
	// Nostrils.
	if d := math.Hypot((side-0.6*s.noseWidth)/0.05, (Y-s.noseY-0.06)/0.03); d < 4 {
		tone = over(tone, 0.45*s.skin, (1-d)*0.03, edge)
	}
	if s.beard > 0 {
		d := min(Y-0.28-0.15*(1-side), 1)
		if m := math.Hypot(mx/1.3, my/(s.lips+0.09)); m < 1 {
			d = min(d, 0.35*(m-1))
		}
		tone += s.beard * (0.6*s.hair - tone) * rise(d, 0.1)
	}
	// Eyes: white, iris, lids and brows.
	ex, ey := (side-s.eyeX)/s.eyeWidth, Y-s.eyeY
	if math.Abs(ex) < 1.8 && math.Abs(ey) < 0.5 {
		lid := s.eyeOpening * (1 - ex*ex)
		tone = over(tone, 0.35*s.skin, 0.02+lid-math.Abs(ey+0.012), edge)
		white := min(0.85, 1.15*s.skin)
		gaze := s.gaze
		if X < 0 { // side mirrors the left eye; the gaze is not mirrored
			gaze = -gaze
		}
		iris := math.Hypot(side-s.eyeX-gaze, ey)
		white = over(white, 0.12, 0.065-iris, edge)
		tone = over(tone, white, lid-math.Abs(ey), edge)
		brow := Y - (s.eyeY - s.browY + 0.07*ex*ex - 0.02*ex)
		tone = over(tone, 0.75*s.hair, min(s.browThickness*(1.1-0.3*ex)-math.Abs(brow), (1.25-math.Abs(ex))*s.eyeWidth), edge)
		if s.glasses > 0 {
			ring := math.Abs(math.Hypot(side-s.eyeX, 1.25*(ey-0.02)) - 0.25)
			tone += s.glasses * (0.1 - tone) * rise(0.02-ring, edge)
		}
	}
	if s.glasses > 0 && side < s.eyeX-0.22 { // the bridge of the glasses
		tone += s.glasses * (0.1 - tone) * rise(0.02-math.Abs(Y-s.eyeY+0.02), edge)
	}
	v := tone * shade
	// Hair on the forehead and along the sides.
	line := s.hairline + 0.35*X*X
	hair := line - Y
	if d := min(side-0.86+0.1*(Y+0.3), s.hairLength-Y); d > hair {
		hair = d
	}
	hair += 0.025 * math.Cos(11*X) // strands
	return over(v, s.hair*(0.25+1.1*s.shade(0.8*x, 0.8*y, z)), hair, edge)
}

// shade returns the light that a surface with the given normal (of any length) reflects: ambient light, and Lambert's
// max(0, cosine), smoothed at its corner.
func (s *scene) shade(nx, ny, nz float64) float64 {
	d := (nx*s.light[0] + ny*s.light[1] + nz*s.light[2]) / math.Sqrt(nx*nx+ny*ny+nz*nz)
	d = 0.5 * (d + math.Sqrt(d*d+0.02))
	return s.ambient + 1.15*(1-s.ambient)*d
}

// over returns v with a layer blended over it. d is the signed distance to the layer's border. The layer is opaque
// where d > edge, and invisible where d < −edge.
func over(v, layer, d, edge float64) float64 {
	return v + (layer-v)*rise(d, edge)
}

// rise increases smoothly from 0 at −edge to 1 at edge.
func rise(d, edge float64) float64 {
	t := clamp(0.5+0.5*d/edge, 0, 1)
	return t * t * (3 - 2*t)
}
