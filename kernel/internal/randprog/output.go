package randprog

import "bytes"

// mostOutput is how much of what is printed is kept. A program that prints more prints for ever.
const mostOutput = 64 << 20

// An Output keeps what programs print, if it is not too much.
type Output struct{ text bytes.Buffer }

func (o *Output) Write(p []byte) (int, error) {
	o.text.Write(p[:min(len(p), mostOutput-o.text.Len())])
	return len(p), nil
}

// String returns what has been kept.
func (o *Output) String() string { return o.text.String() }
