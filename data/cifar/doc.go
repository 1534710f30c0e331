// Package cifar reads CIFAR-10: color photographs of 32 × 32 pixels in ten
// classes, 50,000 for training and 10,000 for testing (A. Krizhevsky, 2009,
// www.cs.toronto.edu/~kriz/cifar.html; the binary version).
//
//	d, err := cifar.Load()
//	X := d.Train.First(1000)       // 1000 × 3072, values 0 to 1
//	G := d.Train.Grey([]int{0, 1}) // 2 × 1024
//
// An archive has five files of 10,000 training images, one of 10,000 test
// images, and the names of the classes. A record is a byte for the class and
// 3,072 for the pixels: 1,024 of red, then of green, then of blue, each plane
// row after row from the top. Rows of matrices keep this order.
//
// # Traps
//
// The planes follow one another, so R, G and B of a pixel are 1,024 bytes apart. All pixels as float64 would
// take 1.5 GB, so they stay bytes: convert only the images that you need. Many copies of the archive have
// been repacked and have other checksums, so the checksums of its members are compared.
package cifar
