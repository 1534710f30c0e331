// Package natural reads the ten whitened natural images from which B. Olshausen and D. Field learned a sparse
// code (Nature 381, 1996). The images are 512 × 512 each; they are the training set of the program sparsenet.
//
//	s, err := natural.Load()
//	A := s.Images[0] // 512 × 512
//
// The archive has the files trainset/image0 to trainset/image9. Each file has 512 × 512 big-endian float32
// values, row by row from the top, without a header.
//
// # Values
//
// Each image has mean 0 and a variance near 0.08, with values from −2.03 to 2.86: it was filtered by
// f·exp(−(f/f₀)⁴), f₀ = 200 cycles per picture, which whitens the image and cuts off the highest frequencies.
// The values are returned unchanged; do not whiten them again.
//
// # Traps
//
// The filter wraps around the edges, so patches are usually taken a few pixels away from the edges. This is
// the format of 1996. IMAGES.mat on the home page is in another format (MATLAB, doubles) and is not read; it
// is not known whether both formats contain the same numbers.
package natural
