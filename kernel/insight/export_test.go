package insight

// OnPanic sets the function that is called with panics that answers survive.
func OnPanic(f func(any)) { panicked = f }
