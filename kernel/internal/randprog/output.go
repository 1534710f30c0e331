package randprog

import "bytes"

// mostOutput is the maximum size of an Output, in bytes. A program that prints more is assumed to print
// forever.
const mostOutput = 64 << 20

// An Output keeps the output of programs up to a limit.
type Output struct{ text bytes.Buffer }

func (o *Output) Write(p []byte) (int, error) {
	o.text.Write(p[:min(len(p), mostOutput-o.text.Len())])
	return len(p), nil
}

// String returns the output that was kept.
func (o *Output) String() string { return o.text.String() }
