package comm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"strings"
	"sync"
	"testing"
)

type wireLog struct {
	mu  sync.Mutex
	out []OutgoingMessage
}

func (w *wireLog) send(o OutgoingMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, o)
}

// lines returns the messages sent, one per line.
func (w *wireLog) lines() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, o := range w.out {
		raw, _ := json.Marshal(o.Content)
		fmt.Fprintln(&b, o.Type, string(raw))
	}
	w.out = nil
	return b.String()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func (m *Manager) test(t *testing.T, msgType, content string) func() {
	t.Helper()
	then, err := m.Handle(msgType, json.RawMessage(content), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return then
}

func TestOpenedByTheFrontEnd(t *testing.T) {
	var w wireLog
	m := New("k", w.send, nil)
	var got []string
	m.Target("echo", func(c *Comm, open Message) func() {
		got = append(got, "open "+string(open.Data))
		c.Receive(func(msg Message) func() {
			got = append(got, "at once "+string(msg.Data))
			return func() { c.Send(map[string]any{"back": msg.Data}) }
		})
		c.Closed(func(Message) func() { got = append(got, "closed"); return nil })
		return nil
	})
	m.test(t, "comm_open", `{"comm_id":"a","target_name":"echo","data":{"x":1}}`)
	m.test(t, "comm_open", `{"comm_id":"b","target_name":"nobody","data":{}}`)
	want(t, "unknown target", w.lines(), `comm_close {"comm_id":"b","data":{}}`)
	want(t, "info", fmt.Sprint(m.Info(""), m.Info("echo"), m.Info("x")), "map[a:map[target_name:echo]] map[a:map[target_name:echo]] map[]")

	first := m.test(t, "comm_msg", `{"comm_id":"a","data":{"n":1}}`)
	second := m.test(t, "comm_msg", `{"comm_id":"a","data":{"n":2}}`)
	want(t, "nothing is sent before its turn", w.lines(), "")
	first()
	second()
	want(t, "in turn", w.lines(), "comm_msg {\"comm_id\":\"a\",\"data\":{\"back\":{\"n\":1}}}\ncomm_msg {\"comm_id\":\"a\",\"data\":{\"back\":{\"n\":2}}}")
	m.test(t, "comm_close", `{"comm_id":"a","data":{}}`)
	first() // a late callback
	m.test(t, "comm_msg", `{"comm_id":"a","data":{"n":3}}`)
	want(t, "after the close", w.lines(), "")
	want(t, "noted", strings.Join(got, "\n"), "open {\"x\":1}\nat once {\"n\":1}\nat once {\"n\":2}\nclosed")
	want(t, "info", fmt.Sprint(m.Info("")), "map[]")
}

func TestOpenedHere(t *testing.T) {
	var w wireLog
	m := New("k", w.send, nil)
	data := map[string]any{"s": []int{1}}
	c, err := m.Open("t", "", data, map[string]any{"version": "2"}, []byte{7})
	if err != nil {
		t.Fatal(err)
	}
	data["s"] = "changed later"
	if w.out[0].Metadata["version"] != "2" || len(w.out[0].Buffers) != 1 {
		t.Errorf("sent %+v", w.out[0])
	}
	want(t, "open", w.lines(), `comm_open {"comm_id":"k-1","data":{"s":[1]},"target_name":"t"}`)
	if _, err := m.Open("t", c.ID, nil, nil); err == nil {
		t.Error("one id was opened twice")
	}
	if err := c.Send(map[string]any{"x": math.NaN()}); err == nil {
		t.Error("NaN was sent")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	want(t, "close", w.lines(), `comm_close {"comm_id":"k-1","data":{}}`)
	if err := c.Send(nil); err != ErrClosed {
		t.Errorf("Send after Close: %v", err)
	}
	if err := c.Close(); err != ErrClosed {
		t.Errorf("second Close: %v", err)
	}
}

func TestPanicAndNonsense(t *testing.T) {
	var w wireLog
	var text bytes.Buffer
	m := New("k", w.send, log.New(&text, "", 0))
	m.Target("bad", func(*Comm, Message) func() { panic("ugly") })
	if then := m.test(t, "comm_open", `{"comm_id":"a","target_name":"bad"}`); then != nil {
		t.Error("a function that panicked has something to call")
	}
	if !strings.Contains(text.String(), "ugly") {
		t.Errorf("log: %s", text.String())
	}
	for _, content := range []string{``, `[]`, `{}`, `{"comm_id":7}`, `{"comm_id":""}`} {
		if _, err := m.Handle("comm_msg", json.RawMessage(content), nil, nil); err == nil {
			t.Errorf("%q was accepted", content)
		}
	}
	m.test(t, "comm_msg", `{"comm_id":"never opened"}`)
	m.test(t, "comm_close", `{"comm_id":"never opened"}`)
}

// TestOrder checks that messages of one goroutine leave in order, even if other goroutines send and close.
func TestOrder(t *testing.T) {
	var w wireLog
	m := New("k", w.send, nil)
	var wg sync.WaitGroup
	for range 4 {
		c, err := m.Open("t", "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for i := range 200 {
				c.Send(map[string]any{"n": i})
			}
			c.Close()
		})
		wg.Go(func() { m.Info("t") })
	}
	wg.Wait()
	next := map[any]int{}
	for _, o := range w.out {
		id := o.Content["comm_id"]
		if o.Type != "comm_msg" {
			continue
		}
		if got := string(o.Content["data"].(json.RawMessage)); got != fmt.Sprintf(`{"n":%d}`, next[id]) {
			t.Fatalf("comm %v: %s as message %d", id, got, next[id])
		}
		next[id]++
	}
	for id, n := range next {
		if n != 200 {
			t.Errorf("comm %v: %d messages", id, n)
		}
	}
}

// TestAnswer checks that an answer has the cause of the message that it answers, even if other
// messages are sent meanwhile.
func TestAnswer(t *testing.T) {
	var causes []any
	m := New("k", func(o OutgoingMessage) { causes = append(causes, o.Cause) }, nil)
	m.Target("t", func(c *Comm, _ Message) func() {
		c.Receive(func(msg Message) func() {
			c.Send(nil)
			c.Answer(msg, map[string]any{"a": 1})
			return nil
		})
		return nil
	})
	for _, typ := range []string{"comm_open", "comm_msg"} {
		if _, err := m.HandleFrom(typ+" 7", typ, json.RawMessage(`{"comm_id":"a","target_name":"t"}`), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	m.test(t, "comm_msg", `{"comm_id":"a"}`)
	want(t, "causes", fmt.Sprint(causes), "[<nil> comm_msg 7 <nil> <nil>]")
}
