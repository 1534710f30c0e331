//go:build !unix

package ixengine

import "time"

// measuresProcessor reports whether processorTime returns processor time.
const measuresProcessor = false

var begun = time.Now()

// processorTime returns wall-clock time in nanoseconds, because there is nothing better here.
func processorTime() int64 { return int64(time.Since(begun)) }
