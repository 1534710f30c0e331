package insight

import "time"

// OnPanic sets the function that is called with the value of a panic that led to an empty answer.
func OnPanic(f func(any)) { panicked = f }

// Queries get more time in tests, because a busy machine may need longer than a user waits.
func init() { patience = time.Minute }
