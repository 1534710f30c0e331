// Package exercise keeps the exercises of notebooks and tries functions on them. It is not for cells: what
// it returns has the references, by which answers are judged. Cells use package check, which registers
// and tries, and gives nothing back but a verdict; the grader asks for the tasks themselves.
//
//	task.go      what an exercise is, and the list of all
//	seeds.go     which inputs a function is tried on
//	attempt.go   one call of a function, whatever it does
//	judge.go     whether what it returned is right
//	wire.go      results on their way from a student's process to the grader
package exercise
