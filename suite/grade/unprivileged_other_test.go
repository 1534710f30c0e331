//go:build !linux

package grade

import "testing"

func runUnprivileged(t *testing.T, _ string) {
	t.Helper()
	t.Skip("how to become another user is known for Linux alone")
}
