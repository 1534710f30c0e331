//go:build unix

package wire

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"golang.org/x/sys/unix"

	"overcomplete/internal/patience"
)

// echo answers each message that a Router receives with an echo, and publishes "echoed".
func echo(s *Sockets, r *Router) {
	for {
		m, err := r.Recv()
		if err != nil {
			return
		}
		r.Send(&Message{Identities: m.Identities, Header: NewHeader("kernel", "k", "echo_reply"),
			ParentHeader: m.RawHeader, Content: m.Content, Buffers: m.Buffers})
		s.IOPub.Send(&Message{Identities: [][]byte{[]byte("echoed")}, Header: NewHeader("kernel", "k", "echoed"),
			ParentHeader: m.RawHeader, Content: m.Content})
	}
}

func serve(s *Sockets) {
	for _, r := range s.routers() {
		go echo(s, r)
	}
}

// open binds sockets that echo on shell, control and stdin.
func open(t testing.TB, info ConnectionInfo) *Sockets {
	t.Helper()
	s, err := Listen(info, "kernel", quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	serve(s)
	return s
}

func tcp(t testing.TB) ConnectionInfo {
	t.Helper()
	info, err := NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// ipc returns addresses in a folder with a short name, because names of sockets have a maximum length.
func ipc(t testing.TB) ConnectionInfo {
	t.Helper()
	dir, err := os.MkdirTemp("", "wire")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return ConnectionInfo{Transport: "ipc", IP: filepath.Join(dir, "k"), ShellPort: 1, ControlPort: 2,
		StdinPort: 3, IOPubPort: 4, HBPort: 5, SignatureScheme: "hmac-sha256", Key: "k"}
}

// succeed hands the sockets over to new ones in the same process. The old sockets stay held, like those of a
// replaced program, and do nothing any more. The files get new descriptors, because the old and the new sockets
// must not share them within one process.
func succeed(t testing.TB, info ConnectionInfo, old *Sockets) *Sockets {
	t.Helper()
	st, err := old.Hold(limit(t))
	if err != nil {
		t.Fatal(err)
	}
	st, err = decode(encodeState(t, st))
	if err != nil {
		t.Fatal(err)
	}
	renumber := func(fd *int) {
		if *fd, err = unix.FcntlInt(uintptr(*fd), unix.F_DUPFD_CLOEXEC, 3); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range st.sockets() {
		renumber(&s.Listener)
		for i := range s.Conns {
			renumber(&s.Conns[i].File)
		}
		for i := range s.Handshakes {
			renumber(&s.Handshakes[i].File)
		}
	}
	s, err := Resume(info, "kernel", st, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestHandover: a client that sends messages does not notice hand-overs. On three sockets all replies arrive
// once and in order, all published messages arrive, and the heartbeat works.
func TestHandover(t *testing.T) {
	for name, info := range map[string]ConnectionInfo{"tcp": tcp(t), "ipc": ipc(t)} {
		t.Run(name, func(t *testing.T) {
			s := open(t, info)
			ctx := limit(t)
			var clients sync.WaitGroup
			const n = 300
			for k := range 3 {
				c, err := Dial(ctx, info)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				clients.Go(func() { conversation(t, ctx, c, k, n) })
			}
			ended := make(chan bool)
			go func() { clients.Wait(); close(ended) }()
			handed := 0
			for running := true; running; {
				select {
				case <-ended:
					running = false
				case <-time.After(7 * time.Millisecond):
					s = succeed(t, info, s)
					serve(s)
					handed++
				}
			}
			if handed == 0 {
				t.Error("there was no hand-over")
			}
			t.Logf("%d hand-overs", handed)
			c, err := Dial(ctx, info) // the listeners have not changed
			if err != nil {
				t.Fatal(err)
			}
			c.Close()
			s.Close()
			if left, _ := filepath.Glob(info.IP + "*"); info.Transport == "ipc" && len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// conversation sends n requests on each of three sockets, and checks the replies.
func conversation(t *testing.T, ctx context.Context, c *Client, k, n int) {
	var wg sync.WaitGroup
	for _, ch := range []Channel{Shell, Control, Stdin} {
		wg.Go(func() {
			for i := range n {
				size := 0
				if i%50 == 0 {
					size = 100 << 10 // large enough to arrive in pieces
				}
				c.Send(ch, "echo_request", map[string]string{"n": fmt.Sprintf("%v/%d", ch, i), "pad": strings.Repeat("p", size)})
				if i%20 == 0 {
					time.Sleep(2 * time.Millisecond)
				}
			}
		})
		wg.Go(func() {
			for i := range n {
				m, err := c.Recv(ctx, ch)
				if err != nil {
					t.Errorf("client %d, %v, after %d replies: %v", k, ch, i, err)
					return
				}
				if want := fmt.Sprintf(`{"n":"%v/%d",`, ch, i); !strings.HasPrefix(string(m.Content), want) {
					t.Errorf("client %d: reply %.40s, want %s", k, m.Content, want)
					return
				}
			}
		})
	}
	wg.Go(func() {
		next := map[string]int{}
		for range 3 * n {
			m, err := c.Recv(ctx, IOPub)
			if err != nil {
				t.Errorf("client %d, iopub: %v after %v", k, err, next)
				return
			}
			if m.Parent().Session != c.Session {
				continue // the reply is for another client
			}
			var content struct{ N string }
			json.Unmarshal(m.Content, &content)
			ch, i, _ := strings.Cut(content.N, "/")
			if i != fmt.Sprint(next[ch]) {
				t.Errorf("client %d, iopub: %s, want number %d", k, content.N, next[ch])
				return
			}
			next[ch]++
		}
	})
	wg.Go(func() {
		for range n / 10 {
			if err := c.Ping(ctx, []byte("beat")); err != nil {
				t.Errorf("client %d: %v", k, err)
				return
			}
		}
	})
	wg.Wait()
}

// TestHandshakeAtEveryByte hands over after a peer has sent the first bytes of its handshake. The peer then
// sends the remaining bytes and a message.
func TestHandshakeAtEveryByte(t *testing.T) {
	ready := []byte("\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x02me")
	ready[1] = byte(len(ready) - 2)
	info := tcp(t)
	s := open(t, info)
	codec := NewCodec(info.Key)
	for cut := 0; cut <= greetingSize+len(ready); cut++ {
		nc, err := net.Dial("tcp", net.JoinHostPort(info.IP, fmt.Sprint(info.ShellPort)))
		if err != nil {
			t.Fatal(err)
		}
		hello := append(greeting(), ready...)
		nc.Write(hello[:cut])
		if cut%3 == 0 {
			time.Sleep(time.Millisecond) // by then the bytes have sometimes been read, sometimes not
		}
		s = succeed(t, info, s)
		serve(s)
		nc.Write(hello[cut:])
		frames, _ := codec.Encode(&Message{Header: NewHeader("s", "u", "echo_request"), Content: fmt.Appendf(nil, `{"n":%d}`, cut)})
		nc.Write(appendFrames(nil, frames))
		nc.SetReadDeadline(time.Now().Add(patience.Long))
		r := newFrameReader(nc)
		if _, err := io.ReadFull(r, make([]byte, greetingSize)); err != nil {
			t.Fatalf("after %d bytes: no greeting: %v", cut, err)
		}
		if _, command, err := r.next(); err != nil || !command {
			t.Fatalf("after %d bytes: no READY: %v", cut, err)
		}
		reply, _, err := r.next()
		if err != nil || !strings.Contains(string(bytes.Join(reply, nil)), fmt.Sprintf(`{"n":%d}`, cut)) {
			t.Fatalf("after %d bytes: reply %q, %v", cut, reply, err)
		}
		nc.Close()
	}
}

// TestHandoverOfUnsent: data that a subscriber has not yet read are sent by the next program, which continues
// in the middle of a message.
func TestHandoverOfUnsent(t *testing.T) {
	info := tcp(t)
	s := open(t, info)
	slow, err := dial(limit(t), info, info.IOPubPort, zmq4.Sub, "")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.close()
	slow.send(appendFrames(nil, [][]byte{{1}}), true)
	if _, _, err := slow.r.next(); err != nil { // the welcome message
		t.Fatal(err)
	}
	const n, size = 8, 4 << 20
	publish := func(s *Sockets, i int) {
		s.IOPub.Send(&Message{Identities: [][]byte{[]byte("x")}, Header: NewHeader("s", "u", "stream"),
			Content: fmt.Appendf(nil, `{"i":%d}`, i), Buffers: [][]byte{bytes.Repeat([]byte{byte(i)}, size)}})
	}
	for i := range n {
		publish(s, i)
	}
	s = succeed(t, info, s)
	publish(s, n)
	codec := NewCodec(info.Key)
	for i := range n + 1 {
		f, _, err := slow.r.next()
		if err != nil {
			t.Fatal(err)
		}
		m, err := codec.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"i":%d}`, i); string(m.Content) != want || len(m.Buffers) != 1 ||
			!bytes.Equal(m.Buffers[0], bytes.Repeat([]byte{byte(i)}, size)) {
			t.Fatalf("message %d: %s with %d buffers", i, m.Content, len(m.Buffers))
		}
	}
}

// TestHandedOverWaits: messages that have not been received yet are handed over, no message is accepted twice,
// and peers without an identity keep the identity assigned to them.
func TestHandedOverWaits(t *testing.T) {
	info := tcp(t)
	s, err := Listen(info, "kernel", quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, busy := make(chan bool), make(chan bool)
	go func() {
		s.Shell.Recv()
		close(first)
		<-busy // during this time 100 more messages arrive, more than the socket's queue holds
		s.Shell.Recv()
		t.Error("a message was received after the hand-over")
	}()
	go s.Control.Recv()
	go s.Stdin.Recv()
	nc, err := dial(limit(t), info, info.ShellPort, zmq4.Dealer, "")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.close()
	codec := NewCodec(info.Key)
	var again []byte
	for i := range 101 {
		frames, _ := codec.Encode(&Message{Header: NewHeader("s", "u", "echo_request"), Content: fmt.Appendf(nil, `{"i":%d}`, i)})
		again = appendFrames(nil, frames)
		nc.send(again, true)
	}
	<-first
	short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	if _, err := s.Hold(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a hold while a message is being handled: %v", err)
	}
	cancel()
	time.AfterFunc(10*time.Millisecond, func() { close(busy) })
	next := succeed(t, info, s)
	if n := len(next.Shell.early); n < 64 {
		t.Errorf("%d messages wait", n)
	}
	serve(next)
	nc.send(again, true)
	for i := 1; i <= 101; i++ {
		if i == 101 { // the repeated message is dropped, and the next one is received
			frames, _ := codec.Encode(&Message{Header: NewHeader("s", "u", "echo_request"), Content: fmt.Appendf(nil, `{"i":%d}`, i)})
			nc.send(appendFrames(nil, frames), true)
		}
		f, _, err := nc.r.next()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"i":%d}`, i); string(f[5]) != want {
			t.Fatalf("%s, want %s", f[5], want)
		}
	}
}

// TestHoldAndRelease: sockets that were held and released continue unchanged.
func TestHoldAndRelease(t *testing.T) {
	info := tcp(t)
	s := open(t, info)
	ctx := limit(t)
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ended := make(chan bool)
	go func() { conversation(t, ctx, c, 0, 300); close(ended) }()
	for i := 0; ; i++ {
		select {
		case <-ended:
			t.Logf("%d holds", i)
			s.Close()
			return
		case <-time.After(3 * time.Millisecond):
		}
		st, err := s.Hold(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 { // the program could not be started; nothing changes
			if err := st.Exec("/no/such/program", nil, nil, os.Stdin); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("exec: %v", err)
			}
			for _, fd := range st.files() {
				if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
					t.Fatalf("file %d would be inherited: %d, %v", fd, flags, err)
				}
			}
		}
		s.Release()
	}
}

// TestCloseWhileHolding: a shutdown during a hold ends the sockets.
func TestCloseWhileHolding(t *testing.T) {
	info := tcp(t)
	s := open(t, info)
	if _, err := s.Hold(limit(t)); err != nil {
		t.Fatal(err)
	}
	closed := make(chan bool)
	go func() { s.Close(); close(closed) }()
	time.Sleep(5 * time.Millisecond)
	s.Release()
	select {
	case <-closed:
	case <-time.After(patience.Long):
		t.Fatal("the sockets do not close")
	}
	if _, err := s.Hold(limit(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("Hold after Close: %v", err)
	}
}

// TestResumeRefuses: Resume refuses files that are not sockets or not inherited, and leaves them alone.
func TestResumeRefuses(t *testing.T) {
	info := tcp(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	st := &State{}
	for i, s := range st.sockets() {
		s.Listener = int(r.Fd()) + 1000*i
	}
	if _, err := Resume(info, "k", st, quiet()); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("a pipe as a socket: %v", err)
	}
	w.Write([]byte("x"))
	if n, err := r.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("the pipe was closed: %v", err)
	}
	w.Close()
	if _, err := Resume(info, "k", &State{}, quiet()); err == nil {
		t.Error("an empty state was accepted")
	}
}

func encodeState(t testing.TB, st *State) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(st); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(data []byte) (*State, error) {
	st := new(State)
	err := gob.NewDecoder(bytes.NewReader(data)).Decode(st)
	return st, err
}

// FuzzState: any state is either refused or written again unchanged.
func FuzzState(f *testing.F) {
	sample := func() *State {
		st := &State{Seen: make([]byte, 2*digestSize)}
		for i, s := range st.sockets() {
			s.Listener = 3 + i
		}
		st.IOPub.Conns = []ConnState{{File: 9, Peer: []byte{0, 1}, Unread: []byte("u"), Unsent: []byte("s"), Topics: []Topic{{nil, 1}}}}
		st.Shell.Handshakes = []HandshakeState{{File: 10, Read: []byte{255}, Written: 64}}
		st.Shell.Waiting = []PackedMessage{{Identities: [][]byte{[]byte("a")}, Parts: [4][]byte{[]byte(`{"msg_type":"x"}`), emptyObject, emptyObject, emptyObject}}}
		return st
	}
	f.Add(encodeState(f, sample()))
	for _, change := range []func(*State){
		func(st *State) { st.Shell.Listener = 9 },
		func(st *State) { st.Control.Listener = 1 },
		func(st *State) { st.IOPub.Conns[0].Topics[0].N = -1 },
		func(st *State) { st.Shell.Handshakes[0].Written = -1 },
		func(st *State) { st.Seen = st.Seen[1:] },
	} {
		st := sample()
		change(st)
		if st.check() == nil {
			f.Errorf("accepted: %+v", st)
		}
		f.Add(encodeState(f, st))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		st, err := decode(data)
		if err != nil || st.check() != nil {
			return
		}
		for _, p := range st.Shell.Waiting {
			p.Unpack()
		}
		raw := encodeState(t, st)
		again, err := decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.check(); err != nil {
			t.Fatalf("what was accepted is refused: %v", err)
		}
		if second := encodeState(t, again); !bytes.Equal(raw, second) {
			t.Fatalf("%q became %q", raw, second)
		}
	})
}
