package ixengine

import "time"

// Bubbles. A test with testing/synctest runs its function in a bubble, whose clock stands still while one of the
// bubble's goroutines can continue. A channel that is made in a bubble belongs to it: if another goroutine closes it,
// or receives from it, Go ends the process. And the clock stands still as long as a goroutine of the bubble waits for a
// channel of others. So the session cannot wake a goroutine of a bubble that must stop. This is not necessary: if all
// of them wait, the clock moves on until one of them continues, or the test fails because none can. The one that
// continues finds the flag (see host.setStop).
//
// Nor do compiled functions that are called in a bubble get the context of the cell, because its end would close
// channels of the bubble.

// bubbleClock is a time that the real clock has passed, and that the clock of a bubble, which begins at the start of
// the year 2000, does not reach.
var bubbleClock = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// inBubble reports whether the calling goroutine is in a bubble.
func (s *stopper) inBubble() bool {
	return s.bubbles.Load() > 0 && time.Now().Unix() < bubbleClock
}
