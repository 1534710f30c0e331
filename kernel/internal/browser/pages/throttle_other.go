//go:build !linux

package pages

// Throttle skips the test. To slow a thread down, it would need to know how long the thread has run, and only Linux
// says this, in /proc.
func (p Page) Throttle(float64) {
	p.Helper()
	p.Skip("only on Linux can the browser be slowed down")
}
