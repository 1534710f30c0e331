// Package alike compares results of computations: numbers, nested slices, matrices, vectors, and structs of
// these, real or complex. Two numbers agree if they differ by no more than a given fraction of the largest
// number in the expected result. NaN never agrees.
//
//	reading.go   values of any type as lists of numbers
//	compare.go   the largest difference between two such values
package alike
