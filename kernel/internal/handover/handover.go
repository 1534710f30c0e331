// Package handover writes and reads the state that a kernel hands over to the program that replaces it. The
// state is in an unlinked file that the program inherits, encoded with encoding/gob.
package handover

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/history"
	"overcomplete/kernel/wire"
)

// A Handover is the state that another program needs to continue a kernel's server (package jupyter).
type Handover struct {
	Format   int // Format of the program that wrote the Handover
	Session  string
	Count    int                  // number of executed cells, including the current one
	Cell     wire.PackedMessage   // execute_request of the cell to run, which front ends already show as busy
	Queue    []wire.PackedMessage // execute_requests that follow Cell
	Sockets  *wire.State
	History  *history.State
	State    []byte         // state for kernel.Options.Resume
	Declared []DeclaredCell // cells for kernel.Options.Declared
}

// Format is the version of Handover's encoding. It must change whenever Handover or a type in it changes.
// Programs of different Formats do not replace each other.
const Format = 2

// A DeclaredCell is one of the cells that the other program gets as kernel.Options.Declared.
type DeclaredCell struct {
	Name, Source string
	ID           string `json:",omitempty"` // id of the cell in its notebook, "" if unknown
}

// Cells returns h.Declared in the form of kernel.Options.Declared.
func (h *Handover) Cells() []engine.Cell {
	var cells []engine.Cell
	for _, d := range h.Declared {
		cells = append(cells, engine.Cell{Name: d.Name, ID: d.ID, Source: d.Source})
	}
	return cells
}

// Parse decodes a Handover and does all checks that do not require opening a file.
func Parse(data []byte) (*Handover, error) {
	h := new(Handover)
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(h); err != nil {
		return nil, fmt.Errorf("hand-over: %w", err)
	}
	if h.Format != Format {
		return nil, fmt.Errorf("handover: unknown format %d; this program reads format %d", h.Format, Format)
	}
	if h.Sockets == nil || h.Session == "" || h.Count < 0 {
		return nil, errors.New("handover: the state of the sockets or the session is missing")
	}
	for _, p := range append([]wire.PackedMessage{h.Cell}, h.Queue...) {
		m, err := p.Unpack()
		if err != nil {
			return nil, fmt.Errorf("hand-over: %w", err)
		}
		if m.Header.MsgType != "execute_request" {
			return nil, fmt.Errorf("handover: %q is among the cells to run", m.Header.MsgType)
		}
	}
	return h, nil
}

// inheritedFile is the beginning of the names that Exec gives to inherited files; the number of the descriptor follows.
const inheritedFile = "/dev/fd/"

// Read reads a handover from the file called name, and removes the file. If name is a name that Exec has made, Read
// reads from the descriptor that the program has inherited.
func Read(name string) (*Handover, error) {
	var f *os.File
	var err error
	if number, ok := strings.CutPrefix(name, inheritedFile); ok {
		var fd int
		if fd, err = strconv.Atoi(number); err == nil && fd > 2 {
			f = os.NewFile(uintptr(fd), name)
		}
	} else if f, err = os.Open(name); err == nil {
		err = os.Remove(name)
	}
	if err != nil || f == nil {
		return nil, fmt.Errorf("hand-over: %s: %w", name, cmp.Or(err, os.ErrNotExist))
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("hand-over: %w", err)
	}
	return Parse(data)
}

// Exec replaces the running program with another program, which can read the handover from a file. Given the name of
// the file, arguments(file) returns the other program's command line. The other program passes this name to Read. The
// file is unlinked, so nothing remains of it if the other program fails. Exec returns only if it fails, and then
// nothing has changed.
func (h *Handover) Exec(program string, arguments func(file string) []string, env []string) error {
	f, err := os.CreateTemp("", "overcomplete-handover-") // CreateTemp gives the file mode 0600
	if err != nil {
		return fmt.Errorf("hand-over: %w", err)
	}
	defer f.Close()
	err = errors.Join(os.Remove(f.Name()), h.write(f))
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("hand-over: %w", err)
	}
	return h.Sockets.Exec(program, arguments(fmt.Sprint(inheritedFile, f.Fd())), env, f)
}

func (h *Handover) write(w io.Writer) error { return gob.NewEncoder(w).Encode(h) }
