//go:build !unix

package ixengine

import "time"

// measuresProcessor says that processorTime is what its name says.
const measuresProcessor = false

var begun = time.Now()

// processorTime returns the time by the clock, where there is nothing better.
func processorTime() int64 { return int64(time.Since(begun)) }
