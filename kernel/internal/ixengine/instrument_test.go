package ixengine

import "testing"

// TestGotoLabels: a label may precede a declaration, another label, or the end of a case.
func TestGotoLabels(t *testing.T) {
	s := fresh(t, Options{})
	if got := run(t, s, `func f(n int) (sum int) {
again:
	x := n
	sum += x
	if n--; n > 0 { goto again }
	switch {
	case n == 0:
		goto done
	a:
	b:
		sum += 1000
		goto b
		goto a
	done:
		fallthrough
	default:
		sum += 100
	}
loop:
	for { for { break loop } }
	return sum
}
f(4)`)[0].Value; got != 110 {
		t.Error(got)
	}
	if got := run(t, s, "k := 0\nagain:\nk++\nif k < 5 { goto again }\nk")[0].Value; got != 5 {
		t.Error(got)
	}
}
