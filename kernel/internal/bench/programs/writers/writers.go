// Package writers prints through a bufio.Writer to a value of a type that the package declares. The bufio.Writer calls
// this type's method Write.
package writers

import "bufio"

type counter struct{ bytes, calls int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	c.calls++
	return len(p), nil
}

// Run writes n short texts through a small buffer, and returns the number of bytes that arrive plus the number of
// calls of Write.
func Run(n int) int {
	c := &counter{}
	w := bufio.NewWriterSize(c, 16)
	for range n {
		w.WriteString("a text of 16 ch.")
	}
	w.Flush()
	return c.bytes + c.calls
}
