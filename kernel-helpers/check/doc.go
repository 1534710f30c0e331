// Package check tells students whether their answers are right. A cell compares two results, or has a
// function tested:
//
//	check.Close(mine, theirs)            // green, with the largest difference, or red, with its place
//	check.Exercise("pca-2", powerIteration)
//
// Exercise calls the function with inputs that the student has not seen, and says whether it is right. If
// not, it names the failing case and gives a hint, but never the answer. A panic, a NaN, a changed input, a
// function that does not return or has the wrong type: each has a message of its own.
//
// Papers and lectures register their exercises with Register, in a file exercises.go; a notebook can register
// its own, but then its readers can read the reference too.
//
// # Files
//
//	result.go    Close
//	exercise.go  Register, Exercise and its Verdict
//	show.go      the green and the red line, and the gray one of handouts
//
// # Traps
//
// A verdict can be forged: a student can write a green line into a notebook by hand. 'overcomplete grade'
// therefore ignores outputs and runs the functions again.
package check
