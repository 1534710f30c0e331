// Package cifar reads CIFAR-10: color photographs of 32 × 32 pixels in ten classes, 50,000 for training and 10,000 for
// testing (A. Krizhevsky, 2009, www.cs.toronto.edu/~kriz/cifar.html; the binary version).
//
//	d, err := cifar.Load()
//	X := d.Train.First(1000)       // 1000 × 3072, values 0 to 1
//	G := d.Train.Gray([]int{0, 1}) // 2 × 1024
//
// The archive has five files of 10,000 training images each, one file of 10,000 test images, and a file with the names
// of the classes. In the files, an image is one byte for the class and 3,072 bytes for the pixels: 1,024 of red, then
// of green, then of blue, each plane row after row from the top. The rows of matrices keep this order of pixels.
//
// # Traps
//
// The three planes of an image follow one another, so the red, green and blue values of a pixel are 1,024 positions
// apart. All pixels as float64 would take 1.5 GB, so Images stores them as bytes: convert only the images that you
// need. Many copies of the archive have been repacked, so the checksums of the archive files differ; Load therefore
// also accepts an archive if the checksums of the files inside it are right.
package cifar
