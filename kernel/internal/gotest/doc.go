// Package gotest runs tests with package testing inside this process, any number of times, as the
// program does that go test builds.
//
// # Files in reading order
//
//	suite.go    what there is to run, and one run of it
//	options.go  the flags, which are package testing's own
//	deps.go     what package testing asks of such a program
//	output.go   what it prints, with places in cells
//	fuzz.go     fuzzing in this process
//	mutate.go   new inputs from old ones
//	minimize.go small inputs from large ones
//	literal.go  an input as Go
//
// # Traps
//
// Package testing writes to os.Stdout and keeps its flags in variables of the process: one run at a
// time, and while it lasts os.Stdout is a pipe.
//
// Go's own fuzzing runs each input in processes of its own, and keeps inputs that reach new code. Here
// there is one process, code of cells has no counters of coverage, and inputs are made blindly from the seed corpus.
package gotest
