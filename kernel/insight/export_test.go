package insight

import "time"

// OnPanic sets the function that is called with the value of a panic that led to an empty answer.
func OnPanic(f func(any)) { panicked = f }

// In tests, queries get more time than a user would wait, because the machine may be busy.
func init() { patience = time.Minute }
