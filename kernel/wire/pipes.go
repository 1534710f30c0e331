package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"sync"
	"time"
)

// Pipes are the channels between a kernel and the one front end that started it. Each message is a JSON object
// (see ParsePlain) on a line of its own. There is neither a port nor a signature: nobody else can write to the pipes.
//
// The kernel's messages wait in a queue of the same size as for a socket (queueBytes). While the queue is full, Send
// waits without a time limit.
type Pipes struct {
	*Queues
	log  *log.Logger
	pipe *pipe
	out  *conn
	link *link         // its Read reads the front end's messages
	in   *bufio.Reader // reads from the field link
	line []byte        // beginning of the line that is being read
	gone func()        // called when the front end has closed its end
	once sync.Once
}

// A pipe makes a net.Conn of two files.
type pipe struct {
	net.Conn // nil: the other methods are not used
	in, out  *os.File
}

func (p *pipe) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p *pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

func (p *pipe) Close() error { return errors.Join(p.in.Close(), p.out.Close()) }

func (p *pipe) SetReadDeadline(t time.Time) error { return p.in.SetReadDeadline(t) }

// SetWriteDeadline interrupts a write if t is pastDeadline, the deadline that a hold sets. It ignores other deadlines,
// so a front end that does not read for a while, for example in a debugger, is not disconnected.
func (p *pipe) SetWriteDeadline(t time.Time) error {
	if !t.Equal(pastDeadline) {
		t = time.Time{}
	}
	return p.out.SetWriteDeadline(t)
}

// OpenPipes returns Pipes between this kernel and its front end. The front end's messages are read from the file called
// in, and the kernel's messages are written to the file called out. The function gone is called when the front end has
// closed its end of the input, for example by exiting. Dropped messages are logged to logger.
func OpenPipes(in, out *os.File, logger *log.Logger, gone func()) *Pipes {
	p := newPipes(&pipe{in: in, out: out}, nil, nil, logger, gone)
	go p.read()
	return p
}

// newPipes returns Pipes that do not read yet. The bytes in unread are those that another program has read but not
// handled. The bytes in unsent must be written first.
func newPipes(files *pipe, unread, unsent []byte, logger *log.Logger, gone func()) *Pipes {
	p := &Pipes{log: logger, pipe: files, out: resumeConn(files, "", nil, unsent), link: newLink(files), gone: gone}
	p.Queues = NewQueues(p.send)
	p.in = bufio.NewReader(io.MultiReader(bytes.NewReader(unread), p.link))
	return p
}

func (p *Pipes) send(channel string, m *Message) error {
	line, err := m.Plain(channel, "")
	if err != nil {
		return err
	}
	if !p.out.send(append(line, '\n'), true) {
		return ErrNoPeer
	}
	return nil
}

// read puts the front end's messages into the Queues until the front end closes its end.
func (p *Pipes) read() {
	defer close(p.link.ended)
	for {
		part, err := p.in.ReadSlice('\n')
		if p.line = append(p.line, part...); errors.Is(err, bufio.ErrBufferFull) && len(p.line) <= maxMessageBytes {
			continue
		}
		if line := bytes.TrimSpace(p.line); len(line) > 0 {
			if err := p.Receive(line); err != nil {
				p.log.Printf("line from the front end dropped: %v", err)
			}
		}
		p.line = nil
		if err != nil {
			p.gone()
			return
		}
	}
}

// Close sends the queued messages, for at most a second, and closes the pipes. It is safe to call it more than
// once.
func (p *Pipes) Close() error {
	p.once.Do(func() {
		p.Queues.Close()
		flush([]*conn{p.out}, time.Second, (*conn).close)
		p.link.Close()
	})
	return nil
}

// Hold is like Sockets.Hold.
func (p *Pipes) Hold(ctx context.Context) (*State, error) {
	st, err := p.hold(ctx)
	if err != nil {
		p.Release()
		return nil, fmt.Errorf("wire: the pipes do not stop: %w", err)
	}
	return st, nil
}

func (p *Pipes) hold(ctx context.Context) (*State, error) {
	if !CanHandOver {
		return nil, errCannotHandOver
	}
	for _, q := range p.all() {
		if err := q.hold(ctx); err != nil {
			return nil, err
		}
	}
	select {
	case <-p.link.hold().arrived:
	case <-p.link.ended:
		return nil, ErrNoPeer
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	flush([]*conn{p.out}, flushTime, (*conn).hold)
	st := &State{Pipes: &PipesState{Unread: bytes.Clone(p.line), Unsent: p.out.unsent()}}
	ahead, _ := p.in.Peek(p.in.Buffered()) // cannot fail, because these bytes are buffered
	st.Pipes.Unread = append(st.Pipes.Unread, ahead...)
	for i, q := range p.all() {
		for _, m := range q.wait {
			st.sockets()[i].Waiting = append(st.sockets()[i].Waiting, m.Pack())
		}
	}
	var err error
	if st.Pipes.In, err = fileOf(p.pipe.in); err == nil {
		st.Pipes.Out, err = fileOf(p.pipe.out)
	}
	return st, err
}

// Release lets the pipes continue after Hold.
func (p *Pipes) Release() {
	p.out.release()
	p.link.release()
	for _, q := range p.all() {
		q.release()
	}
}

// ResumePipes makes the Pipes from a State that another program has handed over; see Resume.
func ResumePipes(st *State, logger *log.Logger, gone func()) (*Pipes, error) {
	if st.Pipes == nil {
		return nil, errors.New("wire: state: these are sockets, not pipes")
	}
	if err := st.check(); err != nil {
		return nil, err
	}
	files, err := st.Pipes.inherit()
	if err != nil {
		return nil, err
	}
	p := newPipes(files, st.Pipes.Unread, st.Pipes.Unsent, logger, gone)
	for i, q := range p.all() {
		for _, packed := range st.sockets()[i].Waiting {
			m, err := packed.Unpack()
			if err != nil {
				return nil, fmt.Errorf("wire: state: %w", err)
			}
			q.Put(m)
		}
	}
	go p.read()
	return p, nil
}
