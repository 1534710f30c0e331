//go:build !js

package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A Stdin replaces the process's standard input: os.Stdin becomes a pipe, and between a call to Serve and the call to
// its stop function, a read from os.Stdin by any code causes a request for a line.
//
// # Detecting a reader
//
// A pipe does not reveal that a reader waits at its other end. But Go does: an os.File holds its read lock
// during a whole Read, even while the goroutine is parked. So if the lock is held while the pipe is empty, a
// reader is waiting. The lock is a bit in an unexported field inside os.File, which is found by the field's
// name. A test fails if a new version of Go moves the field. If the field is not found, reads of standard input
// get EOF.
//
// A child process that inherits os.Stdin reads the same pipe, but its reads are not noticed: it waits until
// the cell is interrupted.
type Stdin struct {
	mu    sync.Mutex
	r, w  *os.File // w is nil if the input is at its end
	lock  *uint64  // r's lock state
	saved *os.File // the original os.Stdin
}

// endOfInput is the line that marks the end of the input, like Control-D in a terminal.
const endOfInput = "\x04"

// OpenStdin replaces os.Stdin by a pipe.
func OpenStdin() (*Stdin, error) {
	s := &Stdin{saved: os.Stdin}
	if err := s.renew(); err != nil {
		return nil, err
	}
	return s, nil
}

// renew makes a new pipe and sets os.Stdin to its reading end.
func (s *Stdin) renew() error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r, s.w, s.lock = r, w, readLock(r)
	if s.lock == nil {
		s.endLocked()
	}
	os.Stdin = r
	return nil
}

// endLocked ends the input, so that readers get EOF. The caller must have locked mu.
func (s *Stdin) endLocked() {
	if s.w != nil {
		s.w.Close()
		s.w = nil
	}
}

// readLock returns the address of f's lock state, or nil if os.File does not have the expected layout.
func readLock(f *os.File) (state *uint64) {
	defer func() {
		if recover() != nil {
			state = nil
		}
	}()
	v := reflect.ValueOf(f).Elem().FieldByName("file").Elem().FieldByName("pfd").FieldByName("fdmu").FieldByName("state")
	if v.Kind() != reflect.Uint64 {
		return nil
	}
	return (*uint64)(unsafe.Pointer(v.UnsafeAddr()))
}

// readLocked is the bit of the state that is set during a Read.
const readLocked = 1 << 1

// reading reports whether a goroutine is waiting in a Read of an empty pipe.
func (s *Stdin) reading() bool {
	return s.lock != nil && atomic.LoadUint64(s.lock)&readLocked != 0 && empty(s.r)
}

// Serve discards input that is left over from earlier, and then supplies input until the returned function is called.
// Whenever a reader waits for input, Serve calls ask() in a separate goroutine. ask() returns a line without its
// newline. If ask() returns an error or the line endOfInput, the input is at its end until the next Serve. When ctx is
// done, reads fail.
//
// ask must return when its context is done. Calls to Serve must not overlap.
func (s *Stdin) Serve(ctx context.Context, ask func(context.Context) (string, error)) (stop func()) {
	s.mu.Lock()
	ended := s.w == nil
	s.mu.Unlock()
	if ended {
		if err := s.renew(); err != nil {
			return func() {}
		}
	}
	s.r.SetReadDeadline(time.Time{})
	drain(s.r)
	if s.lock == nil {
		return func() {}
	}
	inner, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(inner, ask)
		if ctx.Err() != nil {
			// Readers in this process get an error; child processes that inherited the pipe get EOF.
			s.r.SetReadDeadline(time.Unix(1, 0))
			s.mu.Lock()
			s.endLocked()
			s.mu.Unlock()
		}
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(time.Second): // no reader takes the line
		}
	}
}

// look is the interval at which serve checks for a reader.
const look = 3 * time.Millisecond

func (s *Stdin) serve(ctx context.Context, ask func(context.Context) (string, error)) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.reading() {
			continue
		}
		line, err := ask(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil && line != endOfInput {
			if err = s.give(ctx, line+"\n"); err == nil {
				continue
			}
		}
		s.mu.Lock()
		s.endLocked()
		s.mu.Unlock()
		return
	}
}

// give writes text to the pipe. It waits until the pipe has accepted all of the text, or until ctx is done.
func (s *Stdin) give(ctx context.Context, text string) error {
	s.mu.Lock()
	w := s.w
	s.mu.Unlock()
	if w == nil {
		return errors.New("capture: the input has ended")
	}
	set := make(chan bool)
	forget := context.AfterFunc(ctx, func() {
		w.SetWriteDeadline(time.Unix(1, 0))
		close(set)
	})
	_, err := w.WriteString(text)
	if !forget() {
		<-set
		w.SetWriteDeadline(time.Time{}) // a deadline must not affect the next Serve
	}
	return err
}

// Close restores os.Stdin. Readers of the pipe get EOF.
func (s *Stdin) Close() error {
	os.Stdin = s.saved
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked()
	return nil
}
