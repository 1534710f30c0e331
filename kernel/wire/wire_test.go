package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"overcomplete/internal/patience"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// listen binds sockets. It answers each shell message with an echo and publishes an "echoed" message on iopub.
func listen(t testing.TB) (ConnectionInfo, *Sockets) {
	t.Helper()
	info, err := NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listen(info, "kernel", quiet())
	if err != nil {
		t.Fatal(err)
	}
	answerShell(s)
	t.Cleanup(func() { s.Close() })
	return info, s
}

// answerShell answers shell messages until the sockets are closed.
func answerShell(s *Sockets) {
	go func() {
		for {
			m, err := s.Shell.Recv()
			if err != nil {
				return
			}
			s.Shell.Send(&Message{Identities: m.Identities, Header: NewHeader("kernel", "k", "echo_reply"),
				ParentHeader: m.RawHeader, Content: m.Content, Buffers: m.Buffers})
			s.IOPub.Send(&Message{Identities: [][]byte{[]byte("echoed")}, Header: NewHeader("kernel", "k", "echoed"), ParentHeader: m.RawHeader})
		}
	}()
}

func limit(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	t.Cleanup(cancel)
	return ctx
}

func TestConnectionFile(t *testing.T) {
	good, err := NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.json")
	if err := good.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConnectionFile(path)
	if err != nil || got != good {
		t.Fatalf("read %+v, %v; wrote %+v", got, err, good)
	}
	if st, _ := os.Stat(path); runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", st.Mode())
	}
	for _, c := range []struct {
		change func(*ConnectionInfo)
		want   string
	}{
		{func(c *ConnectionInfo) { c.Transport = "udp" }, `transport "udp"`},
		{func(c *ConnectionInfo) { c.Transport = "" }, "transport is missing"},
		{func(c *ConnectionInfo) { c.IP = "" }, "ip is missing"},
		{func(c *ConnectionInfo) { c.HBPort = 0 }, "hb_port is 0"},
		{func(c *ConnectionInfo) { c.StdinPort = 70000 }, "stdin_port is 70000"},
		{func(c *ConnectionInfo) { c.IOPubPort = c.ShellPort }, "shell_port and iopub_port are both"},
		{func(c *ConnectionInfo) { c.SignatureScheme = "hmac-md5" }, `signature_scheme "hmac-md5"`},
	} {
		bad := good
		c.change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Validate: %v, want %q", err, c.want)
		}
	}
	if _, err := ParseConnectionInfo([]byte("{")); err == nil {
		t.Error("half a file was accepted")
	}
	if _, err := ReadConnectionFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestCodec(t *testing.T) {
	in := &Message{
		Identities: [][]byte{[]byte("a"), {0, 1}},
		Header:     NewHeader("s", "u", "x_request"),
		Content:    []byte(`{"a":"ü<b>"}`),
		Buffers:    [][]byte{{1, 2}, {}},
	}
	for _, key := range []string{"secret", ""} {
		frames, err := NewCodec(key).Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		dec := NewCodec(key)
		out, err := dec.Decode(frames)
		if err != nil {
			t.Fatalf("key %q: %v", key, err)
		}
		if out.Header != in.Header || !reflect.DeepEqual(out.Identities, in.Identities) ||
			string(out.Content) != string(in.Content) || !reflect.DeepEqual(out.Buffers, in.Buffers) {
			t.Errorf("key %q: got %+v, want %+v", key, out, in)
		}
		if key == "" {
			continue
		}
		if _, err := dec.Decode(frames); !errors.Is(err, ErrReplay) {
			t.Errorf("replayed: %v", err)
		}
		// A change to any single byte between the delimiter and the buffers must be detected.
		for f := 3; f < len(frames)-2; f++ {
			for i := range frames[f] {
				frames[f][i] ^= 1
				if _, err := NewCodec(key).Decode(frames); !errors.Is(err, ErrSignature) {
					t.Fatalf("frame %d byte %d changed: %v", f, i, err)
				}
				frames[f][i] ^= 1
			}
		}
		if _, err := NewCodec("other").Decode(frames); !errors.Is(err, ErrSignature) {
			t.Errorf("other key: %v", err)
		}
	}
}

// The signature of a fixed message is the same as Python computes:
//
//	hmac.new(b"key", b'{"msg_id":"1"}{}{}{"code":"1"}', "sha256").hexdigest()
func TestSignatureIsPythons(t *testing.T) {
	c := NewCodec("key")
	got := fmt.Sprintf("%x", c.sign([][]byte{[]byte(`{"msg_id":"1"}`), []byte("{}"), []byte("{}"), []byte(`{"code":"1"}`)}))
	const want = "9681d006d2159c6df66cc9c1d736b90c9d9ab4a7804a0ec24c415359fb05e2f7"
	if got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func TestReplayMemoryIsBounded(t *testing.T) {
	c := NewCodec("k")
	parts := make([][]byte, 1)
	for i := range replayMemory + 10 {
		parts[0] = binary.BigEndian.AppendUint32(nil, uint32(i))
		sig := fmt.Appendf(nil, "%x", c.sign(parts))
		if err := c.verify(sig, parts); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.seen) != replayMemory || len(c.ring) != replayMemory {
		t.Errorf("%d and %d digests kept, want %d", len(c.seen), len(c.ring), replayMemory)
	}
}

func FuzzDecode(f *testing.F) {
	frames, _ := NewCodec("").Encode(&Message{Identities: [][]byte{[]byte("id")}, Header: NewHeader("s", "u", "t")})
	f.Add(bytes.Join(frames, []byte("\n")))
	f.Add([]byte("<IDS|MSG>\n\n{}\n{}\n{}\n{}"))
	f.Add([]byte("<IDS|MSG>\n\n{\"msg_type\":1}\n[]\nnull\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		frames := bytes.Split(data, []byte("\n"))
		m, err := NewCodec("").Decode(frames)
		if _, err := NewCodec("key").Decode(frames); err == nil {
			t.Fatal("an unsigned message was accepted")
		}
		if err != nil {
			return
		}
		m.Parent()
		again, err := NewCodec("").Encode(m)
		if err != nil {
			t.Fatalf("what was decoded cannot be encoded: %v", err)
		}
		if _, err := NewCodec("").Decode(again); err != nil {
			t.Fatalf("what was encoded cannot be decoded: %v", err)
		}
	})
}

func FuzzReadFrames(f *testing.F) {
	f.Add(appendFrames(nil, [][]byte{[]byte("a"), bytes.Repeat([]byte("b"), 300), {}}))
	f.Add([]byte{2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{2, 0, 0, 0, 0, 0x3f, 0xff, 0xff, 0xff, 1, 2, 3})
	f.Add([]byte{4, 3, 2, 'h', 'i'})
	f.Fuzz(func(t *testing.T, data []byte) {
		frames, command, err := newFrameReader(bytes.NewReader(data)).next()
		if err != nil {
			return
		}
		if command {
			parseCommand(frames[0])
			return
		}
		again, _, err := newFrameReader(bytes.NewReader(appendFrames(nil, frames))).next()
		if err != nil || !reflect.DeepEqual(again, frames) {
			t.Fatalf("%q became %q, %v", frames, again, err)
		}
	})
}

// FuzzHandshake sends arbitrary bytes to a server after the greeting of the handshake.
func FuzzHandshake(f *testing.F) {
	f.Add([]byte("\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"))
	f.Add([]byte("\x04\x08\x05READY\x0bS"))
	f.Add([]byte{6, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		a, b := net.Pipe()
		go io.Copy(io.Discard, b)
		go func() {
			b.Write(greeting())
			b.Write(data)
			b.Close()
		}()
		handshake(&handshakeConn{Conn: a}, zmq4.Router, "", true, usual.handshake)
		a.Close()
	})
}

func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}

func TestEcho(t *testing.T) {
	info, _ := listen(t)
	ctx := limit(t)
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 100 {
		m, err := c.Request(ctx, Shell, "echo_request", map[string]int{"i": i})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"i":%d}`, i); string(m.Content) != want {
			t.Fatalf("got %s, want %s", m.Content, want)
		}
		p, err := c.Recv(ctx, IOPub)
		if err != nil || p.Header.MsgType != "echoed" {
			t.Fatalf("iopub: %+v, %v", p, err)
		}
	}
	if err := c.Ping(ctx, []byte("ping")); err != nil {
		t.Error(err)
	}
}

// TestWithSocketsOfZmq4 talks to the kernel's sockets with another implementation of ZeroMQ.
func TestWithSocketsOfZmq4(t *testing.T) {
	info, _ := listen(t)
	ctx := limit(t)
	codec := NewCodec(info.Key)
	addr := func(port int) string { return fmt.Sprintf("tcp://127.0.0.1:%d", port) }
	dealer := zmq4.NewDealer(ctx, zmq4.WithID(zmq4.SocketIdentity("me")), zmq4.WithLogger(quiet()))
	sub := zmq4.NewSub(ctx, zmq4.WithLogger(quiet()))
	req := zmq4.NewReq(ctx, zmq4.WithLogger(quiet()))
	for s, port := range map[zmq4.Socket]int{dealer: info.ShellPort, sub: info.IOPubPort, req: info.HBPort} {
		if err := s.Dial(addr(port)); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
	if err := sub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	recv := func(s zmq4.Socket) *Message {
		t.Helper()
		m, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		out, err := codec.Decode(m.Frames)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if m := recv(sub); m.Header.MsgType != "iopub_welcome" || string(m.Content) != `{"subscription":""}` {
		t.Errorf("first on iopub: %s %s", m.Header.MsgType, m.Content)
	}
	frames, _ := codec.Encode(&Message{Header: NewHeader("s", "u", "echo_request"), Content: []byte(`{"x":1}`), Buffers: [][]byte{bytes.Repeat([]byte("z"), 3<<20)}})
	if err := dealer.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		t.Fatal(err)
	}
	if m := recv(dealer); string(m.Content) != `{"x":1}` || len(m.Buffers) != 1 || len(m.Buffers[0]) != 3<<20 {
		t.Errorf("reply %s with %d buffers", m.Content, len(m.Buffers))
	}
	if m := recv(sub); m.Header.MsgType != "echoed" {
		t.Errorf("iopub: %s", m.Header.MsgType)
	}
	if err := req.Send(zmq4.NewMsgString("beat")); err != nil {
		t.Fatal(err)
	}
	if m, err := req.Recv(); err != nil || string(m.Bytes()) != "beat" {
		t.Errorf("heartbeat: %q, %v", m.Bytes(), err)
	}
}

// TestBadPeers: a proper client works although other peers are silent, send nonsense or too much, or come and
// go. The test covers two defects of zmq4: its issue 132, and its listener, which does the handshake with one
// peer at a time.
func TestBadPeers(t *testing.T) {
	info, s := listen(t)
	ctx := limit(t)
	shell := fmt.Sprintf("127.0.0.1:%d", info.ShellPort)
	dialRaw := func(data ...[]byte) net.Conn {
		nc, err := net.Dial("tcp", shell)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range data {
			nc.Write(d)
		}
		return nc
	}
	ready := []byte("\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00")
	ready[1] = byte(len(ready) - 2)
	for range 5 {
		defer dialRaw().Close()                                                                       // silent
		defer dialRaw([]byte("GET / HTTP/1.1\r\n\r\n")).Close()                                       // not ZeroMQ
		defer dialRaw(greeting(), []byte("\x04\x08\x05READY\xffS")).Close()                           // lies about a length
		defer dialRaw(greeting(), []byte{6, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}).Close()  // huge handshake
		defer dialRaw(greeting(), ready, []byte{2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0}).Close() // huge frame
		defer dialRaw(greeting(), ready, []byte{2, 0, 0, 0, 0, 0x3f, 0, 0, 0, 'h', 'a', 'l'}).Close() // half a frame
		defer dialRaw(greeting(), ready, []byte{0, 3, 'a', 'b', 'c'}, []byte{0xf0, 1, 'x'}).Close()   // unsigned, then wrong flags
	}
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 40 {
				d, err := Dial(ctx, info)
				if err != nil {
					t.Error(err)
					return
				}
				d.Send(Shell, "echo_request", map[string]int{"i": i})
				if i%2 == 0 {
					d.Recv(ctx, Shell)
				}
				d.Close()
			}
		})
	}
	for i := range 200 {
		if _, err := c.Request(ctx, Shell, "echo_request", map[string]int{"i": i}); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	patience.Until(t, "closed: connections of peers that have gone", func() bool { // with a short delay
		s.Shell.mu.Lock()
		defer s.Shell.mu.Unlock()
		return len(s.Shell.conns) <= 6+5 // c and the raw peers that were accepted
	})
}

// TestNothingUnsignedIsAnswered sends messages that must be dropped, then a valid one. The first reply must be
// the reply to the valid message.
func TestNothingUnsignedIsAnswered(t *testing.T) {
	info, _ := listen(t)
	ctx := limit(t)
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	proper := &Message{Header: NewHeader("s", "u", "echo_request"), Content: []byte(`{"n":1}`)}
	signed, _ := NewCodec(info.Key).Encode(proper)
	proper.Header.MsgID = "other"
	wrong, _ := NewCodec("guess").Encode(proper)
	none, _ := NewCodec("").Encode(proper)
	for _, frames := range [][][]byte{wrong, none, {[]byte("x")}, {{}}, signed[1:], signed[:4], signed, signed, signed} {
		if err := c.SendFrames(Shell, frames); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := c.Recv(ctx, Shell); err != nil || m.Parent().MsgID == "other" {
		t.Fatalf("first reply: %+v, %v", m, err)
	}
	m, err := c.Request(ctx, Shell, "echo_request", map[string]int{"n": 2})
	if err != nil || string(m.Content) != `{"n":2}` {
		t.Fatalf("%s, %v", m.Content, err)
	}
}

// TestStalledSubscriber: a subscriber that does not read slows the publisher down when the subscriber's queue
// is full, and does not block Close.
func TestStalledSubscriber(t *testing.T) {
	info, s := listen(t)
	ctx := limit(t)
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stalled, err := dial(ctx, info, info.IOPubPort, zmq4.Sub, "")
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.close()
	stalled.send(appendFrames(nil, [][]byte{{1}}), true)
	if _, _, err := stalled.r.next(); err != nil { // the welcome message; it reads nothing after that
		t.Fatal(err)
	}
	big := &Message{Identities: [][]byte{[]byte("x")}, Header: NewHeader("s", "u", "stream"), Buffers: [][]byte{make([]byte, 4<<20)}}
	published := make(chan int)
	go func() {
		n := 0
		for range 40 {
			if s.IOPub.Send(big) == nil {
				n++
			}
		}
		published <- n
	}()
	select {
	case <-published:
		t.Error("160 MB were queued for a peer that does not read")
	case <-time.After(300 * time.Millisecond):
	}
	// Replies do not wait for the iopub queue.
	if err := c.Ping(ctx, []byte("x")); err != nil {
		t.Error(err)
	}
}

func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 30 {
		info, err := NewConnectionInfo()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Listen(info, "k", quiet())
		if err != nil {
			t.Fatal(err)
		}
		c, err := Dial(limit(t), info)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			for c.SendFrames(Shell, [][]byte{{}}) == nil {
				if s.IOPub.Send(&Message{Identities: [][]byte{{}}}) != nil {
					return
				}
			}
		})
		wg.Go(func() {
			if _, err := s.Shell.Recv(); err != ErrClosed {
				t.Errorf("Recv after Close: %v", err)
			}
		})
		s.Close()
		s.Close()
		c.Close()
		wg.Wait()
	}
	if !patience.Wait(func() bool { return runtime.NumGoroutine() <= before+2 }) {
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	}
}

func TestListenSaysWhichPort(t *testing.T) {
	info, _ := listen(t)
	other, err := NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	other.ControlPort = info.ShellPort
	if _, err := Listen(other, "k", quiet()); err == nil || !strings.Contains(err.Error(), "control") {
		t.Errorf("Listen on a taken port: %v", err)
	}
}

func TestIPC(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("unix sockets")
	}
	info := ConnectionInfo{Transport: "ipc", IP: filepath.Join(t.TempDir(), "k"), ShellPort: 1, ControlPort: 2,
		StdinPort: 3, IOPubPort: 4, HBPort: 5}
	s, err := Listen(info, "k", quiet())
	if err != nil {
		t.Fatal(err)
	}
	c, err := Dial(limit(t), info)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(limit(t), []byte("x")); err != nil {
		t.Error(err)
	}
	c.Close()
	s.Close()
	if left, _ := filepath.Glob(info.IP + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
