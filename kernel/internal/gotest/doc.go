// Package gotest runs tests inside this process as a program built by go test would run them. It uses package
// testing, and can run tests any number of times.
//
// # Files in reading order
//
//	suite.go    a set of tests, how to run it, and what package testing needs from a test program
//	options.go  the flags, which are package testing's own
//	output.go   the output of package testing, with positions in cells
//
// # Traps
//
// Package testing writes to os.Stdout and keeps its flags in variables of the process. So there is one run at
// a time, and os.Stdout is a pipe during a run.
//
// Fuzz targets run with their seeds, as with go test without -fuzz. There is no fuzzing, because the code of a cell has
// no coverage counters.
package gotest
