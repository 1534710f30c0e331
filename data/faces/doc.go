// Package faces reads three sets of grey photographs of faces.
//
//	f, err := faces.Olivetti() // 400 of 40 people, 64 × 64
//	f, err := faces.ATT()      // the same photographs whole, 112 × 92
//	f, err := faces.Course()   // 5,000 without names, 32 × 32
//
// Each gives a [Faces]: a matrix with one face in each row, its pixels row after
// row from the top, whatever the file's own order was.
//
//   - Olivetti (a MATLAB file, array faces of 4096 × 400): a column is a face
//     whose pixels stand column after column. Ten faces of each person follow
//     one another.
//   - AT&T, also called ORL (an archive of files sPERSON/NUMBER.pgm): sorted by
//     person, then number, as numbers.
//   - Course (ex7faces.mat of A. Ng's machine-learning course, array X of 5000 ×
//     1024): a row is a face whose pixels stand column after column.
//
// # Values
//
// Bytes become v/255, 0 is black. The course's values are what the file has and
// not bytes: they are not scaled, because nothing says by what.
//
// # Traps
//
// scikit-learn's Olivetti faces are divided by the largest value, 242, and not by
// 255. AT&T and Olivetti are the same photographs: one cannot test what the
// other trained. No checksum of ex7faces.mat is known, so any file of that form
// is read.
package faces
