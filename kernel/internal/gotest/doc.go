// Package gotest runs tests with package testing inside this process, any number of times, as the
// program does that go test builds.
//
// # Files in reading order
//
//	suite.go    what there is to run, and one run of it
//	options.go  the flags, which are package testing's own
//	deps.go     what package testing asks of such a program
//	output.go   what it prints, with places in cells
//
// # Traps
//
// Package testing writes to os.Stdout and keeps its flags in variables of the process: one run at a
// time, and while it lasts os.Stdout is a pipe.
//
// Fuzz targets run with their seeds, as go test runs them without -fuzz. There is no fuzzing: code of cells has no counters
// of coverage.
package gotest
