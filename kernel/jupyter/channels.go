package jupyter

import "overcomplete/kernel/wire"

// A Channel carries requests to the kernel and the kernel's replies back. *wire.Router and *wire.Queue are
// Channels.
type Channel interface {
	// Recv waits for a message. Only one goroutine may call it. It returns an error once the Channel is closed.
	Recv() (*wire.Message, error)
	// Send sends a message to the front end named by its first identity.
	Send(*wire.Message) error
}

// Channels are the channels between a kernel and its front ends.
type Channels struct {
	Shell, Control, Stdin Channel
	// IOPub sends a message to all front ends.
	IOPub interface{ Send(*wire.Message) error }
	// Close makes Recv return on all channels.
	Close func() error
}
