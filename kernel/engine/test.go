package engine

import "context"

// A Tester is a Session that runs its functions under package testing.
type Tester interface {
	// Test calls run as Call does. run must pass each function of a cell that it hands to package testing
	// through guard, which returns a function of the same type. A panic of the guarded function only fails the
	// test, and it stops when the cell is stopped. Subtests, cleanups, fuzz targets and bodies of parallel
	// benchmarks, which cells pass to package testing themselves, are guarded too.
	//
	// Package testing takes the place of a message from Go's stack, which has no cells on it. So each message
	// that a cell's function logs, or fails or skips with, begins with its place in the cell, In[3]:7, between
	// two PlaceMarks.
	Test(ctx context.Context, run func(guard func(f any) any)) error
}

// PlaceMark stands on both sides of a place; see Tester. It occurs nowhere else in a message.
const PlaceMark = "\x00"
