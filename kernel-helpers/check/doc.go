// Package check has exercises that answer. A cell compares what it has computed, or has a function tried:
//
//	check.Close(mine, theirs)            // green, with the largest difference, or red, with its place
//	check.Exercise("pca-2", powerIteration)
//
// Exercise calls the function with inputs that the student has not seen, and says whether it is right; if it
// is not, on which case, and a hint. It never says the answer. A panic, a NaN, a changed input, a function
// that does not end, one of another type: each is said in a line of its own.
//
// Papers and lectures register their exercises with Register, in a file exercises.go; a notebook can have
// some of its own, but then its readers can read the reference too.
//
// # Files
//
//	result.go    Close
//	exercise.go  Register, Exercise and its Verdict
//	show.go      the green and the red line, and the grey one of handouts
//
// # Traps
//
// A verdict is as honest as the session that it is made in: a student can write a green line into a
// notebook by hand. 'overcomplete grade' runs the functions anew, and reads no outputs.
package check
