//go:build !js

package ixengine

import (
	"context"
	"time"
)

// Where there are threads, see breathe.go.
const (
	breathing = false
	// watchEvery is the time between two looks at the memory.
	watchEvery = 5 * time.Millisecond
	// deepest bounds the stack that a goroutine may use when it calls compiled
	// code.
	deepest = stackLimit / 4
	// deepestOwn is not used: watch notices an endless recursion.
	deepestOwn = stackLimit
	// mostDeep is how many machines may be full of calls: 10,000 calls each.
	mostDeep = 32
	// refuseFrom is the size from which a single allocation is checked. A few of this size, made between two looks at
	// the memory, must not fill it: the process may have little more than the limit.
	refuseFrom = 32 << 20
	// mostMemory bounds the memory in use, besides what the system says.
	mostMemory = 1<<63 - 1
)

func breatheNowAndThen() {}
func breatheIfDue()      {}
func keepShallow()       {}

func breathes(c context.Context) context.Context { return c }
