package jupyter

import "overcomplete/kernel/wire"

// A Channel carries requests to the kernel and their replies back. *wire.Router and *wire.Queue
// are Channels.
type Channel interface {
	// Recv waits for a message; only one goroutine calls it. It fails once the Channel is closed.
	Recv() (*wire.Message, error)
	// Send sends a message to the front end named by its first identity.
	Send(*wire.Message) error
}

// Channels are the channels between a kernel and its front ends.
type Channels struct {
	Shell, Control, Stdin Channel
	// IOPub sends a message to all front ends.
	IOPub interface{ Send(*wire.Message) error }
	// Close ends the Recv of all channels.
	Close func() error
}
