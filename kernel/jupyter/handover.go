package jupyter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/handover"
	"overcomplete/kernel/wire"
)

// A Handover is the state that another program needs to continue a Server. That program replaces this one when a cell
// can only run there (see kernel.Replace). The front ends do not notice the replacement.
type Handover = handover.Handover

// Format is the version of the encoding of a Handover. Programs of different Formats do not replace each other.
const Format = handover.Format

// ReadHandover reads and removes the file in which this program received a Handover.
func ReadHandover(name string) (*Handover, error) { return handover.Read(name) }

// holdTime is how long a hand-over waits for the requests in progress to be answered.
const holdTime = 10 * time.Second

// handOver makes another program continue this server and run the cell of req. It returns only if the
// hand-over fails. The error is the reason, and this server continues.
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
	held, err := s.channels.Hold(ctx)
	if err != nil {
		return err
	}
	defer s.channels.Release()
	h := &Handover{Format: Format, Session: s.session, Count: s.count, Cell: req.Pack(), Sockets: held, State: r.State}
	for _, c := range r.Declarations {
		h.Declared = append(h.Declared, handover.DeclaredCell{Name: c.Name, ID: c.ID, Source: c.Source})
	}
	if s.opt.History != nil {
		st := s.opt.History.State()
		h.History = &st
	}
	// From here on no message is handled, so the state cannot change.
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
		if err := s.checkNotStopped(); err != nil {
			return err
		}
	}
	return h.Exec(r.Program, func(file string) []string { return s.opt.Resuming(r.Program, file) }, os.Environ())
}

// checkNotStopped returns an error if the running cell or the server has been stopped.
func (s *Server) checkNotStopped() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || s.interrupted {
		return errors.New("the cell was stopped")
	}
	return nil
}

// handedQueue returns the queued requests, packed for a Handover. If no hand-over is possible now, the error says what
// prevents it.
func (s *Server) handedQueue() ([]wire.PackedMessage, error) {
	if err := s.checkNotStopped(); err != nil {
		return nil, err
	}
	if s.debug != nil && s.debug.Busy() {
		return nil, errors.New("the debugger is on: turn it off so that the kernel can be replaced")
	}
	if n := len(s.comms.Info("")); n > 0 {
		return nil, fmt.Errorf("%d widgets or other comms are open", n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var queue []wire.PackedMessage
	for _, req := range s.queue {
		if req.then != nil {
			return nil, errors.New("a widget's callback is waiting")
		}
		queue = append(queue, req.Pack())
	}
	return queue, nil
}

// errReplaced is the kernel.Stay reason for a cell that has been handed over.
var errReplaced = errors.New("this program has just been started for the cell")

// resume continues a server from h, the state that another program has handed over. The cell in h becomes the running
// cell at once, so that it can be interrupted while the interpreter starts.
func (s *Server) resume(h *Handover) {
	s.count = h.Count
	for i, p := range append([]wire.PackedMessage{h.Cell}, h.Queue...) {
		m, err := p.Unpack()
		if err != nil {
			s.log.Print(err) // cannot happen: handover.Parse has checked the queue
			continue
		}
		req := &request{Message: m, from: s.channels.Shell}
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

// runOrHandOver runs a cell in this program, or hands it over to another program. It does not return after a
// successful hand-over.
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

// trialTime is how long a program may take to report the Format it knows.
const trialTime = 30 * time.Second

// knownSuffix is the suffix of the file that caches the Format that a program has reported.
const knownSuffix = ".format"

// CanResume returns an error unless another program can resume a Server from the Handover that this program writes.
// program is the path of the other program. CanResume runs that program with the arguments kernel -can-resume, and that
// program must print this program's Format. A positive answer is cached in a file next to the other program, and holds
// while that program's size and modification time stay the same.
func CanResume(ctx context.Context, program string) error {
	info, err := os.Stat(program)
	if err != nil {
		return fmt.Errorf("the program no longer exists: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a program", program)
	}
	line := fmt.Sprintf("format %d, %d bytes, written %d\n", Format, info.Size(), info.ModTime().UnixNano())
	if known, err := os.ReadFile(program + knownSuffix); err == nil && string(known) == line {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "kernel", "-can-resume")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the program does not start: %w: %.500s", err, errs.String())
	}
	if got := strings.TrimSpace(out.String()); got != fmt.Sprint(Format) {
		return fmt.Errorf("the program reads handovers of format %.20q, not %d", got, Format)
	}
	atomicfile.Write(program+knownSuffix, []byte(line), 0o600) // if this fails, the program is asked again next time
	return nil
}
