package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/built"
	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/history"
	"overcomplete/kernel/wire"
	"overcomplete/ui/comm"
)

// A caller is a fake that also runs callbacks.
type caller struct{ fake }

func (c caller) Call(ctx context.Context, f func(), out kernel.Output) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &engine.Error{Kind: engine.Panic, Message: fmt.Sprint(r)}
		}
	}()
	f()
	out.Stream("stdout", "called")
	return nil
}

// TestComms: comm messages are handled at once, even while a cell runs. Callbacks wait for the cell and run one
// after the other. Each message has its own busy and idle.
func TestComms(t *testing.T) {
	s := start(t, caller{standard()}, Options{})
	var mu sync.Mutex
	var noted, called []string
	running := 0
	s.server.Comms().Target("echo", func(c *comm.Comm, open comm.Message) func() {
		c.Receive(func(m comm.Message) func() {
			mu.Lock()
			noted = append(noted, string(m.Data))
			mu.Unlock()
			switch string(m.Data) {
			case `"quiet"`:
				return nil
			case `"panic"`:
				return func() { panic("inside") }
			}
			return func() {
				mu.Lock()
				running++
				if running > 1 {
					t.Error("two callbacks at once")
				}
				mu.Unlock()
				time.Sleep(time.Millisecond)
				c.Send(map[string]any{"back": m.Data})
				mu.Lock()
				running--
				called = append(called, string(m.Data))
				mu.Unlock()
			}
		})
		return nil
	})
	send := func(typ, data string) string {
		return s.send(wire.Shell, typ, map[string]any{"comm_id": "c", "target_name": "echo", "data": json.RawMessage(data)})
	}
	want(t, "open", s.published(send("comm_open", "1")), "[busy idle]")
	want(t, "no callback", s.published(send("comm_msg", `"quiet"`)), "[busy idle]")
	want(t, "callback", s.published(send("comm_msg", `"a"`)), "[busy comm_msg stdout:called idle]")
	got := s.published(send("comm_msg", `"panic"`))
	if len(got) != 3 || !strings.Contains(got[1], "inside") || !strings.HasPrefix(got[1], "stderr:") {
		t.Errorf("a callback that panics: %q", got)
	}
	id := s.send(wire.Shell, "comm_info_request", map[string]any{"target_name": "echo"})
	want(t, "info", s.reply(wire.Shell, id, "comm_info_reply")["comms"], "map[c:map[target_name:echo]]")
	s.published(id)

	run := s.send(wire.Shell, "execute_request", code("forever"))
	for {
		if m, c := s.recv(wire.IOPub); m.Parent().MsgID == run && c["text"] == "running" {
			break
		}
	}
	first, second := send("comm_msg", `"b"`), send("comm_msg", `"c"`)
	want(t, "while a cell runs", [][]string{s.published(first), s.published(second)}, "[[busy idle] [busy idle]]")
	mu.Lock()
	want(t, "noted and called", []int{len(noted), len(called)}, "[5 1]")
	mu.Unlock()
	s.server.Interrupt()
	want(t, "the cell", s.reply(wire.Shell, run, "execute_reply")["ename"], "Interrupted")
	want(t, "after the cell", s.published(first), "[busy comm_msg stdout:called idle]")
	want(t, "and then", s.published(second), "[busy comm_msg stdout:called idle]")
	mu.Lock()
	want(t, "order", called, `["a" "b" "c"]`)
	mu.Unlock()
	r, _ := s.execute(code("silence"))
	want(t, "afterwards", r["status"], "ok")
	want(t, "malformed", s.published(s.send(wire.Shell, "comm_msg", map[string]any{"comm_id": 7})), "[busy idle]")
}

func TestHistory(t *testing.T) {
	s := start(t, standard(), Options{History: history.New("")})
	s.execute(code("1"))
	s.execute(map[string]any{"code": "unstored", "store_history": false})
	s.execute(map[string]any{"code": "silent", "silent": true})
	for _, nothing := range []string{"", " \n\t"} { // an empty cell is not counted either
		s.execute(code(nothing))
	}
	s.execute(code("fail"))
	for request, answer := range map[string]string{
		`{"hist_access_type":"tail","n":10,"output":true}`:                             `[[1,1,["1","In[1] 1"]],[1,2,["fail",null]]]`,
		`{"hist_access_type":"range","session":0,"start":2,"stop":9,"raw":true}`:       `[[1,2,"fail"]]`,
		`{"hist_access_type":"search","pattern":"f*l","n":1,"unique":true,"raw":true}`: `[[1,2,"fail"]]`,
	} {
		id := s.send(wire.Shell, "history_request", json.RawMessage(request))
		r := s.reply(wire.Shell, id, "history_reply")
		raw, _ := json.Marshal(r["history"])
		want(t, request, string(raw), answer)
		s.published(id)
	}
	id := s.send(wire.Shell, "history_request", map[string]any{"hist_access_type": "no such"})
	want(t, "bad request", s.reply(wire.Shell, id, "history_reply")["status"], "error")
}

// TestSeveralAsk: if two goroutines of a cell ask questions, the questions are asked one after the other. An
// answer to an old question does not count for a new one.
func TestSeveralAsk(t *testing.T) {
	f := fake{"ask": func(ctx context.Context, out kernel.Output) error {
		var wg sync.WaitGroup
		answers := make([]string, 2)
		for i := range answers {
			wg.Go(func() {
				line, err := out.(kernel.Inputter).Input(ctx, "?", false)
				answers[i] = fmt.Sprint(line, err, ";")
			})
		}
		wg.Wait()
		slices.Sort(answers) // either goroutine may be the first
		out.Stream("stdout", strings.Join(answers, ""))
		return nil
	}}
	s := start(t, f, Options{})
	id := s.send(wire.Shell, "execute_request", map[string]any{"code": "ask", "allow_stdin": true})
	old, _ := s.recv(wire.Stdin)
	s.Reply(wire.Stdin, old, "input_reply", map[string]any{"value": "one"})
	s.recv(wire.Stdin)
	s.Reply(wire.Stdin, old, "input_reply", map[string]any{"value": "stale"})
	s.Reply(wire.Stdin, &wire.Message{RawHeader: json.RawMessage("{}")}, "input_reply", map[string]any{"value": "two"})
	s.reply(wire.Shell, id, "execute_reply")
	shown := strings.ReplaceAll(strings.Join(s.published(id), " "), " stdout:", "")
	want(t, "answers", shown, "busy execute_inputone<nil>;two<nil>; idle")
}

// TestStrangeContent: signed requests of every type, with any content, get exactly one reply, busy and idle. An
// unknown type is logged.
func TestStrangeContent(t *testing.T) {
	var text bytes.Buffer
	s := start(t, standard(), Options{Log: log.New(&text, "", 0), History: history.New("")})
	contents := []string{`{}`, `{"code":null}`, `{"code":{"a":[1]}}`, `{"code":"\ud800","cursor_pos":-5}`, `{"code":"x","cursor_pos":1e9,"detail_level":"x"}`,
		`{"cursor_pos":1.5}`, `{"n":1e300,"hist_access_type":"tail"}`, `{"n":-3,"hist_access_type":"search","pattern":"[["}`, `{"hist_access_type":"range","start":-9,"stop":-1,"session":-99}`,
		`{"target_name":7}`, `{"comm_id":{},"data":[]}`, `{"seq":"x"}`, `{"user_expressions":{"a":null},"code":"silence"}`, `{"a":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`}
	for _, typ := range []string{"execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request",
		"kernel_info_request", "comm_open", "comm_msg", "comm_close", "debug_request", "connect_request", "input_reply", "", "x\x00y_request"} {
		for _, content := range contents {
			h, err := s.Send(wire.Shell, typ, json.RawMessage(content))
			if err != nil {
				t.Fatal(err)
			}
			if typ == "" {
				continue // an invalid message, which is dropped
			}
			if reply := replyType(typ); reply != "" {
				s.reply(wire.Shell, h.MsgID, reply)
			}
			p := s.published(h.MsgID)
			if p[0] != "busy" || p[len(p)-1] != "idle" {
				t.Errorf("%s %.50s: published %q", typ, content, p)
			}
		}
	}
	r, _ := s.execute(code("silence"))
	want(t, "afterwards", r["status"], "ok")
	id := s.send(wire.Control, "shutdown_request", nil)
	s.reply(wire.Control, id, "shutdown_reply")
	<-s.ended
	if !strings.Contains(text.String(), `unknown message type "connect_request"`) {
		t.Error("an unknown type is not logged")
	}
}

// TestCompletionTypes: each match has its kind, in the form that JupyterLab and VS Code expect. VS Code shows
// kinds only if each entry has a text.
func TestCompletionTypes(t *testing.T) {
	answer := Completion{Matches: []string{"%time", "Ünit"}, Start: 1, End: 3, Types: []string{"magic", "function"}}
	s := start(t, standard(), Options{Complete: func(context.Context, string, int) (Completion, error) { return answer, nil }})
	ask := func() any {
		id := s.send(wire.Shell, "complete_request", map[string]any{"code": "%ti", "cursor_pos": 3})
		return s.reply(wire.Shell, id, "complete_reply")["metadata"]
	}
	want(t, "kinds", ask(), "map[_jupyter_types_experimental:[map[end:3 start:1 text:%time type:magic] map[end:3 start:1 text:Ünit type:function]]]")
	answer.Types = answer.Types[:1]
	want(t, "a kind is missing", ask(), "map[]")
}

// TestReady: while the interpreter starts, kernel_info_request is answered on shell and on control, and the
// status is published. VS Code considers a kernel ready when both replies and the status have arrived. All
// sockets of VS Code have the same identity, as in this package's client.
func TestReady(t *testing.T) {
	opened := make(chan struct{})
	s := startOpening(t, func() (Executor, error) { <-opened; return standard(), nil }, Options{})
	control := s.send(wire.Control, "kernel_info_request", nil)
	shell := s.send(wire.Shell, "kernel_info_request", nil)
	cell := s.send(wire.Shell, "execute_request", code("silence"))
	want(t, "control", s.reply(wire.Control, control, "kernel_info_reply")["status"], "ok")
	want(t, "shell", s.reply(wire.Shell, shell, "kernel_info_reply")["status"], "ok")
	close(opened)
	states := map[string][]string{}
	for len(states[control]) < 2 || len(states[shell]) < 2 || len(states[cell]) < 3 { // control requests are read by another goroutine
		m, c := s.recv(wire.IOPub)
		word, ok := c["execution_state"].(string)
		if !ok {
			word = m.Header.MsgType
		}
		states[m.Parent().MsgID] = append(states[m.Parent().MsgID], word)
	}
	want(t, "published", []any{states[control], states[shell], states[cell]}, "[[busy idle] [busy idle] [busy execute_input idle]]")
	want(t, "the cell", s.reply(wire.Shell, cell, "execute_reply")["status"], "ok")
}

// TestSession runs the kernel under jupyter_client: see testdata/session.py.
func TestSession(t *testing.T) {
	if testing.Short() || patience.RaceDetector {
		t.Skip("builds the binary and starts a real Jupyter")
	}
	py := pyenv.Python("jupyter_client", pyenv.FrontEnds)
	if py == "" {
		t.Skip("no python3 with jupyter_client: this test needs a real Jupyter")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "overcomplete")
	if err := built.Program(binary, module.Package("cmd/overcomplete")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "install", "--prefix", dir).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	cmd := exec.Command(py, "testdata/session.py")
	cmd.Env = append(os.Environ(),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"),
	)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
