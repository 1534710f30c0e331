package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// A logged is a log that a test can read.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) has(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), s)
}

// within is like listen, but sets other limits.
func within(t *testing.T, change func(*limits)) (ConnectionInfo, *Sockets, *logged) {
	t.Helper()
	info, err := NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	lim, said := usual, &logged{}
	change(&lim)
	s, err := listenWithin(info, "kernel", log.New(said, "", 0), lim)
	if err != nil {
		t.Fatal(err)
	}
	answerShell(s)
	t.Cleanup(func() { s.Close() })
	return info, s, said
}

// stranger opens a connection without a key, completes the handshake and sends data.
func stranger(t *testing.T, port int, typ string, data ...byte) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	ready := append([]byte("\x04\x00\x05READY\x0bSocket-Type\x00\x00\x00"), byte(len(typ)))
	ready = append(append(ready, typ...), "\x08Identity\x00\x00\x00\x00"...)
	ready[1] = byte(len(ready) - 2)
	nc.Write(greeting())
	nc.Write(ready)
	nc.Write(data)
	return nc
}

// announced returns the header of a frame of n bytes.
func announced(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte{flagLong}, n) }

// isEnded waits until the peer has closed a connection.
func isEnded(t *testing.T, nc net.Conn) {
	t.Helper()
	nc.SetReadDeadline(time.Now().Add(patience.Long))
	_, err := io.Copy(io.Discard, nc)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		t.Error("the connection is kept")
	}
}

// seated waits until a socket has n connections that have completed their handshake.
func seated(t *testing.T, s *server, n int) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("%d connections of %s", n, s.name), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns) == n
	})
}

// TestStrangersMemory: the total size of strangers' incomplete messages is limited. The stranger that has sent
// most is disconnected. A known peer may send more than the limit.
func TestStrangersMemory(t *testing.T) {
	const most = 1 << 20
	info, s, said := within(t, func(l *limits) { l.bytes = most })
	ctx := limit(t)
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Request(ctx, Shell, "echo_request", map[string]int{"n": 1}); err != nil {
		t.Fatal(err)
	}
	little := stranger(t, info.ShellPort, "DEALER", append(announced(1<<30), 'x')...)
	var greedy []net.Conn
	for range 20 {
		for _, to := range []struct {
			port int
			typ  string
		}{{info.ShellPort, "DEALER"}, {info.IOPubPort, "SUB"}, {info.HBPort, "REQ"}} {
			nc := stranger(t, to.port, to.typ, announced(1<<30)...)
			go nc.Write(make([]byte, most+most/2))
			greedy = append(greedy, nc)
		}
	}
	for _, nc := range greedy {
		isEnded(t, nc)
	}
	if !said.has("closed: " + errCrowded.Error()) {
		t.Error("nothing of it is logged")
	}
	all := s.Shell.peerLimits
	all.mu.Lock()
	if all.total > most || len(all.held) != 1 {
		t.Errorf("%d bytes are held, of %d", all.total, len(all.held))
	}
	all.mu.Unlock()
	text := strings.Repeat("x", 4*most)
	if m, err := c.Request(ctx, Shell, "echo_request", map[string]string{"code": text}); err != nil || len(m.Content) < len(text) {
		t.Errorf("who is known: %v", err)
	}
	if _, err := little.Write([]byte("y")); err != nil {
		t.Errorf("who has sent little: %v", err)
	}
}

// TestStrangersAnnounce: announced bytes use no memory.
func TestStrangersAnnounce(t *testing.T) {
	r := newFrameReader(bytes.NewReader(append(announced(1<<30), "some"...)))
	if _, _, err := r.next(); err != io.ErrUnexpectedEOF || cap(r.body) > 64<<10 {
		t.Errorf("%v, %d bytes for 4", err, cap(r.body))
	}
}

// TestStrangersTime: on each socket, the time that a stranger may take for a message is limited, and so is the
// time for its handshake.
func TestStrangersTime(t *testing.T) {
	info, _, said := within(t, func(l *limits) { l.message = time.Millisecond })
	for _, to := range []struct {
		port int
		typ  string
	}{{info.ShellPort, "DEALER"}, {info.ControlPort, "DEALER"}, {info.StdinPort, "DEALER"}, {info.IOPubPort, "SUB"}, {info.HBPort, "REQ"}} {
		isEnded(t, stranger(t, to.port, to.typ, flagMore))                     // half a header
		isEnded(t, stranger(t, to.port, to.typ, flagMore, 1, 'x'))             // one frame of several
		isEnded(t, stranger(t, to.port, to.typ, append(announced(9), 'x')...)) // half a body
	}
	if !said.has("closed: " + errLate.Error()) {
		t.Error("nothing of it is logged")
	}

	info, _, _ = within(t, func(l *limits) { l.handshake = time.Millisecond })
	nc, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", info.ShellPort))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	isEnded(t, nc)
}

// TestStrangersSeats: silent connections do not keep others out. Peers that have signed a message, subscribed
// or sent a heartbeat keep their connection.
func TestStrangersSeats(t *testing.T) {
	const seats = 6
	info, s, said := within(t, func(l *limits) { l.seats = seats })
	ctx := limit(t)
	first, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := first.Request(ctx, Shell, "echo_request", map[string]int{"n": 1}); err != nil {
		t.Fatal(err)
	}
	var silent []net.Conn
	for range seats - 1 {
		for _, to := range []struct {
			port int
			typ  string
		}{{info.ShellPort, "DEALER"}, {info.ControlPort, "DEALER"}, {info.StdinPort, "DEALER"}, {info.IOPubPort, "SUB"}, {info.HBPort, "REQ"}} {
			silent = append(silent, stranger(t, to.port, to.typ))
		}
	}
	for _, srv := range s.servers() {
		seated(t, srv, seats)
	}
	second, err := Dial(ctx, info)
	if err != nil {
		t.Fatalf("a new client: %v", err)
	}
	defer second.Close()
	for i, c := range []*Client{second, first} {
		if _, err := c.Request(ctx, Shell, "echo_request", map[string]int{"n": i}); err != nil {
			t.Errorf("client %d: %v", 2-i, err)
		}
	}
	isEnded(t, silent[0])
	if !said.has("shell: 6 connections: closed the silent one from 127.0.0.1") {
		t.Errorf("nothing of it is logged: %s", &said.text)
	}
	for _, srv := range s.servers() { // until then the client's connections may be closed like those of strangers
		seated(t, srv, seats)
	}
	// Connections with a legitimate use stay, however many others arrive, even if they only wait.
	var more []net.Conn
	for range 3 * seats {
		more = append(more, stranger(t, info.ShellPort, "DEALER"), stranger(t, info.ControlPort, "DEALER"), stranger(t, info.StdinPort, "DEALER"), stranger(t, info.IOPubPort, "SUB"))
	}
	for _, nc := range more[:4] {
		isEnded(t, nc)
	}
	for _, r := range []*Router{s.Control, s.Stdin} {
		r.pmu.Lock()
		if r.peers[first.Session] == nil || r.peers[second.Session] == nil {
			t.Errorf("%s has lost who waits there", r.name)
		}
		r.pmu.Unlock()
	}
	for i, c := range []*Client{first, second} {
		if _, err := c.Request(ctx, Shell, "echo_request", map[string]int{"again": i}); err != nil {
			t.Errorf("client %d afterwards: %v", i+1, err)
		}
		for {
			m, err := c.Recv(ctx, IOPub)
			if err != nil {
				t.Fatalf("client %d: iopub: %v", i+1, err)
			}
			if m.Header.MsgType == "echoed" && bytes.Contains(m.ParentHeader, []byte(c.Session)) {
				break
			}
		}
	}
}

// TestStrangersSubscriptions: the total size of a peer's topics is limited.
func TestStrangersSubscriptions(t *testing.T) {
	info, _, said := within(t, func(l *limits) { l.topics = 1000 })
	nc := stranger(t, info.IOPubPort, "SUB")
	for i := range 100 {
		topic := fmt.Sprintf("\x01topic %d", i)
		nc.Write(append([]byte{0, byte(len(topic))}, topic...))
	}
	isEnded(t, nc)
	if !said.has("more than 1000 bytes of topics") {
		t.Error("nothing of it is logged")
	}
}

// TestStrangersHeartbeat: a peer that sends heartbeats without reading the replies is disconnected.
func TestStrangersHeartbeat(t *testing.T) {
	info, _, _ := within(t, func(l *limits) { l.answers = 64 << 10 })
	nc := stranger(t, info.HBPort, "REQ")
	nc.SetWriteDeadline(time.Now().Add(patience.Long))
	beat, sent := appendFrame(nil, 0, make([]byte, 32<<10)), 0
	for {
		n, err := nc.Write(beat)
		if sent += n; errors.Is(err, os.ErrDeadlineExceeded) || sent > queueBytes/2 {
			t.Fatalf("after %d bytes: %v", sent, err) // the operating system buffers some megabytes
		} else if err != nil {
			break
		}
	}
}
