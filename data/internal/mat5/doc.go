// Package mat5 reads one full numeric array from a MATLAB file of level 5
// (what MATLAB writes with save -v6 and, compressed, -v7), after "MAT-File
// Format", The MathWorks, chapter 1, "Level 5 MAT-File Format".
//
// A file is a header of 128 bytes and a sequence of elements. An element is a tag and its data, padded to 8
// bytes. The tag has the type and the number of bytes, 4 bytes each. In the "small" form, type and number
// share 4 bytes, and up to 4 bytes of data follow in the next 4. An array is an element of type miMATRIX that
// contains other elements: flags and class, dimensions, name, values. Compression wraps a whole array: an
// element of type miCOMPRESSED holds the array as a zlib stream.
//
// Values are in Fortran order: the first index varies fastest. MATLAB may store an array of doubles as small
// integers if no precision is lost, so the type of the stored values need not match the class of the array.
// Get returns float64 for every class except 64-bit integers. It refuses 64-bit integers, as well as complex,
// sparse, character, cell and structure arrays, and MATLAB 7.3 files, which are HDF5.
//
// Sizes in the file are checked against each other and against the limit
// before anything is read, and memory grows with the bytes that arrive.
package mat5
