//go:build !js

package ixengine

import (
	"context"
	"net/http"
	"time"
)

// Constants for systems with threads; see breathe.go.
const (
	breathing = false
	// watchEvery is the interval at which the memory is checked.
	watchEvery = 5 * time.Millisecond
	// deepest bounds the stack of a goroutine that calls compiled code.
	deepest = stackLimit / 4
	// deepestOwn is not used: the memory watch notices an endless recursion.
	deepestOwn = stackLimit
	// refuseFrom is the size from which a single allocation is checked. Between two checks of the memory, a few
	// allocations of this size must not fill it: the process may have little more than the limit.
	refuseFrom = 32 << 20
	// mostMemory bounds the memory in use, in addition to the system's own limit.
	mostMemory = 1<<63 - 1
)

func breatheNowAndThen() {}
func breatheIfDue()      {}
func keepShallow()       {}

func breathes(c context.Context) context.Context { return c }

// abandonment is the value with which an HTTP handler panics to abort its response deliberately.
var abandonment any = http.ErrAbortHandler
