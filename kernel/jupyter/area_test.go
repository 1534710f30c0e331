package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/wire"
	"overcomplete/ui/comm"
	"overcomplete/ui/display"
)

// An areaLines is an area that records the output shown in it.
type areaLines struct {
	mu  sync.Mutex
	all []string
}

func (l *areaLines) add(parts ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, strings.TrimSpace(fmt.Sprintln(parts...)))
}

func (l *areaLines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Join(l.all, ", ")
	l.all = nil
	return all
}

func (l *areaLines) Stream(name, text string) { l.add(name, text) }
func (l *areaLines) Display(d display.Data, update bool) {
	l.add("display", d.Data["text/plain"], update)
}
func (l *areaLines) Clear(wait bool) { l.add("clear", wait) }
func (l *areaLines) Error(name, message string, trace []string) {
	l.add("error", name, message, len(trace))
}

// An areaCaller is a fake whose callbacks write to their Output, as in the kernel.
type areaCaller struct {
	fake
	do *func(out kernel.Output) error
}

func (c areaCaller) Call(ctx context.Context, f func(), out kernel.Output) error {
	f()
	return (*c.do)(out)
}

// TestRedirect: a callback's output goes to its area and is not published, except updates. An error that ends
// the callback is shown in the area too.
func TestRedirect(t *testing.T) {
	var do func(out kernel.Output) error
	s := start(t, areaCaller{standard(), &do}, Options{})
	s.server.Comms().Target("t", func(c *comm.Comm, _ comm.Message) func() {
		c.Receive(func(comm.Message) func() { return func() {} })
		return nil
	})
	send := func(typ string) string {
		return s.send(wire.Shell, typ, map[string]any{"comm_id": "c", "target_name": "t", "data": json.RawMessage("{}")})
	}
	s.published(send("comm_open"))
	area := &areaLines{}
	text := display.Data{Data: map[string]any{"text/plain": "d"}, Transient: map[string]any{"display_id": "x"}}

	do = func(out kernel.Output) error {
		out.Stream("stdout", "before")
		if before := out.(kernel.Redirecter).Redirect(area); before != nil {
			t.Errorf("redirected before: %v", before)
		}
		out.Stream("stdout", "é"[:1])
		out.Stream("stdout", "é"[1:]+" there")
		out.Display(text, false)
		out.Clear(true)
		out.Display(text, true)
		out.Stream("stderr", "last")
		if out.(kernel.Redirecter).Redirect(nil) != area {
			t.Error("Redirect does not give the area")
		}
		out.Stream("stdout", "after")
		return nil
	}
	want(t, "published", s.published(send("comm_msg")), "[busy stdout:before update_display_data stdout:after idle]")
	want(t, "in the area", area.take(), "stdout é there, display d false, clear true, display d true, stderr last")

	failure := &engine.Error{Kind: engine.Panic, Message: "ugly"}
	do = func(out kernel.Output) error {
		out.(kernel.Redirecter).Redirect(area)
		out.Stream("stdout", "so far")
		return failure
	}
	want(t, "published", s.published(send("comm_msg")), "[busy idle]")
	if got := area.take(); !strings.HasPrefix(got, "stdout so far, error Panic ugly ") || strings.HasSuffix(got, " 0") {
		t.Errorf("in the area: %s", got)
	}
	do = func(out kernel.Output) error { return failure }
	if got := s.published(send("comm_msg")); len(got) != 3 || !strings.Contains(got[1], "ugly") {
		t.Errorf("without an area: %q", got)
	}
}

// TestAnswer: a message that answers another message has that message as its parent, even while a cell runs.
// Other messages have the cell as their parent.
func TestAnswer(t *testing.T) {
	s := start(t, standard(), Options{})
	s.server.Comms().Target("t", func(c *comm.Comm, _ comm.Message) func() {
		c.Receive(func(m comm.Message) func() {
			c.Answer(m, map[string]any{"answer": true})
			c.Send(map[string]any{"answer": false})
			return nil
		})
		return nil
	})
	send := func(typ string) string {
		return s.send(wire.Shell, typ, map[string]any{"comm_id": "c", "target_name": "t", "data": json.RawMessage("{}")})
	}
	s.published(send("comm_open"))
	run := s.send(wire.Shell, "execute_request", code("forever"))
	for {
		if m, c := s.recv(wire.IOPub); m.Parent().MsgID == run && c["text"] == "running" {
			break
		}
	}
	id := send("comm_msg")
	parents := map[string]string{}
	for len(parents) < 2 {
		m, c := s.recv(wire.IOPub)
		if m.Header.MsgType == "comm_msg" {
			parents[fmt.Sprint(c["data"])] = m.Parent().MsgID
		}
	}
	want(t, "parents", parents, map[string]string{"map[answer:true]": id, "map[answer:false]": run})
	s.server.Interrupt()
	s.reply(wire.Shell, run, "execute_reply")
}
