package gotest

import (
	"bytes"
	"io"
	"regexp"
	"time"

	"overcomplete/kernel/engine"
)

// The position that package testing finds for a message of a cell is inside the interpreter. After it comes
// the position in the cell, between two marks (engine.PlaceMark); see engine.Tester. A message without marks
// (from a method value t.Error, or a deferred call) has no position.
var (
	marked   = regexp.MustCompile(`(?:[^\s:]+\.go|\?\?\?):\d+: ` + engine.PlaceMark + `([^` + engine.PlaceMark + `]*)` + engine.PlaceMark + ` ?`)
	bare     = regexp.MustCompile(engine.PlaceMark + `([^` + engine.PlaceMark + `]*)` + engine.PlaceMark + ` ?`)
	unmarked = regexp.MustCompile(`(?m)^(\s+)(?:value|(?:asm|call)_[a-z0-9]+|interp|ops|visit|xcall|testing|makefunc|instructions)\.(?:go|s):\d+: `)
)

// place corrects the positions in text, which is output of package testing. That package reports positions in the
// interpreter's code. Where the position in the cell follows, between two marks, only that position is kept.
// Elsewhere, the reported position is removed, and so are calls in the kernel's own code.
func place(text []byte) []byte {
	text = marked.ReplaceAll(text, []byte("$1: "))
	text = bare.ReplaceAll(text, []byte("$1: "))
	text = engine.KernelFrame.ReplaceAll(text, nil)
	return unmarked.ReplaceAll(text, []byte("$1"))
}

// partial is how long copyWithPositions waits for the rest of an incomplete line.
const partial = 100 * time.Millisecond

// copyWithPositions copies r to w line by line, and corrects the positions. It calls seen(lines) with the complete
// lines, before they are corrected. It writes an incomplete line if the rest of the line does not arrive in time, for
// example during a benchmark.
func copyWithPositions(w io.Writer, r io.Reader, seen func([]byte)) {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		buf := make([]byte, 64<<10)
		for {
			n, err := r.Read(buf)
			if n > 0 {
				chunks <- bytes.Clone(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	var rest []byte
	for {
		var late <-chan time.Time
		if len(rest) > 0 {
			late = time.After(partial)
		}
		select {
		case chunk, ok := <-chunks:
			if !ok {
				w.Write(place(rest))
				return
			}
			rest = append(rest, chunk...)
			if i := bytes.LastIndexByte(rest, '\n') + 1; i > 0 {
				seen(rest[:i])
				w.Write(place(rest[:i]))
				rest = bytes.Clone(rest[i:])
			}
		case <-late:
			if !bytes.Contains(rest, []byte(engine.PlaceMark)) {
				w.Write(place(rest))
				rest = nil
			}
		}
	}
}
