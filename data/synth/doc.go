// Package synth generates data with a known ground truth, without using the network.
//
// Everything here is GENERATED: there are no recordings, no speakers, and no natural statistics other than those built
// into the generators. Results on generated data must be reported as such (record.Generated). They say nothing about
// natural speech, faces, handwriting, photographs or reviews.
//
//	Speech      speech-like sound                  truth: segments, pitch, formants
//	Mixtures    several sounds in several sensors  sources, mixing matrix, noise
//	Digits      handwriting-like digits            label, style, affine map, pen
//	Faces       face-like images                   34 latents per image
//	DeadLeaves  images like those of nature        every visible leaf
//	Topics      documents with ratings             topics, proportions, coefficients
//	Music       clips of invented genres           genre, every note
//
// The zero values of every generator's options are useful. A generator returns an error for options that are
// impossible or would need more than half a gigabyte for one matrix. On the same kind of machine, the same options
// produce the same bits with any number of processors, because each item has its own stream of random numbers. The
// first items of a larger set need not equal those of a smaller set. Images are rows of a matrix, sounds are rows or
// plain slices, and frames of a sound are columns.
//
// # Speech-like sound
//
// Speech generates a sequence of segments, which Sound.Segments lists:
//
//   - voiced: harmonics of a pitch that drifts along a straight line from
//     Pitch[0] to Pitch[1] (90 to 220 Hz) with a vibrato of 1 percent at 5 Hz.
//     Harmonic number h, with frequency f, has the amplitude 1/h of a glottal
//     source, multiplied by the gains of three formants. A formant is a resonance
//     of frequency F and bandwidth B = 60 + F/20 Hz. Its gain at f is
//     1/√((1−(f/F)²)² + (f B/F²)²), and F moves along a straight line from
//     Formants[0] to Formants[1];
//   - unvoiced: white Gaussian noise through one resonance at Formants[0][0],
//     between 1.8 kHz and 0.45 of the rate;
//   - silence: white noise at −60 dB.
//
// Voiced and unvoiced segments fade in and out along a raised cosine of 15 ms, and their amplitude is modulated slowly
// (2 to 6 Hz). The whole sound has a root mean square of 1. There is no reverberation, no jitter of the pitch from
// period to period, and no dependence between neighboring segments.
//
// [Frames] cuts a signal into frames, the columns of a matrix, and [Whiten] transforms the frames so that their
// covariance is the identity.
//
// # Mixtures of sounds
//
// Mixtures generates X = A S + E, where X is m × n with one sensor per row. The k sources S are speech (Speech), tones
// (a melody of decaying notes with four harmonics on a pentatonic scale) or white noise, each scaled to a root mean
// square of 1. The columns of the mixing matrix A (m × k) are the directions of the sources; see Mixture for how they
// are chosen. E is white Gaussian noise. A Mixture holds all four matrices. Unlike in a room there are no echoes and
// no delays: the mixture is instantaneous. Two or more sources of Gaussian noise cannot be separated from each other.
//
// # Digits
//
// Each class has three styles, drawn by hand as knots of one to three strokes. For each image every knot is displaced
// independently (standard deviation 0.028 of the digit's box). The whole digit is bent: each axis is displaced by half
// a period and a whole period of a sine along the other axis (amplitudes with a standard deviation of 0.04). Then it is scaled, sheared, rotated and shifted. The ground
// truth, Digit, has the parameters of scaling, shear, rotation and shift, but not the displacements and bends. The
// strokes are Catmull-Rom splines, drawn with a round pen whose thickness varies from image to image but not along a
// stroke. At the stroke's border, values fall linearly from 1 to 0 over the width of a pixel. Finally the image is
// blurred by (1 6 1)/8.
//
// With 2000 training and 500 test images, classification by the nearest class mean has an accuracy of 88 %, by ridge
// regression 90 %, and by the nearest neighbor 98 %. This is close to MNIST (linear 88 %, neighbors 95 %: LeCun and
// others, 1998). Real digits have many more than three styles, broken and filled strokes, and writers with habits; real
// digits are centered by their mass and never cut off at the border, whereas one in 200 generated digits is cut off. So
// a method that does well on generated digits need not do well on real ones.
//
// # Faces
//
// A face is an ellipsoid that narrows toward the chin, turned by yaw, pitch and roll, with a relief of Gaussian bumps
// (nose, sockets, cheeks, lips, chin) and painted features: eyes, brows, nostrils, mouth, beard, glasses, hair. Behind
// the face are hair, neck, shoulders and a background. Light is ambient plus one distant lamp by Lambert's law,
// smoothed where a surface turns away from the lamp; there are no cast shadows and no gloss. FaceSet.Latents has 34
// numbers for each image. They are independent, normal and truncated at 2.5 standard deviations; three of them (mouth
// opening, beard, glasses) are zero for most faces. Two further random effects are not part of the ground truth: a
// smooth random displacement of the image (standard deviation: 0.025 of half the image's side) and a smooth random
// variation of its brightness (7 percent).
//
// The principal components of these faces resemble those of real faces, because the standard deviations of the latents
// were tuned to real faces. For 400 generated faces of 32 × 32 pixels, 10 components explain 71 % of the variance, 50
// components 90 % and 100 components 96 %; the variance of component k falls as k^−1.5. For 400 real faces (the ORL
// database) the numbers are 65, 88 and 94 %, and k^−1.4. The first three components are the brightness of skin and
// hair and the light's two directions. There are no identities: no two images show the same person.
//
// # Dead leaves
//
// DeadLeaves lays opaque ellipses of uniform gray on top of each other until nothing shows through. Positions are
// uniform, and radii have the density r⁻³ between RMin and RMax: every octave of radii covers the same area, so the
// image has no characteristic scale between RMin and RMax. In this range its power spectrum falls approximately as f⁻²,
// like that of natural images (D. Ruderman, "Origins of scaling in natural images", 1997; A. Lee, D. Mumford, J. Huang,
// "Occlusion models for natural images: a statistical study of the scale-invariant dead leaves model", 2001). At the
// defaults the measured slope from 0.02 to 0.25 cycles per pixel is −1.9. The ground truth is the list of visible
// leaves, from front to back; the image can be redrawn from this list. Photographs differ from these images: they have
// texture, shading, blur and long lines, and the range of their scales has no sharp ends.
//
// [Patches] cuts an image into the rows of a matrix.
//
// # Topics
//
// Topics draws documents by latent Dirichlet allocation and rates them (D. Blei, J. McAuliffe, "Supervised topic
// models", 2007):
//
//	φ_k ~ Dirichlet(β)           topic k, over V words
//	θ_i ~ Dirichlet(α)           the proportions of K topics in document i
//	z ~ θ_i, w ~ φ_z             topic and word at each of its Poisson(Length) places, at least one
//	y_i = η'θ_i + σ ε            its rating, where ε is standard normal
//
// Topics then cuts the ratings into classes at thresholds. If ByWords is set, the rating is η'z̄_i + σ ε as in the
// paper, where z̄_i has the share of each topic among the words of document i. The Corpus has φ, θ, z, w, y and η. With
// the built-in vocabulary β differs from word to word, so that each topic is a theme of film reviews with its own
// words; a rating depends on the proportions of the themes in a document, not on whether its words praise the film.
// Words are independent given the topic: there is no grammar, and words do not occur in bursts.
package synth
