// Package mat5 reads one full numeric array from a MATLAB file of level 5
// (what MATLAB writes with save -v6 and, compressed, -v7), after "MAT-File
// Format", The MathWorks, chapter 1, "Level 5 MAT-File Format".
//
// A file is a header of 128 bytes and a row of elements. An element is a tag
// (type and number of bytes, 4 + 4 bytes; or both in 4 bytes and up to 4 bytes
// of data in the next 4, the "small" form) and its data, padded to 8 bytes. An
// array is an element of type miMATRIX that has elements in it: flags and class,
// dimensions, name, values. Compression wraps a whole array: an element of type
// miCOMPRESSED holds it as a zlib stream.
//
// Values are in the order of Fortran: the first index runs fastest. MATLAB
// may store an array of doubles as small integers if that loses nothing, so
// the type of the stored values is not the class of the array. Get returns
// float64 for every class but 64-bit integers. It refuses these, as well as complex,
// sparse, character, cell and structure arrays, and MATLAB 7.3 files, which are
// HDF5.
//
// Sizes in the file are checked against each other and against the limit
// before anything is read, and memory grows with the bytes that arrive.
package mat5
