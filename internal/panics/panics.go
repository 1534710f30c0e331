// Package panics is for tests: it returns the value of a panic, to compare it with the expected one.
package panics

// Value calls f and returns the value of its panic, or nil if f returns.
func Value(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
