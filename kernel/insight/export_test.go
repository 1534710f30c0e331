package insight

// OnPanic sets what is told of panics that answers survive.
func OnPanic(f func(any)) { panicked = f }
