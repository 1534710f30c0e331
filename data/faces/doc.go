// Package faces reads three sets of gray photographs of faces.
//
//	f, err := faces.Olivetti() // 400 of 40 people, 64 × 64
//	f, err := faces.ATT()      // the same photographs, uncropped, 112 × 92
//	f, err := faces.Course()   // 5,000 without names, 32 × 32
//
// Each function returns a [Faces]: a matrix with one face in each row. Whatever the order in the file was, the pixels
// are stored row by row from the top.
//
//   - Olivetti (a MATLAB file, 4096 × 400 array faces): each column is a face
//     with its pixels in column-major order. Ten faces of each person follow
//     one another.
//   - AT&T, also called ORL (an archive of files sPERSON/NUMBER.pgm): sorted by
//     person, then by number; both are compared as numbers, so 2 precedes 10.
//   - Course (ex7faces.mat of A. Ng's machine-learning course, array X of 5000 ×
//     1024): a row is a face with its pixels in column-major order.
//
// # Values
//
// For Olivetti and AT&T, a byte v becomes v/255, and 0 is black. For Course, the values in the file are not bytes.
// They are returned unchanged, because their scale is not documented.
//
// # Traps
//
// scikit-learn divides the Olivetti faces by their largest value, 242, not by 255. The AT&T and Olivetti sets contain
// the same photographs: do not train on one and test on the other. No checksum of ex7faces.mat is known, so any file
// of that format is read.
package faces
