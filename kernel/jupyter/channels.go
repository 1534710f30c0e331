package jupyter

import (
	"context"
	"os"

	"overcomplete/kernel/internal/capture"
	"overcomplete/kernel/wire"
)

// A Channel carries requests to the kernel and the kernel's replies back. *wire.Router and *wire.Queue are
// Channels.
type Channel interface {
	// Recv waits for a message. Only one goroutine may call it. It returns an error once the Channel is closed.
	Recv() (*wire.Message, error)
	// Send sends a message to the front end named by the message's first identity.
	Send(*wire.Message) error
}

// Channels are the channels between a kernel and its front ends.
type Channels struct {
	Shell, Control, Stdin Channel
	// IOPub sends a message to all front ends.
	IOPub interface{ Send(*wire.Message) error }
	// Close makes Recv return on all channels.
	Close func() error
	// Hold stops the channels so that another program can take them over, and Release lets them continue. If Hold and
	// Release are nil, no other program can take the channels over.
	Hold    func(context.Context) (*wire.State, error)
	Release func()
}

// OverSockets returns Channels that use the sockets s.
func OverSockets(s *wire.Sockets) Channels {
	return Channels{s.Shell, s.Control, s.Stdin, s.IOPub, s.Close, s.Hold, s.Release}
}

// OverQueues returns Channels that use the queues q. These Channels cannot be handed over to another program.
func OverQueues(q *wire.Queues) Channels {
	return Channels{Shell: q.Shell, Control: q.Control, Stdin: q.Stdin, IOPub: q.IOPub, Close: q.Close}
}

// OverPipes returns Channels that use the pipes p, which lead to a single front end.
func OverPipes(p *wire.Pipes) Channels {
	return Channels{p.Shell, p.Control, p.Stdin, p.IOPub, p.Close, p.Hold, p.Release}
}

// Stdio returns the standard input and the standard output of this process, for wire.OpenPipes. From then on, no other
// code uses these two files: the process has an empty standard input, and text that it prints goes to standard
// error. Call Stdio before anything is printed.
func Stdio() (in, out *os.File, err error) { return capture.TakeStdio() }
