// Package methodpointer calls a method with a pointer receiver.
package methodpointer

// A Random is a pseudorandom number generator.
type Random struct {
	state int
	calls int
}

// Next returns a number from 0 to 32767.
func (r *Random) Next() int {
	r.state = (r.state*1103515245 + 12345) & 0x7fffffff
	r.calls++
	return r.state >> 16
}

// Run draws n random numbers and returns their sum plus the number of calls.
func Run(n int) int {
	r := &Random{state: 1}
	sum := 0
	for i := 0; i < n; i++ {
		sum += r.Next()
	}
	return sum + r.calls
}
