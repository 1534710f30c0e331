package bench

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/kernel/wire"
)

// greeting and ready return the first messages of a ZMTP 3.0 peer.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}

func ready(socket string) []byte {
	body := "\x05READY\x0bSocket-Type" + string([]byte{0, 0, 0, byte(len(socket))}) + socket + "\x08Identity\x00\x00\x00\x00"
	return append([]byte{4, byte(len(body))}, body...)
}

// abuse lists messages that only an attacker would send. Each is sent on a new connection, or on a client's
// connection if the message needs frames.
var abuse = []struct {
	name string
	do   func(p *process, c *client, r *rand.Rand) error
}{
	{"noise instead of a greeting", func(p *process, c *client, r *rand.Rand) error {
		return p.raw(r, func(nc net.Conn) { nc.Write(noise(r, 500)) })
	}},
	{"a connection that says nothing", func(p *process, c *client, r *rand.Rand) error {
		return p.raw(r, func(nc net.Conn) {})
	}},
	{"noise after the handshake", func(p *process, c *client, r *rand.Rand) error {
		return p.raw(r, func(nc net.Conn) { nc.Write(greeting()); nc.Write(ready("DEALER")); nc.Write(noise(r, 2000)) })
	}},
	{"half a message", func(p *process, c *client, r *rand.Rand) error {
		return p.raw(r, func(nc net.Conn) {
			nc.Write(greeting())
			nc.Write(ready("DEALER"))
			nc.Write([]byte{1, 9, '<', 'I', 'D', 'S'})
		})
	}},
	{"a frame announced with 2^63 bytes", func(p *process, c *client, r *rand.Rand) error {
		return p.raw(r, func(nc net.Conn) {
			nc.Write(greeting())
			nc.Write(ready("DEALER"))
			nc.Write([]byte{2, 0x80, 0, 0, 0, 0, 0, 0, 0})
		})
	}},
	{"a message of one million frames", func(p *process, c *client, r *rand.Rand) error {
		return p.raw(r, func(nc net.Conn) {
			nc.Write(greeting())
			nc.Write(ready("DEALER"))
			nc.SetWriteDeadline(time.Now().Add(time.Second))
			nc.Write(bytes.Repeat([]byte{1, 0}, 1<<20))
		})
	}},
	{"no delimiter", func(p *process, c *client, r *rand.Rand) error {
		return c.SendFrames(channel(r), [][]byte{[]byte("a"), []byte("b")})
	}},
	{"too few frames", func(p *process, c *client, r *rand.Rand) error {
		return c.SendFrames(channel(r), [][]byte{[]byte("<IDS|MSG>"), nil, []byte("{}")})
	}},
	{"unsigned", func(p *process, c *client, r *rand.Rand) error {
		f := forged("print(\"unsigned ran\")")
		f[1] = nil
		return c.SendFrames(channel(r), f)
	}},
	{"signed with another key", func(p *process, c *client, r *rand.Rand) error {
		return c.SendFrames(channel(r), forged("print(\"unsigned ran\")"))
	}},
	{"signed, but no JSON", func(p *process, c *client, r *rand.Rand) error {
		f, err := wire.NewCodec(p.info.Key).Encode(&wire.Message{Header: wire.NewHeader("s", "u", "execute_request"), Content: noise(r, 100)})
		if err != nil {
			return nil // the codec itself rejects the message
		}
		return c.SendFrames(channel(r), f)
	}},
	{"signed, deeply nested", func(p *process, c *client, r *rand.Rand) error {
		deep := []byte(`{"code":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`)
		f, err := wire.NewCodec(p.info.Key).Encode(&wire.Message{Header: wire.NewHeader("s", "u", "is_complete_request"), Content: deep})
		if err != nil {
			return nil
		}
		return c.SendFrames(wire.Control, f)
	}},
	{"replayed", func(p *process, c *client, r *rand.Rand) error {
		f, err := wire.NewCodec(p.info.Key).Encode(&wire.Message{Header: wire.NewHeader("s", "u", "execute_request"),
			Content: []byte(`{"code":"replayed++","silent":true}`)})
		if err != nil {
			return err
		}
		for range 3 {
			if err := c.SendFrames(wire.Shell, f); err != nil {
				return err
			}
		}
		return nil
	}},
	{"8 MB without a signature", func(p *process, c *client, r *rand.Rand) error {
		f := forged(strings.Repeat("x", 8<<20))
		return c.SendFrames(channel(r), f)
	}},
}

// channel returns a random channel that accepts requests.
func channel(r *rand.Rand) wire.Channel {
	return []wire.Channel{wire.Shell, wire.Control, wire.Stdin}[r.IntN(3)]
}

func noise(r *rand.Rand, most int) []byte {
	b := make([]byte, 1+r.IntN(most))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// forged returns the frames of an execute_request signed with a wrong key.
func forged(src string) [][]byte {
	content, err := wire.Marshal(code(src))
	if err != nil {
		panic(err)
	}
	f, err := wire.NewCodec("another key").Encode(&wire.Message{Header: wire.NewHeader("s", "u", "execute_request"), Content: content})
	if err != nil {
		panic(err)
	}
	return f
}

// raw opens a connection to one of the five ports, lets the function do write to it, and disconnects without
// notice.
func (p *process) raw(r *rand.Rand, do func(net.Conn)) error {
	i := p.info
	port := []int{i.ShellPort, i.ControlPort, i.StdinPort, i.IOPubPort, i.HBPort}[r.IntN(5)]
	nc, err := net.DialTimeout("tcp", net.JoinHostPort(i.IP, fmt.Sprint(port)), 5*time.Second)
	if err != nil {
		return err
	}
	do(nc) // a failed write means that the kernel has closed the connection, which it may
	time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
	return nc.Close()
}

// abused sends n messages of the list abuse while a client runs cells, and returns the times of these cells.
func abused(t *testing.T, p *process, n int, seed uint64) (ms []float64) {
	t.Helper()
	c, bad := p.dial(), p.dial()
	// If a front end stays connected and reads nothing, the kernel queues the messages for it.
	defer c.Close()
	defer bad.Close()
	c.want("replayed, honest := 0, 0\nhonest", "0")
	stop := make(chan struct{})
	var sender sync.WaitGroup
	var failed error
	replays := 0
	sender.Go(func() {
		defer close(stop)
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range n {
			a := abuse[i%len(abuse)]
			if err := a.do(p, bad, r); err != nil {
				failed = fmt.Errorf("%s: %w", a.name, err)
				return
			}
			if a.name == "replayed" {
				replays++
			}
		}
	})
	// Read the replies to bad's messages. Only a signed request that is not a replay gets a reply.
	var replies sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	answered := map[string]int{}
	var mu sync.Mutex
	for _, ch := range []wire.Channel{wire.Shell, wire.Control, wire.Stdin} {
		replies.Go(func() {
			for {
				m, err := bad.Recv(ctx, ch)
				if err != nil {
					return
				}
				mu.Lock()
				answered[m.Header.MsgType]++
				mu.Unlock()
			}
		})
	}
	replies.Go(func() { // iopub must be read, or the kernel queues its messages
		for {
			if _, err := bad.Recv(ctx, wire.IOPub); err != nil {
				return
			}
		}
	})
	cells := 0
	for running := true; running; {
		select {
		case <-stop:
			running = false
		default:
		}
		begin := time.Now()
		cells++
		c.want("honest++\nhonest", fmt.Sprint(cells))
		ms = append(ms, time.Since(begin).Seconds()*1e3)
	}
	sender.Wait()
	if failed != nil {
		p.alive()
		t.Fatal(failed)
	}
	// When the kernel answers on bad's shell channel, it has read everything sent there.
	deadline := time.Now().Add(patience)
	for {
		c.want("honest", fmt.Sprint(cells))
		if s := c.run("replayed"); strings.TrimSpace(s.text) == fmt.Sprint(replays) || time.Now().After(deadline) {
			if strings.TrimSpace(s.text) != fmt.Sprint(replays) {
				t.Errorf("%d requests, each sent three times, have run %s times", replays, s.text)
			}
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	replies.Wait()
	mu.Lock()
	defer mu.Unlock()
	if answered["execute_reply"] != replays {
		t.Errorf("%d replies to %d requests", answered["execute_reply"], replays)
	}
	for typ := range answered {
		if typ != "execute_reply" && typ != "is_complete_reply" {
			t.Errorf("an answer of type %s to what was not signed", typ)
		}
	}
	p.alive()
	return ms
}

// TestAbuse: malformed, unsigned, replayed, huge and truncated messages arrive while cells run. The kernel
// answers and runs none of them, and the cells run.
func TestAbuse(t *testing.T) {
	p := launch(t, ours(t))
	ms := abused(t, p, 10*len(abuse), 1)
	t.Logf("%d messages; %d cells meanwhile, median %.1f ms", 10*len(abuse), len(ms), median(ms))
	eight(t, p, 2) // the kernel accepts clients as before
	listening(t, p)
}
