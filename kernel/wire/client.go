package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// A Channel identifies one of the sockets on which a front end receives messages.
type Channel int

// The channels of a Client.
const (
	Shell Channel = iota
	Control
	Stdin
	IOPub
	channels
)

var channelNames = [channels]string{"shell", "control", "stdin", "iopub"}

func (c Channel) String() string { return channelNames[c] }

// A Client is the front end's side of a connection. It has all functions needed to check, test and measure a
// kernel. Its methods may be called by several goroutines.
type Client struct {
	Session string

	codec *Codec
	conns [channels]*conn
	pipe  *conn // instead of conns and hb, if the kernel is reached through pipes
	in    [channels]chan *Message
	hb    *conn
	pong  chan [][]byte
	done  chan struct{}
	once  sync.Once
}

// Dial connects to a kernel that sends iopub_welcome, as this kernel does. It tries again until the kernel
// listens or ctx is done. When Dial returns, the subscription to iopub is active: no message published later is
// missed.
func Dial(ctx context.Context, info ConnectionInfo) (*Client, error) {
	c, err := connect(ctx, info)
	if err != nil {
		return nil, err
	}
	for {
		m, err := c.Recv(ctx, IOPub)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("wire: no answer to the subscription: %w", err)
		}
		if m.Header.MsgType == "iopub_welcome" {
			return c, nil
		}
	}
}

// DialOther is like Dial for kernels that do not send iopub_welcome. It sends kernel_info requests until the status
// "idle" for one of these requests arrives on iopub.
func DialOther(ctx context.Context, info ConnectionInfo) (*Client, error) {
	c, err := connect(ctx, info)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Client, error) {
		c.Close()
		return nil, fmt.Errorf("wire: no status arrives on iopub: %w", err)
	}
	for {
		reply, err := c.Request(ctx, Shell, "kernel_info_request", nil)
		if err != nil {
			return fail(err)
		}
		id := reply.Parent().MsgID
		for waiting := true; waiting; {
			wait, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			m, err := c.Recv(wait, IOPub)
			cancel()
			switch {
			case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
				waiting = false // send another request
			case err != nil:
				return fail(err)
			case m.Header.MsgType == "status" && m.Parent().MsgID == id && strings.Contains(string(m.Content), `"idle"`):
				return c, nil // no replies to these requests are in flight now
			}
		}
	}
}

// DialPipes connects to a kernel that uses Pipes. The Client reads the kernel's messages from the file called in, and
// writes its own messages to the file called out. If 1024 messages of one channel wait for Recv, the next message of
// that channel stops the reading of all channels. Reading continues when Recv has taken one of the messages.
func DialPipes(in, out *os.File) *Client {
	files := &pipe{in: in, out: out}
	c := &Client{Session: NewID(), codec: NewCodec(""), pipe: newConn(files, ""), done: make(chan struct{})}
	for ch := range c.in {
		c.in[ch] = make(chan *Message, 1024)
	}
	go c.readPipe(in)
	return c
}

func (c *Client) readPipe(in io.Reader) {
	defer func() {
		for _, ch := range c.in {
			close(ch)
		}
	}()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		name, m, err := ParsePlain(line)
		ch := slices.Index(channelNames[:], name)
		if err != nil || ch < 0 {
			continue
		}
		select {
		case c.in[ch] <- m:
		case <-c.done:
			return
		}
	}
}

// connect opens a connection to each of the kernel's sockets, and subscribes to all messages on iopub.
func connect(ctx context.Context, info ConnectionInfo) (*Client, error) {
	if err := info.Validate(); err != nil {
		return nil, err
	}
	c := &Client{Session: NewID(), codec: NewCodec(info.Key), pong: make(chan [][]byte, 1), done: make(chan struct{})}
	for ch, to := range [channels]struct {
		port int
		typ  zmq4.SocketType
	}{{info.ShellPort, zmq4.Dealer}, {info.ControlPort, zmq4.Dealer}, {info.StdinPort, zmq4.Dealer}, {info.IOPubPort, zmq4.Sub}} {
		conn, err := dial(ctx, info, to.port, to.typ, c.Session)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.conns[ch] = conn
		c.in[ch] = make(chan *Message, 1024)
		go c.read(Channel(ch))
	}
	hb, err := dial(ctx, info, info.HBPort, zmq4.Req, "")
	if err != nil {
		c.Close()
		return nil, err
	}
	c.hb = hb
	go func() {
		for {
			frames, _, err := hb.r.next()
			if err != nil {
				return
			}
			select {
			case c.pong <- frames:
			case <-c.done:
				return
			}
		}
	}()
	c.conns[IOPub].send(appendFrames(nil, [][]byte{{1}}), true)
	return c, nil
}

func dial(ctx context.Context, info ConnectionInfo, port int, typ zmq4.SocketType, id string) (*conn, error) {
	network, addr := info.address(port)
	var d net.Dialer
	for {
		nc, err := d.DialContext(ctx, network, addr)
		if err == nil {
			if _, err := handshake(&handshakeConn{Conn: nc}, typ, id, false, usual.handshake); err != nil {
				nc.Close()
				return nil, err
			}
			return newConn(nc, ""), nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wire: nobody listens: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (c *Client) read(ch Channel) {
	defer close(c.in[ch])
	for {
		frames, command, err := c.conns[ch].r.next()
		if err != nil {
			return
		}
		if command {
			continue
		}
		m, err := c.codec.Decode(frames)
		if err != nil {
			continue
		}
		select {
		case c.in[ch] <- m:
		case <-c.done:
			return
		}
	}
}

// Send sends a message of type msgType and returns the message's header. The content is encoded as a JSON
// object; nil stands for an empty object.
func (c *Client) Send(ch Channel, msgType string, content any) (Header, error) {
	return c.send(ch, msgType, nil, content)
}

// Reply is like Send, but gives the new message a parent: the message in the argument to. Clients use Reply to answer
// an input_request.
func (c *Client) Reply(ch Channel, to *Message, msgType string, content any) error {
	_, err := c.send(ch, msgType, to.RawHeader, content)
	return err
}

func (c *Client) send(ch Channel, msgType string, parent json.RawMessage, content any) (Header, error) {
	raw := emptyObject
	if content != nil {
		var err error
		if raw, err = Marshal(content); err != nil {
			return Header{}, err
		}
	}
	m := &Message{Header: NewHeader(c.Session, "client", msgType), ParentHeader: parent, Content: raw}
	return m.Header, c.SendMessage(ch, m)
}

// SendMessage signs m and sends it without further changes.
func (c *Client) SendMessage(ch Channel, m *Message) error {
	frames, err := c.codec.Encode(m)
	if err != nil {
		return err
	}
	return c.SendFrames(ch, frames)
}

// SendFrames sends frames unchanged, signed or not. If the kernel is reached through pipes, SendFrames leaves out the
// frames up to and including the signature, and sends the others as one JSON object.
func (c *Client) SendFrames(ch Channel, frames [][]byte) error {
	to, raw := c.conns[ch], []byte(nil)
	if c.pipe == nil {
		raw = appendFrames(nil, frames)
	} else {
		parts := frames[2:]
		line, err := encodePlain(plain{Channel: ch.String(), Header: parts[0], Parent: parts[1], Metadata: parts[2], Content: parts[3]}, parts[4:])
		if err != nil {
			return err
		}
		to, raw = c.pipe, append(line, '\n')
	}
	if !to.send(raw, true) {
		return ErrClosed
	}
	return nil
}

// Recv waits for the next message on ch.
func (c *Client) Recv(ctx context.Context, ch Channel) (*Message, error) {
	select {
	case m, ok := <-c.in[ch]:
		if !ok {
			return nil, fmt.Errorf("wire: %v: connection lost", ch)
		}
		return m, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wire: %v: %w", ch, ctx.Err())
	}
}

// Request sends a message and waits for the reply to it on the same channel. It
// discards replies to other requests that arrive in between.
func (c *Client) Request(ctx context.Context, ch Channel, msgType string, content any) (*Message, error) {
	h, err := c.Send(ch, msgType, content)
	if err != nil {
		return nil, err
	}
	for {
		m, err := c.Recv(ctx, ch)
		if err != nil {
			return nil, err
		}
		if m.Parent().MsgID == h.MsgID {
			return m, nil
		}
	}
}

// Ping sends data to the heartbeat socket and waits until the kernel sends the same data back. Pipes have no
// heartbeat: there Ping returns errors.ErrUnsupported.
func (c *Client) Ping(ctx context.Context, data []byte) error {
	if c.hb == nil {
		return errors.ErrUnsupported
	}
	if !c.hb.send(appendFrames(nil, [][]byte{nil, data}), true) {
		return ErrClosed
	}
	select {
	case frames := <-c.pong:
		if len(frames) != 2 || string(frames[1]) != string(data) {
			return errors.New("wire: the heartbeat returned different data")
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wire: heartbeat: %w", ctx.Err())
	}
}

// Close closes the connections.
func (c *Client) Close() error {
	c.once.Do(func() {
		close(c.done)
		for _, conn := range append(c.conns[:], c.hb, c.pipe) {
			if conn != nil {
				conn.close()
			}
		}
	})
	return nil
}

// Parent decodes the parent header. It returns the zero Header if the message has no parent.
func (m *Message) Parent() Header {
	var h Header
	if len(m.ParentHeader) > 0 {
		json.Unmarshal(m.ParentHeader, &h) // cannot fail: Decode has checked that it is an object
	}
	return h
}
