//go:build !linux

package pages

// Throttle skips the test. Slowing a thread requires knowing how long it has run, and only Linux provides this, in
// /proc.
func (p Page) Throttle(float64) {
	p.Helper()
	p.Skip("only on Linux can the browser be slowed down")
}
