//go:build !linux

package pages

// Throttle skips the test: what a thread has run is read from /proc.
func (p Page) Throttle(float64) {
	p.Helper()
	p.Skip("only on Linux can the browser be slowed down")
}
