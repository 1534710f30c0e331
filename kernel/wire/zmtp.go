package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// The limits for one message. They are far above the sizes that front ends send. The limits for all strangers
// together are in strangers.go.
const (
	maxMessageBytes   = 1 << 30
	maxMessageFrames  = 4096
	maxHandshakeFrame = 64 << 10
)

// The flags of a ZMTP 3.0 frame.
const (
	flagMore    = 0x1
	flagLong    = 0x2
	flagCommand = 0x4
	flagsKnown  = flagMore | flagLong | flagCommand
)

var errFrame = errors.New("wire: malformed ZMTP frame")

// appendFrames appends the ZMTP encoding of a message to buf.
func appendFrames(buf []byte, frames [][]byte) []byte {
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags |= flagMore
		}
		buf = appendFrame(buf, flags, f)
	}
	return buf
}

// appendFrame appends the ZMTP encoding of one frame to buf.
func appendFrame(buf []byte, flags byte, f []byte) []byte {
	if len(f) > 255 {
		buf = append(buf, flags|flagLong)
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(f)))
	} else {
		buf = append(buf, flags, byte(len(f)))
	}
	return append(buf, f...)
}

// A frameReader reads messages. It keeps a partial message in its fields, so that another program can continue
// with the message.
type frameReader struct {
	*bufio.Reader
	frames [][]byte // complete frames of the message
	total  int      // announced bytes of the complete frames and of the current frame
	head   []byte   // flags and length of the current frame
	body   []byte

	account *account // nil for a connection without an account
}

// frameCost is the memory that a frame uses in addition to its body.
const frameCost = 64

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{Reader: bufio.NewReaderSize(r, 8<<10)}
}

// next reads a message or a command. The result command reports whether it was a command. For a message, frames holds
// all of its frames. For a command, frames holds only the command's body.
func (r *frameReader) next() (frames [][]byte, command bool, err error) {
	for {
		flags, err := r.frame()
		if err != nil {
			return nil, false, err
		}
		if flags&flagMore == 0 {
			r.account.settle()
			frames, r.frames, r.total = r.frames, nil, 0
			return frames, flags&flagCommand != 0, nil
		}
	}
}

// frame reads one frame.
func (r *frameReader) frame() (flags byte, err error) {
	for want := 1; len(r.head) < want; {
		b, err := r.ReadByte()
		if err != nil {
			if len(r.head) > 0 || len(r.frames) > 0 {
				err = noEOF(err)
			}
			return 0, err
		}
		r.head = append(r.head, b)
		if len(r.head) == 1 {
			if err := r.account.charge(frameCost); err != nil {
				return 0, err
			}
		}
		if len(r.head) > 1 {
			continue
		}
		if b&^flagsKnown != 0 || b&flagCommand != 0 && (b&flagMore != 0 || len(r.frames) > 0) {
			return 0, errFrame
		}
		want = 2
		if b&flagLong != 0 {
			want = 9
		}
	}
	var size uint64
	for _, b := range r.head[1:] {
		size = size<<8 | uint64(b)
	}
	if size > uint64(maxMessageBytes-r.total) {
		return 0, fmt.Errorf("%w: more than %d bytes in one message", errFrame, maxMessageBytes)
	}
	if len(r.frames) == maxMessageFrames {
		return 0, fmt.Errorf("%w: more than %d frames in one message", errFrame, maxMessageFrames)
	}
	r.total += int(size)
	if err := r.readBody(int(size)); err != nil {
		return 0, err
	}
	flags = r.head[0]
	r.frames = append(r.frames, r.body)
	r.head, r.body = r.head[:0], nil
	return flags, nil
}

// readBody reads n bytes. It allocates at most 4 kB at first, and later at most twice the number of bytes that have
// arrived. So a peer that announces a false length cannot make it allocate much memory.
func (r *frameReader) readBody(n int) error {
	const atOnce = 4 << 10
	r.body = make([]byte, 0, min(n, atOnce))
	if err := r.account.charge(cap(r.body)); err != nil {
		return err
	}
	for len(r.body) < n {
		if len(r.body) == cap(r.body) {
			more := min(n-len(r.body), len(r.body))
			if err := r.account.charge(more); err != nil {
				return err
			}
			r.body = slices.Grow(r.body, more)
		}
		k, err := r.Read(r.body[len(r.body):min(n, cap(r.body))])
		r.body = r.body[:len(r.body)+k]
		if err != nil {
			return noEOF(err)
		}
	}
	return nil
}

// unread returns, in ZMTP encoding, everything that has arrived after the last message or command that r.next has
// returned. Call unread only after the reader has stopped.
func (r *frameReader) unread() []byte {
	var b []byte
	for _, f := range r.frames {
		b = appendFrame(b, flagMore, f)
	}
	b = append(b, r.head...)
	b = append(b, r.body...)
	ahead, _ := r.Peek(r.Buffered()) // cannot fail, because these bytes are buffered
	return append(b, ahead...)
}

// noEOF replaces io.EOF with io.ErrUnexpectedEOF. It is for errors in the middle of a message.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A handshakeConn wraps the connection during zmq4's handshake. It parses the incoming stream and fails at the
// first frame that announces more than maxHandshakeFrame bytes, before zmq4 allocates them.
//
// The server side of a handshake writes the same bytes in every program. So a program can take over a
// handshake that another program began. It starts the handshake from the beginning, reads the bytes that the
// first program has read once more, and does not send the bytes that the first program has already sent.
type handshakeConn struct {
	net.Conn
	greeting int // bytes of the greeting read so far
	body     uint64
	hdr      []byte // the header being read: flags, then 1 or 8 bytes of length

	replay  []byte // bytes to read before reading from the connection
	skip    int    // number of bytes that must not be written again
	read    []byte // bytes read so far, including replayed bytes
	written int    // number of bytes written so far, including skipped bytes
}

const greetingSize = 64

func (h *handshakeConn) Read(p []byte) (int, error) {
	n, err := copy(p, h.replay), error(nil)
	h.replay = h.replay[n:]
	if n == 0 {
		n, err = h.Conn.Read(p)
	}
	h.read = append(h.read, p[:n]...)
	for i := 0; i < n; {
		switch {
		case h.greeting < greetingSize:
			k := min(greetingSize-h.greeting, n-i)
			h.greeting += k
			i += k
		case h.body > 0:
			k := min(h.body, uint64(n-i))
			h.body -= k
			i += int(k)
		default:
			h.hdr = append(h.hdr, p[i])
			i++
			want := 2
			if h.hdr[0]&flagLong != 0 {
				want = 9
			}
			if len(h.hdr) < want {
				continue
			}
			for _, b := range h.hdr[1:] {
				h.body = h.body<<8 | uint64(b)
			}
			h.hdr = h.hdr[:0]
			if h.body > maxHandshakeFrame {
				return 0, fmt.Errorf("%w: %d bytes in the handshake", errFrame, h.body)
			}
		}
	}
	return n, err
}

func (h *handshakeConn) Write(p []byte) (int, error) {
	n := min(h.skip, len(p))
	h.skip -= n
	var err error
	if n < len(p) {
		var k int
		k, err = h.Conn.Write(p[n:])
		n += k
	}
	h.written += n
	return n, err
}

// handshake opens a ZMTP connection and returns the identity of the peer, which may be empty. It closes the
// connection if the handshake takes longer than limit.
func handshake(nc *handshakeConn, typ zmq4.SocketType, id string, server bool, limit time.Duration) (peer string, err error) {
	// zmq4 uses lengths sent by the peer as indices without checking them. A malformed READY must not crash the
	// kernel.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("wire: malformed ZMTP handshake: %v", r)
		}
	}()
	late := time.AfterFunc(limit, func() { nc.Close() })
	zc, err := zmq4.Open(nc, null.Security(), typ, zmq4.SocketIdentity(id), server, nil)
	if !late.Stop() {
		return "", fmt.Errorf("wire: the ZMTP handshake took more than %v", limit)
	}
	if err != nil {
		return "", err
	}
	return zc.Peer.Meta["Identity"], nil
}
