// Package check tells students whether their answers are right. A cell compares two results, or asks for a
// function to be tested:
//
//	check.Close(mine, theirs)            // green, or red with the position of the largest difference
//	check.Exercise("pca-2", powerIteration)
//
// Exercise calls the function with inputs that the student has not seen, and says whether the results are
// right. If they are not, Exercise names the failing case and gives a hint, but never the answer. There are
// separate messages for a panic, a NaN, a modified input, a function that does not return, and a function of
// the wrong type.
//
// Papers and lectures register their exercises with Register, in a file exercises.go. A notebook can register
// exercises too, but then its readers can read the reference solutions.
//
// # Files
//
//	check.go  Close; Register, Exercise and its Verdict; the green and red lines, and the gray line of handouts
//
// # Traps
//
// A verdict can be forged: a student can write a green line into a notebook by hand. 'overcomplete grade'
// therefore ignores outputs and runs the functions again.
package check
