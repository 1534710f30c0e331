package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// TestListensWhereItIsTold: the kernel listens on the address and the five ports of the connection file, and
// nowhere else.
func TestListensWhereItIsTold(t *testing.T) {
	info, s := listen(t)
	want := map[string]bool{}
	for _, p := range info.ports() {
		want[net.JoinHostPort(info.IP, fmt.Sprint(p.port))] = true
	}
	for _, srv := range []*server{&s.Shell.server, &s.Control.server, &s.Stdin.server, &s.IOPub.server, &s.heartbeat} {
		addr := srv.ln.Addr().String()
		if !want[addr] {
			t.Errorf("%s listens on %s", srv.name, addr)
		}
		delete(want, addr)
	}
	if len(want) > 0 {
		t.Errorf("nobody listens on %v", want)
	}
	// A listener on all addresses would also answer on this other address of the machine.
	other := net.JoinHostPort("127.0.0.2", fmt.Sprint(info.ShellPort))
	if nc, err := net.DialTimeout("tcp", other, time.Second); err == nil {
		nc.Close()
		t.Errorf("somebody listens on %s", other)
	}
}

// FuzzUnsigned passes to a kernel's codec frames that somebody without the key could make: arbitrary frames,
// and a signed message with one frame changed. The codec accepts none of them, and accepts the signed message
// once.
func FuzzUnsigned(f *testing.F) {
	f.Add([]byte(`{"code":"x"}`), uint8(3), []byte(`{"code":"y"}`))
	f.Add([]byte(`{}`), uint8(0), []byte("0000"))
	f.Add([]byte(`{}`), uint8(1), []byte(`{"msg_type":"execute_request"}`))
	f.Fuzz(func(t *testing.T, content []byte, at uint8, change []byte) {
		if !json.Valid(content) || len(content) == 0 || content[0] != '{' {
			t.Skip()
		}
		frames, err := NewCodec("key").Encode(&Message{Header: NewHeader("s", "u", "execute_request"), Content: content})
		if err != nil {
			t.Fatal(err)
		}
		kernel := NewCodec("key")
		forged := append([][]byte(nil), frames...)
		i := 1 + int(at)%5 // changes the signature or one of the four signed frames
		forged[i] = change
		if string(change) != string(frames[i]) {
			if _, err := kernel.Decode(forged); err == nil {
				t.Fatalf("frame %d was changed to %q and accepted", i, change)
			}
		}
		if _, err := kernel.Decode(frames); err != nil && !errors.Is(err, ErrMalformed) {
			t.Fatalf("the signed message: %v", err)
		}
		if _, err := kernel.Decode(frames); !errors.Is(err, ErrReplay) {
			t.Fatalf("the same message again: %v", err)
		}
		if _, err := kernel.Decode([][]byte{[]byte(delimiter), change, content, change, content, content}); err == nil {
			t.Fatal("a message with a made-up signature was accepted")
		}
	})
}

// TestHuge: a signed message of many megabytes arrives complete. A message that is announced as larger than the
// limit only ends its own connection.
func TestHuge(t *testing.T) {
	info, _ := listen(t)
	ctx := limit(t)
	c, err := Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := strings.Repeat("x", 20<<20)
	m, err := c.Request(ctx, Shell, "echo_request", map[string]string{"code": text})
	if err != nil || len(m.Content) < len(text) {
		t.Fatalf("%v", err)
	}
	nc, err := net.Dial("tcp", net.JoinHostPort(info.IP, fmt.Sprint(info.ShellPort)))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	ready := []byte("\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00")
	ready[1] = byte(len(ready) - 2)
	nc.Write(greeting())
	nc.Write(ready)
	nc.Write([]byte{2, 0xff, 0, 0, 0, 0, 0, 0, 0})
	nc.SetReadDeadline(time.Now().Add(patience.Long))
	for {
		if _, err := nc.Read(make([]byte, 1024)); err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Error("the connection is kept")
			}
			break
		}
	}
	if _, err := c.Request(ctx, Shell, "echo_request", map[string]int{"n": 2}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
