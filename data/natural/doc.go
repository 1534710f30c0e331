// Package natural reads the ten whitened natural images with which B. Olshausen
// and D. Field learned a sparse code (Nature 381, 1996): 512 × 512 each, the
// training set of their program sparsenet.
//
//	s, err := natural.Load()
//	A := s.Images[0] // 512 × 512
//
// The archive has the files trainset/image0 to trainset/image9. Each is 512 × 512
// float32 with the high byte first, row after row from the top, with no header.
//
// # Values
//
// Each image has mean 0 and a variance near 0.08, with values from −2.03 to
// 2.86: it went through the filter f·exp(−(f/f₀)⁴), f₀ = 200 cycles a picture,
// which whitens and cuts off the highest frequencies. The values are returned
// unchanged; do not whiten them again.
//
// # Traps
//
// The filter wraps around the edges, so patches are usually taken a few pixels
// away from them. This is the format of 1996. IMAGES.mat on the home page is
// in another format (MATLAB, doubles) and is not read; whether both hold the same
// numbers is not known here.
package natural
