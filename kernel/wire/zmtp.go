package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// The limits on what a peer may send. They are far above what front ends send
// and keep a peer from making the kernel allocate arbitrary amounts.
const (
	maxMessageBytes   = 1 << 30
	maxMessageFrames  = 4096
	maxHandshakeFrame = 64 << 10
	handshakeTimeout  = 10 * time.Second
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
		if len(f) > 255 {
			buf = append(buf, flags|flagLong)
			buf = binary.BigEndian.AppendUint64(buf, uint64(len(f)))
		} else {
			buf = append(buf, flags, byte(len(f)))
		}
		buf = append(buf, f...)
	}
	return buf
}

// readFrames reads one message or, if command is true, the body of one command.
func readFrames(r *bufio.Reader) (frames [][]byte, command bool, err error) {
	total := 0
	for {
		flags, err := r.ReadByte()
		if err != nil {
			if len(frames) > 0 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, false, err
		}
		if flags&^flagsKnown != 0 || flags&flagCommand != 0 && (flags&flagMore != 0 || len(frames) > 0) {
			return nil, false, errFrame
		}
		var hdr [8]byte
		n := 1
		if flags&flagLong != 0 {
			n = 8
		}
		if _, err := io.ReadFull(r, hdr[8-n:]); err != nil {
			return nil, false, noEOF(err)
		}
		size := binary.BigEndian.Uint64(hdr[:])
		if size > uint64(maxMessageBytes-total) {
			return nil, false, fmt.Errorf("%w: more than %d bytes in one message", errFrame, maxMessageBytes)
		}
		if len(frames) == maxMessageFrames {
			return nil, false, fmt.Errorf("%w: more than %d frames in one message", errFrame, maxMessageFrames)
		}
		total += int(size)
		body, err := readBody(r, int(size))
		if err != nil {
			return nil, false, err
		}
		frames = append(frames, body)
		if flags&flagMore == 0 {
			return frames, flags&flagCommand != 0, nil
		}
	}
}

// readBody reads n bytes. Large bodies are not allocated before they arrive.
func readBody(r io.Reader, n int) ([]byte, error) {
	const atOnce = 1 << 20
	if n <= atOnce {
		body := make([]byte, n)
		_, err := io.ReadFull(r, body)
		return body, noEOF(err)
	}
	var buf bytes.Buffer
	_, err := io.CopyN(&buf, r, int64(n))
	return buf.Bytes(), noEOF(err)
}

// noEOF turns io.EOF in the middle of a message into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A handshakeConn wraps the connection during zmq4's handshake. It parses the
// stream that is read and fails at the first frame that announces more than
// maxHandshakeFrame bytes, before zmq4 allocates them.
type handshakeConn struct {
	net.Conn
	greeting int // bytes of the greeting read so far
	body     uint64
	hdr      []byte // the header being read: flags, then 1 or 8 bytes of length
}

const greetingSize = 64

func (h *handshakeConn) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
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

// handshake opens a ZMTP connection over nc and returns the identity of the
// peer, which is empty if it has none.
func handshake(nc net.Conn, typ zmq4.SocketType, id string, server bool) (peer string, err error) {
	// zmq4 indexes with lengths that the peer sends; a malformed READY must not end the kernel.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("wire: malformed ZMTP handshake: %v", r)
		}
	}()
	if err := nc.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return "", err
	}
	zc, err := zmq4.Open(&handshakeConn{Conn: nc}, null.Security(), typ, zmq4.SocketIdentity(id), server, nil)
	if err != nil {
		return "", err
	}
	return zc.Peer.Meta["Identity"], nc.SetDeadline(time.Time{})
}
