package jupyter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/history"
	"overcomplete/kernel/wire"
)

// A Handover is what another program needs to go on with a Server: this one is replaced by
// it when a cell needs that (kernel.Replace), and the front ends notice nothing. It is
// written by encoding/gob.
type Handover struct {
	Format   int // Format of the program that has written it
	Session  string
	Count    int           // number of executed cells, with the present one
	Cell     wire.Packed   // the execute_request of the cell to run, which is shown as busy already
	Queue    []wire.Packed // the execute_requests after it
	Sockets  *wire.State
	History  *history.State
	State    []byte     // for kernel.Options.Resume
	Declared []Declared // for kernel.Options.Declared
}

// Format is the version of the form of a Handover. It changes with Handover and all that it
// consists of. Programs of different Formats do not replace each other.
const Format = 1

// A Declared is a cell for kernel.Options.Declared.
type Declared struct{ Name, Source string }

// Cells returns Declared as kernel.Options has it.
func (h *Handover) Cells() []engine.Cell {
	var cells []engine.Cell
	for _, d := range h.Declared {
		cells = append(cells, engine.Cell{Name: d.Name, Source: d.Source})
	}
	return cells
}

// ParseHandover reads a Handover and checks it as far as it can be checked without opening a
// file.
func ParseHandover(data []byte) (*Handover, error) {
	h := new(Handover)
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(h); err != nil {
		return nil, fmt.Errorf("hand-over: %w", err)
	}
	if h.Format != Format {
		return nil, fmt.Errorf("hand-over: format %d, this program knows %d", h.Format, Format)
	}
	if h.Sockets == nil || h.Session == "" || h.Count < 0 {
		return nil, errors.New("hand-over: the state of the sockets or the session is missing")
	}
	for _, p := range append([]wire.Packed{h.Cell}, h.Queue...) {
		m, err := p.Unpack()
		if err != nil {
			return nil, fmt.Errorf("hand-over: %w", err)
		}
		if m.Header.MsgType != "execute_request" {
			return nil, fmt.Errorf("hand-over: %q is among the cells to run", m.Header.MsgType)
		}
	}
	return h, nil
}

// inheritedFile begins the names that Exec gives to files: a file that the program inherits
// under the number that follows.
const inheritedFile = "/dev/fd/"

// ReadHandover reads a file, of which nothing remains.
func ReadHandover(name string) (*Handover, error) {
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
	return ParseHandover(data)
}

// Exec replaces this program by another, for which arguments returns the command line. The other
// program calls ReadHandover with file: a file without a name in any folder, so that it is gone
// whatever happens to the program. Exec returns only if it fails, after which nothing
// has changed.
func (h *Handover) Exec(program string, arguments func(file string) []string, env []string) error {
	f, err := os.CreateTemp("", "overcomplete-handover-") // with mode 0600
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

// holdTime is how long a hand-over waits for the answers to requests that are being worked on.
const holdTime = 10 * time.Second

// handOver has another program go on with this server and run the cell of req. It returns
// only if that fails; then this server goes on. The error says why.
func (s *Server) handOver(ctx context.Context, exec Executor, r *kernel.Replace, req *request, out *output) (err error) {
	if s.opt.Resuming == nil {
		return errors.New("this kernel cannot be replaced while it runs")
	}
	if err := CanResume(ctx, r.Program); err != nil {
		return err
	}
	out.close()
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	sockets, err := s.sockets.Hold(ctx)
	if err != nil {
		return err
	}
	defer s.sockets.Release()
	h := &Handover{Format: Format, Session: s.session, Count: s.count, Cell: req.Pack(), Sockets: sockets, State: r.State}
	for _, c := range r.Declarations {
		h.Declared = append(h.Declared, Declared{c.Name, c.Source})
	}
	if s.opt.History != nil {
		st := s.opt.History.State()
		h.History = &st
	}
	// Nobody handles messages any more: what is true now remains true.
	if h.Queue, err = s.handedQueue(); err != nil {
		return err
	}
	if lender, ok := exec.(Lender); ok {
		takeBack, err := lender.Lend()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, takeBack()) }()
	}
	if s.opt.Interrupts != nil {
		s.opt.Interrupts.ignore()
		defer s.opt.Interrupts.heed()
		if err := s.undisturbed(); err != nil {
			return err
		}
	}
	return h.Exec(r.Program, func(file string) []string { return s.opt.Resuming(r.Program, file) }, os.Environ())
}

// undisturbed returns an error if the running cell has been stopped, or the server is.
func (s *Server) undisturbed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || s.interrupted {
		return errors.New("the cell was stopped")
	}
	return nil
}

// handedQueue returns the queue as it is handed over. The error says what keeps the server from being
// handed over.
func (s *Server) handedQueue() ([]wire.Packed, error) {
	if err := s.undisturbed(); err != nil {
		return nil, err
	}
	if n := len(s.comms.Info("")); n > 0 {
		return nil, fmt.Errorf("%d widgets or other comms are open", n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var queue []wire.Packed
	for _, req := range s.queue {
		if req.then != nil {
			return nil, errors.New("a callback of a widget waits")
		}
		queue = append(queue, req.Pack())
	}
	return queue, nil
}

// errReplaced is what a cell is told that has been handed over.
var errReplaced = errors.New("this program has just been started for the cell")

// resume takes over what another program has handed over. The cell is the running one from
// now on, so that it can be interrupted while the interpreter starts.
func (s *Server) resume(h *Handover) {
	s.count = h.Count
	for i, p := range append([]wire.Packed{h.Cell}, h.Queue...) {
		m, err := p.Unpack()
		if err != nil {
			s.log.Print(err) // ParseHandover has tried it
			continue
		}
		req := &request{Message: m, from: s.sockets.Shell}
		if i > 0 {
			s.queue = append(s.queue, req)
			continue
		}
		req.busy, req.begun = true, true
		s.begin(req)
		s.resumed = req
		s.atWork, s.cause = req, req
	}
}

// runOrHandOver runs a cell, here or in another program: then it does not return.
func (s *Server) runOrHandOver(ctx context.Context, exec Executor, cell engine.Cell, req *request, out *output) error {
	if req.begun {
		return s.runCell(kernel.Stay(ctx, errReplaced), exec, cell, out)
	}
	err := s.runCell(ctx, exec, cell, out)
	var r *kernel.Replace
	if !errors.As(err, &r) {
		return err
	}
	why := s.handOver(ctx, exec, r, req, out)
	if ctx.Err() != nil {
		return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	}
	s.log.Printf("%s: not handed over to %s: %v", cell.Name, r.Program, why)
	return s.runCell(kernel.Stay(ctx, why), exec, cell, out)
}
