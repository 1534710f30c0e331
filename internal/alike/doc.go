// Package alike compares results of computations: numbers, nested slices, matrices, vectors, and
// structs of these, real or complex. Two numbers agree if they differ by no more than a given
// fraction of the largest number in the wanted result. NaN agrees with nothing.
//
//	reading.go   values of any type as lists of numbers
//	compare.go   the first place where two of them differ
package alike
