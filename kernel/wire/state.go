package wire

import (
	"errors"
	"fmt"
)

// A State holds everything that another program needs to continue with the Sockets or Pipes: the descriptors of
// the open files, which that program inherits, and the received messages that have not been handled. It is
// encoded with encoding/gob.
type State struct {
	// For Pipes, only the field Waiting of Shell, Control and Stdin is set.
	Shell, Control, Stdin, IOPub, Heartbeat SocketState
	// Pipes is nil for Sockets.
	Pipes *PipesState
	// Seen has the digests of the messages received so far, concatenated, oldest first. With them, no message is
	// accepted twice, even by another program.
	Seen []byte
}

// A PipesState is the state of Pipes.
type PipesState struct {
	In, Out int    // file descriptors
	Unread  []byte // bytes read but not decoded
	Unsent  []byte // bytes to write; they may begin in the middle of a message
}

// A SocketState is the state of one socket.
type SocketState struct {
	Listener   int    // file descriptor of the listener
	Anonymous  uint32 // number of identities assigned to peers without one
	Conns      []ConnState
	Handshakes []HandshakeState
	Waiting    []PackedMessage // received messages that wait for Recv
}

// A ConnState is the state of a connection after its handshake.
type ConnState struct {
	File   int
	Peer   []byte  // identity of the peer
	Unread []byte  // bytes read but not decoded
	Unsent []byte  // bytes to write; they may begin in the middle of a message
	Topics []Topic // subscriptions
	Known  bool    // the peer has sent a signed message
}

// A Topic is a topic to which a peer has subscribed N times.
type Topic struct {
	Topic []byte
	N     int
}

// A HandshakeState is the state of a connection during its handshake.
type HandshakeState struct {
	File    int
	Read    []byte // all bytes read so far
	Written int    // number of bytes written
}

// A PackedMessage is a message in the form in which it is handed over to another program. Its signature has been
// checked.
type PackedMessage struct {
	Identities [][]byte
	Parts      [4][]byte // header, parent header, metadata, content
	Buffers    [][]byte
}

// Pack returns m in the form in which it is handed over to another program.
func (m *Message) Pack() PackedMessage {
	return PackedMessage{
		Identities: m.Identities,
		Parts:      [4][]byte{m.RawHeader, orEmpty(m.ParentHeader), orEmpty(m.Metadata), orEmpty(m.Content)},
		Buffers:    m.Buffers,
	}
}

// Unpack returns the message. Its error wraps ErrMalformed.
func (p PackedMessage) Unpack() (*Message, error) {
	if len(p.Identities) == 0 {
		return nil, fmt.Errorf("%w: the message has no sender", ErrMalformed)
	}
	return parse(p.Identities, p.Parts[:], p.Buffers)
}

// sockets returns the states of all sockets, in the order of Sockets.servers.
func (st *State) sockets() []*SocketState {
	return []*SocketState{&st.Shell, &st.Control, &st.Stdin, &st.IOPub, &st.Heartbeat}
}

// files returns the file descriptors of the sockets or pipes.
func (st *State) files() []int {
	if st.Pipes != nil {
		return []int{st.Pipes.In, st.Pipes.Out}
	}
	var files []int
	for _, s := range st.sockets() {
		files = append(files, s.Listener)
		for _, c := range s.Conns {
			files = append(files, c.File)
		}
		for _, h := range s.Handshakes {
			files = append(files, h.File)
		}
	}
	return files
}

// check returns an error if Hold cannot have made the State.
func (st *State) check() error {
	seen := map[int]bool{}
	for _, fd := range st.files() {
		if fd <= 2 || seen[fd] {
			return fmt.Errorf("wire: state: file %d is not one socket's alone", fd)
		}
		seen[fd] = true
	}
	for _, s := range st.sockets() {
		for _, c := range s.Conns {
			for _, t := range c.Topics {
				if t.N < 1 {
					return fmt.Errorf("wire: state: %d subscriptions to a topic", t.N)
				}
			}
		}
		for _, h := range s.Handshakes {
			if h.Written < 0 {
				return fmt.Errorf("wire: state: %d bytes written", h.Written)
			}
		}
	}
	if len(st.Seen)%digestSize != 0 || len(st.Seen)/digestSize > replayMemory {
		return errors.New("wire: state: incomplete digests")
	}
	return nil
}
