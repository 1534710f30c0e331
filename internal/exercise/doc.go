// Package exercise holds the exercises of notebooks and tests students' functions on them. It is not for cells,
// because it exposes the reference solutions. Cells use package check, which registers exercises, tries answers, and
// returns only a verdict; the grader reads the tasks directly.
//
//	task.go      tasks, their registry, and the inputs on which a function is tried
//	attempt.go   one call to a function, which may panic or not end
//	examine.go   the check of a result; the outcome of all cases: right, not started, or a typical mistake
//	wire.go      the encoding of results sent from a student's process to the grader
package exercise
