package wire

import (
	"bytes"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// sample returns the encoding of a command and of messages with several frames, which are short, long or empty.
func sample() []byte {
	b := appendFrames(nil, [][]byte{[]byte("<IDS|MSG>"), {}, bytes.Repeat([]byte("x"), 300), []byte("end")})
	b = appendFrame(b, flagCommand, []byte("\x04PING"))
	return appendFrames(b, [][]byte{bytes.Repeat([]byte("y"), 256), {}})
}

type frames struct {
	Frames  [][]byte
	Command bool
}

// readAll reads messages until an error.
func readAll(r *frameReader, to chan<- frames) {
	for {
		f, command, err := r.next()
		if err != nil {
			close(to)
			return
		}
		to <- frames{f, command}
	}
}

func list(from <-chan frames) (all []frames) {
	for f := range from {
		all = append(all, f)
	}
	return all
}

// TestHoldAtEveryByte holds a connection after each byte of a stream of messages. The bytes handed over are
// exactly those that were read but are not part of a returned message. The same messages arrive when the same
// reader continues, and when another reader does.
func TestHoldAtEveryByte(t *testing.T) {
	stream := sample()
	parsed := make(chan frames, 10)
	readAll(newFrameReader(bytes.NewReader(stream)), parsed)
	want := list(parsed)
	if len(want) != 3 || !want[1].Command {
		t.Fatalf("the sample is %v", want)
	}
	for cut := range len(stream) + 1 {
		here, peer := net.Pipe()
		l := newLink(here)
		r := newFrameReader(l)
		got := make(chan frames, 10)
		go readAll(r, got)
		if _, err := peer.Write(stream[:cut]); err != nil { // returns when the reader has read the bytes
			t.Fatal(err)
		}
		h := l.hold()
		<-h.arrived
		unread := r.unread()
		whole := 0 // bytes of complete messages
		for i := range len(got) {
			whole += len(encode(want[i]))
		}
		if !bytes.Equal(unread, stream[whole:cut]) {
			t.Fatalf("after %d bytes: %q is unread, want %q", cut, unread, stream[whole:cut])
		}
		// Continue with another reader.
		other := make(chan frames, 10)
		readAll(newFrameReader(io.MultiReader(bytes.NewReader(unread), bytes.NewReader(stream[cut:]))), other)
		if all := list(other); !reflect.DeepEqual(all, append([]frames(nil), want[len(got):]...)) {
			t.Fatalf("after %d bytes, another reader gets %v", cut, all)
		}
		// Continue with the same reader. The peer writes while the reader is held.
		sent := make(chan bool)
		go func() {
			peer.Write(stream[cut:])
			peer.Close()
			close(sent)
		}()
		if cut%50 == 0 && cut < len(stream) {
			select {
			case <-sent:
				t.Fatal("it reads while it is held")
			case <-time.After(5 * time.Millisecond):
			}
		}
		l.release()
		if all := list(got); !reflect.DeepEqual(all, want) {
			t.Fatalf("held after %d bytes: got %v", cut, all)
		}
		<-sent
		here.Close()
	}
}

func encode(f frames) []byte {
	if f.Command {
		return appendFrame(nil, flagCommand, f.Frames[0])
	}
	return appendFrames(nil, f.Frames)
}

// TestHoldWhileWriting holds a writer whose peer reads a little at a time. The written and the unsent bytes
// together are the messages: no byte is missing or occurs twice.
func TestHoldWhileWriting(t *testing.T) {
	var want []byte
	for i := range 40 {
		want = appendFrame(want, 0, bytes.Repeat([]byte{byte(i)}, 100*i))
	}
	for n := 1; n < len(want); n += 977 {
		here, peer := net.Pipe()
		c := newConn(newLink(here), "peer")
		rest := want
		for i := range 40 {
			size := len(appendFrame(nil, 0, make([]byte, 100*i)))
			c.send(rest[:size], true)
			rest = rest[size:]
		}
		got := make([]byte, n)
		if _, err := io.ReadFull(peer, got); err != nil {
			t.Fatal(err)
		}
		c.hold()
		if all := append(got, c.unsent()...); !bytes.Equal(all, want) {
			t.Fatalf("after %d bytes the rest is not what is missing", n)
		}
		c.release()
		all := make([]byte, len(want)-n)
		if _, err := io.ReadFull(peer, all); err != nil || !bytes.Equal(all, want[n:]) {
			t.Fatalf("after %d bytes the peer gets something else: %v", n, err)
		}
		c.drain()
		if c.mu.Lock(); c.queued != 0 {
			t.Errorf("%d bytes are still counted", c.queued)
		}
		c.mu.Unlock()
		c.close()
	}
}

// TestCloseWhileHeld: closing a held connection ends its reader.
func TestCloseWhileHeld(t *testing.T) {
	here, _ := net.Pipe()
	l := newLink(here)
	ended := make(chan error)
	go func() {
		_, err := l.Read(make([]byte, 1))
		ended <- err
	}()
	<-l.hold().arrived
	l.Close()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a closed connection was read")
		}
	case <-time.After(patience.Long):
		t.Fatal("the reader stands still for ever")
	}
}
