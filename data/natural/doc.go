// Package natural reads the ten whitened natural images from which B. Olshausen and D. Field learned a sparse code
// (Nature 381, 1996). The images are 512 × 512 each; they are the training set of the program sparsenet.
//
//	s, err := natural.Load()
//	A := s.Images[0] // 512 × 512
//
// The archive has the files trainset/image0 to trainset/image9. Each file has 512 × 512 big-endian float32 values, row
// by row from the top, without a header.
//
// # Values
//
// Each image has mean 0 and a variance near 0.08, with values from −2.03 to 2.86: it was filtered by f·exp(−(f/f₀)⁴),
// f₀ = 200 cycles per picture, which whitens the image and cuts off the highest frequencies. The values are returned
// unchanged; do not whiten them again.
//
// # Traps
//
// The filter wraps around the edges, so patches are usually taken a few pixels away from the edges. The format
// described here is that of the archive from 1996. IMAGES.mat on the home page has another format (MATLAB, doubles),
// and this package does not read it; it is not known whether both files contain the same numbers.
package natural
