// Package mnist reads MNIST: handwritten digits of 28 × 28 gray pixels, 60,000 for training and 10,000 for testing (Y.
// LeCun, C. Cortes, C. Burges, yann.lecun.com/exdb/mnist).
//
//	d, err := mnist.Load()
//	X := d.Train.First(1000) // 1000 × 784, values 0 to 1
//
// The format is IDX: two zero bytes, a type (8: unsigned byte), the number of dimensions, each dimension as a
// big-endian 32-bit integer, then the values, with the last index varying fastest. [ReadImages] and [ReadLabels] accept
// files in this format, compressed by gzip or not.
//
// # Orientation
//
// An image is stored row by row from the top; ink is 255 and paper 0.
//
// # Traps
//
// The first 5,000 test images are cleaner and easier than the last 5,000, according to the home page: do not test on
// the first thousand. Pixels are kept as bytes, because the training images alone, 47 MB as bytes, would take 376 MB
// as float64: convert only the images that you need, with First or Rows.
package mnist
