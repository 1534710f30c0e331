package engine

import "context"

// A Tester is a Session whose functions package testing can call.
type Tester interface {
	// Test calls run as Call does. What run hands to package testing of a cell's functions it passes
	// through guard first, which returns a function of the same type: a panic of the function fails the
	// test and nothing else, and what stops a cell stops it. Subtests, cleanups, fuzz targets and bodies of
	// parallel benchmarks, which cells hand over themselves, are guarded too.
	//
	// Package testing takes the place of a message from the stack of Go, on which there are no cells. So each
	// message that a cell's function logs, or fails or skips with, begins with its place in the
	// cell, In[3]:7, between two PlaceMarks.
	Test(ctx context.Context, run func(guard func(f any) any)) error
}

// PlaceMark stands on both sides of a place; see Tester. It is in no message otherwise.
const PlaceMark = "\x00"
