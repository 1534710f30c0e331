//go:build !js

package capture

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// A Capture redirects both output streams, standard output and standard error. Only one Capture can be active in a
// process.
type Capture struct {
	sink  func(Stream, string)
	pipes [2]*pipe
	orig  [2]*os.File // the streams' files before Start
	undo  func() error

	sinkMu sync.Mutex // ensures that one goroutine at a time calls sink
	order  sync.Mutex // locked while a writer made by Writer writes
	last   Stream
}

// A pipe carries the text of one of the two streams to the goroutine that reads the pipe. The pipe's mark is explained
// in the package comment.
type pipe struct {
	w    *os.File
	mark []byte
	seen chan struct{} // signaled when a mark has been read
	done chan struct{} // closed when the reader has ended
	ask  sync.Mutex    // locked while the method wait runs
}

// Start redirects both streams to a function: it calls sink(stream, text) with pieces of valid UTF-8 in the order in
// which the pieces were written.
func Start(sink func(Stream, string)) (*Capture, error) {
	c := &Capture{sink: sink}
	var readers [2]*os.File
	for i := range c.pipes {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("capture: %w", err)
		}
		p := &pipe{w: w, mark: make([]byte, 16), seen: make(chan struct{}), done: make(chan struct{})}
		rand.Read(p.mark)
		// The mark begins with a byte that never occurs in UTF-8.
		p.mark[0] = 0xFF
		for j := range p.mark[1:] {
			p.mark[j+1] &= 0x7F
		}
		c.pipes[i], readers[i] = p, r
	}
	undo, orig, err := redirect(c.pipes[0].w, c.pipes[1].w)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	c.undo, c.orig = undo, orig
	for i, r := range readers {
		go c.read(Stream(i), r)
	}
	return c, nil
}

// Original returns the file to which the output of stream s went before Start.
func (c *Capture) Original(s Stream) *os.File { return c.orig[s] }

// read reads the text of stream s from the pipe r and passes it to the sink. It removes the marks that c.wait() has
// written, and never splits a rune.
func (c *Capture) read(s Stream, r *os.File) {
	p := c.pipes[s]
	defer close(p.done)
	defer r.Close()
	buf := make([]byte, 64<<10)
	var rest []byte // bytes that have not been passed on yet
	for {
		n, err := r.Read(buf)
		rest = append(rest, buf[:n]...)
		for {
			i := bytes.Index(rest, p.mark)
			if i < 0 {
				break
			}
			c.pass(s, rest[:i])
			rest = append(rest[:0], rest[i+len(p.mark):]...)
			p.seen <- struct{}{}
		}
		if err != nil {
			c.pass(s, rest)
			return
		}
		keep := unfinished(rest, p.mark)
		c.pass(s, rest[:len(rest)-keep])
		rest = append(rest[:0], rest[len(rest)-keep:]...)
	}
}

// unfinished returns how many bytes at the end of b may be the beginning of a mark or of a rune.
func unfinished(b, mark []byte) int {
	if i := bytes.LastIndexByte(b, mark[0]); i >= 0 && len(b)-i < len(mark) && bytes.HasPrefix(mark, b[i:]) {
		return len(b) - i
	}
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

func (c *Capture) pass(s Stream, b []byte) {
	if len(b) == 0 {
		return
	}
	c.sinkMu.Lock()
	defer c.sinkMu.Unlock()
	c.sink(s, valid(b))
}

// Flush waits until all text that was written before this call has reached the sink.
func (c *Capture) Flush() {
	c.pipes[Stdout].wait()
	c.pipes[Stderr].wait()
}

// wait waits until the reader has read everything that is now in the pipe. It writes a mark and waits until the reader
// has found it.
func (p *pipe) wait() {
	p.ask.Lock()
	defer p.ask.Unlock()
	if _, err := p.w.Write(p.mark); err != nil {
		return
	}
	select {
	case <-p.seen:
	case <-p.done:
	}
}

// Writer returns a writer to the stream s. Its writes preserve the order between the two streams.
func (c *Capture) Writer(s Stream) io.Writer { return orderedWriter{c, s} }

type orderedWriter struct {
	c *Capture
	s Stream
}

func (o orderedWriter) Write(b []byte) (int, error) {
	c := o.c
	c.order.Lock()
	defer c.order.Unlock()
	if c.last != o.s {
		c.pipes[c.last].wait()
		c.last = o.s
	}
	return c.pipes[o.s].w.Write(b)
}

// Lend waits until all text written so far has reached the sink. Then it points descriptors 1 and 2 to their original
// files, for a program that will replace this process. The function takeBack resumes the capture.
func (c *Capture) Lend() (takeBack func() error, err error) {
	c.Flush()
	return lend(c.orig)
}

// Stop restores the streams and returns when all text has been passed to the
// sink.
func (c *Capture) Stop() error {
	c.Flush()
	err := c.undo()
	for _, p := range c.pipes {
		p.w.Close()
		<-p.done
	}
	return err
}
