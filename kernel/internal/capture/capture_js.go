package capture

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"syscall/js"
	"unicode/utf8"
)

// A Capture captures what the process writes to descriptors 1 and 2. In a browser there are no pipes. Instead, the
// page provides a file system, which passes each write to the JavaScript function overcompleteWrite(fd, bytes). Start
// defines this function. So text reaches the sink at once, in the order of the writes.
type Capture struct {
	sink func(Stream, string)
	hook js.Func

	mu   sync.Mutex
	rest [2][]byte // the beginning of an incomplete rune
}

// Start redirects both streams to a function: it calls sink(stream, text) with pieces of valid UTF-8 in the order in
// which the pieces were written.
func Start(sink func(Stream, string)) (*Capture, error) {
	c := &Capture{sink: sink}
	c.hook = js.FuncOf(func(_ js.Value, args []js.Value) any {
		b := make([]byte, args[1].Length())
		js.CopyBytesToGo(b, args[1])
		c.pass(Stream(args[0].Int()-1), b)
		return nil
	})
	js.Global().Set("overcompleteWrite", c.hook)
	return c, nil
}

// Original returns os.Stdout or os.Stderr, the file of stream s.
func (c *Capture) Original(s Stream) *os.File { return [...]*os.File{os.Stdout, os.Stderr}[s] }

func (c *Capture) pass(s Stream, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b = append(c.rest[s], b...)
	n := len(b)
	for k := 1; k < utf8.UTFMax && k <= len(b); k++ {
		if tail := b[len(b)-k:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				n -= k
			}
			break
		}
	}
	c.rest[s] = bytes.Clone(b[n:])
	if n > 0 {
		c.sink(s, valid(b[:n]))
	}
}

// Flush does nothing: all text has already reached the sink.
func (c *Capture) Flush() {}

// Writer returns a writer to the stream s. Its writes preserve the order between the two streams.
func (c *Capture) Writer(s Stream) io.Writer { return orderedWriter{c, s} }

type orderedWriter struct {
	c *Capture
	s Stream
}

func (o orderedWriter) Write(b []byte) (int, error) {
	o.c.pass(o.s, b)
	return len(b), nil
}

// Lend fails, because in a browser no program can replace this one.
func (c *Capture) Lend() (takeBack func() error, err error) {
	return nil, errors.New("capture: in a browser no other program can take over")
}

// Stop restores the streams.
func (c *Capture) Stop() error {
	js.Global().Delete("overcompleteWrite")
	c.hook.Release()
	return nil
}
