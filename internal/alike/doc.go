// Package alike compares results of computations: numbers, slices and slices of slices, matrices,
// vectors, complex ones too, structs of those. Two numbers agree if they differ by no more than a part
// of the largest number of the wanted result. NaN agrees with nothing.
//
//	reading.go   values of any type as lists of numbers
//	compare.go   the first place where two of them differ
package alike
