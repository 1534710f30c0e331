package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/wire"
	"overcomplete/ui/display"
)

var _ Executor = (*kernel.Kernel)(nil)

// A fake maps a cell's source to the function that it runs.
type fake map[string]func(ctx context.Context, out kernel.Output) error

func (f fake) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	if do := f[cell.Source]; do != nil {
		return do(ctx, out)
	}
	out.Result(display.Data{Data: map[string]any{"text/plain": cell.Name + " " + cell.Source}})
	return nil
}

func (f fake) Evaluate(ctx context.Context, expression string) (display.Data, error) {
	if do := f[expression]; do != nil {
		return display.Data{}, do(ctx, nil)
	}
	return display.Data{Data: map[string]any{"text/plain": "value of " + expression}}, nil
}

func (fake) Call(_ context.Context, f func(), _ kernel.Output) error { f(); return nil }

// standard returns the fake that most tests use.
func standard() fake {
	return fake{
		"fail": func(context.Context, kernel.Output) error {
			return &engine.Error{Kind: engine.Panic, Message: "boom", Frames: []engine.Frame{{Cell: "In[1]", Line: 1, Source: "fail"}}}
		},
		"panic": func(context.Context, kernel.Output) error { panic("inside") },
		"forever": func(ctx context.Context, out kernel.Output) error {
			out.Stream("stdout", "running")
			<-ctx.Done()
			return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
		},
		"stubborn": func(context.Context, kernel.Output) error { select {} },
		"silence":  func(context.Context, kernel.Output) error { return nil },
		"%fmt": func(_ context.Context, out kernel.Output) error {
			out.(kernel.Rewriter).Rewrite("formatted")
			return nil
		},
	}
}

type session struct {
	*wire.Client
	t      *testing.T
	ctx    context.Context
	server *Server
	ended  chan bool // receives the result of Run
	key    string    // signing key
}

func start(t *testing.T, exec Executor, opt Options) *session {
	t.Helper()
	return startOpening(t, func() (Executor, error) { return exec, nil }, opt)
}

func startOpening(t *testing.T, open func() (Executor, error), opt Options) *session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	serving, stop := context.WithCancel(ctx)
	s := &session{t: t, ctx: ctx, ended: make(chan bool, 1)}
	var channels Channels
	var dial func() (*wire.Client, error)
	if strings.HasPrefix(t.Name(), "TestOverPipes/") {
		channels, dial = overPipes(t, stop)
	} else {
		info, err := wire.NewConnectionInfo()
		if err != nil {
			t.Fatal(err)
		}
		sockets, err := wire.Listen(info, "kernel", log.New(io.Discard, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		s.key = info.Key
		channels, dial = OverSockets(sockets), func() (*wire.Client, error) { return wire.Dial(ctx, info) }
	}
	s.server = New(channels, "kernel", open, opt)
	go func() { s.ended <- s.server.Run(serving) }()
	var err error
	if s.Client, err = dial(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		stop()
		cancel()
	})
	return s
}

func (s *session) send(ch wire.Channel, msgType string, content any) string {
	s.t.Helper()
	h, err := s.Send(ch, msgType, content)
	if err != nil {
		s.t.Fatal(err)
	}
	return h.MsgID
}

func (s *session) recv(ch wire.Channel) (*wire.Message, map[string]any) {
	s.t.Helper()
	m, err := s.Recv(s.ctx, ch)
	if err != nil {
		s.t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(m.Content, &content); err != nil {
		s.t.Fatal(err)
	}
	return m, content
}

// reply waits for the reply to the request with the given id. The reply must be the next message on ch.
func (s *session) reply(ch wire.Channel, id, msgType string) map[string]any {
	s.t.Helper()
	m, content := s.recv(ch)
	if m.Parent().MsgID != id || m.Header.MsgType != msgType {
		s.t.Fatalf("got %s in answer to %s, want %s to %s", m.Header.MsgType, m.Parent().MsgID, msgType, id)
	}
	return content
}

// published collects the messages published for the request with the given id up to status idle, as one word
// per message.
func (s *session) published(id string) []string {
	s.t.Helper()
	var words []string
	for {
		m, c := s.recv(wire.IOPub)
		if m.Parent().MsgID != id {
			continue
		}
		switch m.Header.MsgType {
		case "status":
			words = append(words, c["execution_state"].(string))
		case "stream":
			words = append(words, fmt.Sprintf("%s:%s", c["name"], c["text"]))
		default:
			words = append(words, m.Header.MsgType)
		}
		if c["execution_state"] == "idle" {
			return words
		}
	}
}

func code(src string) map[string]any { return map[string]any{"code": src} }

func (s *session) execute(content map[string]any) (reply map[string]any, published []string) {
	s.t.Helper()
	id := s.send(wire.Shell, "execute_request", content)
	reply = s.reply(wire.Shell, id, "execute_reply")
	return reply, s.published(id)
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestKernelInfo(t *testing.T) {
	s := start(t, standard(), Options{Version: "1.2"})
	for _, ch := range []wire.Channel{wire.Shell, wire.Control} {
		id := s.send(ch, "kernel_info_request", nil)
		c := s.reply(ch, id, "kernel_info_reply")
		want(t, "status", c["status"], "ok")
		want(t, "protocol", c["protocol_version"], "5.4")
		want(t, "implementation", c["implementation"], "overcomplete")
		want(t, "version", c["implementation_version"], "1.2")
		want(t, "language", c["language_info"].(map[string]any)["name"], "go")
		want(t, "iopub", s.published(id), []string{"busy", "idle"})
	}
}

func TestExecute(t *testing.T) {
	s := start(t, standard(), Options{})
	r, p := s.execute(code("1"))
	want(t, "reply", []any{r["status"], r["execution_count"], r["user_expressions"], r["payload"]}, "[ok 1 map[] []]")
	want(t, "iopub", p, []string{"busy", "execute_input", "execute_result", "idle"})

	r, p = s.execute(map[string]any{"code": "1", "silent": true})
	want(t, "silent reply", []any{r["status"], r["execution_count"]}, "[ok 1]")
	want(t, "silent iopub", p, []string{"busy", "idle"})

	r, p = s.execute(map[string]any{"code": "1", "store_history": false})
	want(t, "unstored reply", []any{r["status"], r["execution_count"]}, "[ok 2]")
	want(t, "unstored iopub", p, []string{"busy", "execute_input", "execute_result", "idle"})

	r, p = s.execute(code("fail"))
	want(t, "failed reply", []any{r["status"], r["execution_count"], r["ename"], r["evalue"]}, "[error 2 Panic boom]")
	want(t, "traceback", r["traceback"].([]any)[0], "\x1b[1;31mPanic\x1b[0m: boom")
	want(t, "failed iopub", p, []string{"busy", "execute_input", "error", "idle"})

	r, _ = s.execute(code("panic"))
	want(t, "panic of the executor", []any{r["status"], r["ename"]}, "[error InternalError]")
	r, _ = s.execute(code("silence"))
	want(t, "after it", []any{r["status"], r["execution_count"]}, "[ok 4]")

	r, _ = s.execute(code("%fmt"))
	want(t, "payload", r["payload"], "[map[replace:true source:set_next_input text:formatted]]")

	r, p = s.execute(map[string]any{"code": 7})
	want(t, "malformed content", r["status"], "error")
	want(t, "its iopub", p, []string{"busy", "idle"})
}

func TestUserExpressions(t *testing.T) {
	s := start(t, standard(), Options{})
	r, p := s.execute(map[string]any{"code": "silence", "user_expressions": map[string]string{"a": "x", "b": "fail"}})
	want(t, "iopub", p, []string{"busy", "execute_input", "idle"})
	ue := r["user_expressions"].(map[string]any)
	want(t, "a", ue["a"], "map[data:map[text/plain:value of x] metadata:map[] status:ok]")
	want(t, "b", ue["b"].(map[string]any)["ename"], "Panic")
	want(t, "status", r["status"], "ok")
}

func TestOutput(t *testing.T) {
	f := standard()
	f["mixed"] = func(_ context.Context, out kernel.Output) error {
		out.Stream("stdout", "a")
		out.Stream("stdout", "b\n")
		out.Stream("stderr", "e")
		out.Stream("stdout", "c")
		out.Display(display.Data{Data: map[string]any{"image/png": []byte{1, 2}, "application/json": map[string]int{"n": 1}}}, false)
		out.Clear(true)
		out.Stream("stdout", "\xc3") // the first byte of ü
		out.Stream("stdout", "\xbc\xe2\x82")
		out.Stream("stderr", "!")
		out.Stream("stdout", "\xac")
		out.Display(display.Data{Transient: map[string]any{"display_id": "d"}}, true)
		out.Result(display.Data{Data: map[string]any{"application/json": math.NaN()}})
		out.Result(display.Data{Data: map[string]any{"text/plain": "2"}})
		return nil
	}
	s := start(t, f, Options{})
	_, p := s.execute(code("mixed"))
	want(t, "iopub", p, []string{"busy", "execute_input", "stdout:ab\n", "stderr:e", "stdout:c", "display_data", "clear_output",
		"stdout:ü", "stderr:!", "stdout:€", "update_display_data", "execute_result", "execute_result", "idle"})
}

func TestData(t *testing.T) {
	raw, err := wire.Marshal(encodeData(map[string]any{"image/png": []byte{1, 2}, "image/svg+xml": "<svg/>",
		"application/json": map[string]any{"a": []int{1}}, "application/x+json": math.Inf(1)}))
	if err != nil {
		t.Fatal(err)
	}
	want(t, "data", string(raw), `{"application/json":{"a":[1]},"image/png":"AQI=\n","image/svg+xml":"<svg/>","text/plain":"application/x+json cannot be shown: notebook: application/x+json: json: unsupported value: +Inf"}`)
}

// TestManyPrints: 100,000 small writes become few messages. All text arrives, and the cell is not slowed down.
func TestManyPrints(t *testing.T) {
	const n = 100_000
	f := fake{"prints": func(_ context.Context, out kernel.Output) error {
		for i := range n {
			out.Stream("stdout", fmt.Sprintln(i))
		}
		return nil
	}, "slow": func(_ context.Context, out kernel.Output) error {
		out.Stream("stdout", "tick")
		time.Sleep(10 * minDelay)
		out.Stream("stdout", "tock")
		return nil
	}}
	s := start(t, f, Options{})
	begin := time.Now()
	id := s.send(wire.Shell, "execute_request", code("prints"))
	var text strings.Builder
	messages := 0
	for {
		m, c := s.recv(wire.IOPub)
		if m.Parent().MsgID != id {
			continue
		}
		if m.Header.MsgType == "stream" {
			messages++
			text.WriteString(c["text"].(string))
		}
		if c["execution_state"] == "idle" {
			break
		}
	}
	lines := strings.Split(text.String(), "\n")
	if len(lines) != n+1 || lines[n-1] != fmt.Sprint(n-1) {
		t.Errorf("%d lines, want %d", len(lines)-1, n)
	}
	took := time.Since(begin)
	if most := 8 + int(took/maxDelay); messages > most { // a few messages while the text is short, then at most one per maxDelay
		t.Errorf("%d stream messages in %v, more than %d", messages, took, most)
	}
	s.reply(wire.Shell, id, "execute_reply")
	patience.Try(t, func() string { // a stalled machine may merge the two texts
		_, p := s.execute(code("slow"))
		if !slices.Equal(p, []string{"busy", "execute_input", "stdout:tick", "stdout:tock", "idle"}) {
			return fmt.Sprintf("text with a pause: %q", p)
		}
		return ""
	})
}

// TestAnswersWhileRunning: during a cell all requests except execute requests are answered, and after each
// reply the cell's busy is published again. An interrupt stops the cell and aborts the queue.
func TestAnswersWhileRunning(t *testing.T) {
	s := start(t, standard(), Options{})
	run := s.send(wire.Shell, "execute_request", code("forever"))
	queued := s.send(wire.Shell, "execute_request", code("1"))
	for {
		if m, c := s.recv(wire.IOPub); m.Parent().MsgID == run && c["text"] == "running" {
			break
		}
	}
	id := s.send(wire.Shell, "kernel_info_request", nil)
	s.reply(wire.Shell, id, "kernel_info_reply")
	want(t, "iopub", s.published(id), []string{"busy", "idle"})
	if m, c := s.recv(wire.IOPub); m.Parent().MsgID != run || c["execution_state"] != "busy" {
		t.Errorf("after the idle of kernel_info: %s %v", m.Header.MsgType, c)
	}
	id = s.send(wire.Control, "interrupt_request", nil)
	want(t, "interrupt", s.reply(wire.Control, id, "interrupt_reply")["status"], "ok")
	want(t, "ename", s.reply(wire.Shell, run, "execute_reply")["ename"], "Interrupted")
	want(t, "queued", s.reply(wire.Shell, queued, "execute_reply")["status"], "aborted")
	want(t, "its iopub", s.published(queued), []string{"busy", "idle"})
	r, _ := s.execute(code("silence"))
	want(t, "afterwards", []any{r["status"], r["execution_count"]}, "[ok 2]")
	// An interrupt does nothing if nothing runs.
	id = s.send(wire.Control, "interrupt_request", nil)
	s.reply(wire.Control, id, "interrupt_reply")
	r, _ = s.execute(code("silence"))
	want(t, "afterwards", r["status"], "ok")
}

func TestStopOnError(t *testing.T) {
	f := standard()
	sent := make(chan bool)
	f["wait"] = func(ctx context.Context, out kernel.Output) error {
		<-sent // the other requests are in flight, or already in the queue
		return f["fail"](ctx, out)
	}
	s := start(t, f, Options{})
	a := s.send(wire.Shell, "execute_request", map[string]any{"code": "wait", "stop_on_error": false})
	b := s.send(wire.Shell, "execute_request", code("fail"))
	c := s.send(wire.Shell, "execute_request", code("1"))
	d := s.send(wire.Shell, "execute_request", code("1"))
	time.Sleep(50 * time.Millisecond)
	close(sent)
	for i, id := range []string{a, b, c, d} {
		r := s.reply(wire.Shell, id, "execute_reply")
		want(t, fmt.Sprint("status ", i), r["status"], []string{"error", "error", "aborted", "aborted"}[i])
		if i == 1 { // it was sent in response to the error, so it runs
			e := s.send(wire.Shell, "execute_request", code("1"))
			defer func() { want(t, "next", s.reply(wire.Shell, e, "execute_reply")["status"], "ok") }()
		}
	}
}

// TestEveryRequestGetsAReply also sends requests that this kernel does not know.
func TestEveryRequestGetsAReply(t *testing.T) {
	s := start(t, standard(), Options{
		Status: func(src string) (string, string) {
			if src == "{" {
				return "incomplete", "\t"
			}
			return "complete", ""
		},
		Handlers: map[string]Handler{
			"mine_request": func(context.Context, json.RawMessage) (map[string]any, error) { return map[string]any{"x": 1}, nil },
			"bad_request":  func(context.Context, json.RawMessage) (map[string]any, error) { return nil, errors.New("no") },
			"ugly_request": func(context.Context, json.RawMessage) (map[string]any, error) { panic("ugly") },
		},
	})
	for _, c := range []struct {
		ch      wire.Channel
		msgType string
		content any
		want    string // parts of the expected reply
	}{
		{wire.Shell, "is_complete_request", code("{"), `"indent":"\t" "status":"incomplete"`},
		{wire.Shell, "is_complete_request", code("x"), `"status":"complete"`},
		{wire.Shell, "is_complete_request", map[string]any{"code": 1}, `"status":"error"`},
		{wire.Shell, "complete_request", map[string]any{"code": "fm", "cursor_pos": 2}, `"cursor_end":2 "cursor_start":2 "matches":[] "status":"ok"`},
		{wire.Shell, "inspect_request", map[string]any{"code": "fm", "cursor_pos": 2}, `"data":{} "found":false "metadata":{} "status":"ok"`},
		{wire.Shell, "history_request", map[string]any{}, `"history":[] "status":"ok"`},
		{wire.Shell, "comm_info_request", map[string]any{}, `"comms":{} "status":"ok"`},
		{wire.Shell, "strange_request", map[string]any{}, `"status":"error"`},
		{wire.Shell, "strange", map[string]any{}, `"status":"error"`},
		{wire.Shell, "mine_request", map[string]any{}, `"status":"ok" "x":1`},
		{wire.Shell, "bad_request", map[string]any{}, `"evalue":"no" "status":"error"`},
		{wire.Shell, "ugly_request", map[string]any{}, `"evalue":"ugly" "status":"error"`},
		{wire.Control, "debug_request", map[string]any{"seq": 3, "command": "attach"}, `"command":"attach" "request_seq":3 "success":false`},
		{wire.Control, "execute_request", code("1"), `"status":"error"`},
		{wire.Control, "unknown_request", map[string]any{}, `"status":"error"`},
	} {
		id := s.send(c.ch, c.msgType, c.content)
		r := s.reply(c.ch, id, strings.TrimSuffix(c.msgType, "_request")+"_reply")
		got, _ := wire.Marshal(r)
		for _, part := range strings.Fields(c.want) {
			if !strings.Contains(string(got), part) {
				t.Errorf("%s: %s lacks %s", c.msgType, got, part)
			}
		}
		want(t, c.msgType, s.published(id), []string{"busy", "idle"})
	}
	id := s.send(wire.Shell, "comm_open", map[string]any{"comm_id": "c", "target_name": "t"})
	want(t, "comm_open", s.published(id), []string{"busy", "comm_close", "idle"})
	id = s.send(wire.Shell, "stray_reply", map[string]any{})
	want(t, "stray reply", s.published(id), []string{"busy", "idle"})
}

func TestShutdown(t *testing.T) {
	for _, c := range []struct {
		ch      wire.Channel
		running string
		restart bool
	}{{wire.Control, "", true}, {wire.Shell, "", false}, {wire.Control, "forever", false}, {wire.Control, "stubborn", true}} {
		s := start(t, standard(), Options{})
		if c.running != "" {
			id := s.send(wire.Shell, "execute_request", code(c.running))
			for {
				if m, _ := s.recv(wire.IOPub); m.Parent().MsgID == id && m.Header.MsgType == "execute_input" {
					break
				}
			}
		}
		id := s.send(c.ch, "shutdown_request", map[string]any{"restart": c.restart})
		r := s.reply(c.ch, id, "shutdown_reply")
		want(t, "reply", []any{r["status"], r["restart"]}, []any{"ok", c.restart})
		want(t, "iopub", s.published(id), []string{"busy", "shutdown_reply", "idle"})
		select {
		case restart := <-s.ended:
			want(t, "restart", restart, c.restart)
		case <-time.After(patience.Long):
			t.Fatalf("%q: the kernel does not end", c.running)
		}
	}
}

func TestInput(t *testing.T) {
	f := fake{"ask": func(ctx context.Context, out kernel.Output) error {
		out.Stream("stdout", "now:")
		line, err := out.(kernel.Inputter).Input(ctx, "name? ", true)
		if err != nil {
			return err
		}
		out.Stream("stdout", line)
		return nil
	}}
	s := start(t, f, Options{})
	id := s.send(wire.Shell, "execute_request", map[string]any{"code": "ask", "allow_stdin": true})
	m, c := s.recv(wire.Stdin)
	want(t, "request", []any{m.Header.MsgType, c["prompt"], c["password"], m.Parent().MsgID}, []any{"input_request", "name? ", true, id})
	if err := s.Reply(wire.Stdin, m, "input_reply", map[string]any{"value": "Eve"}); err != nil {
		t.Fatal(err)
	}
	s.reply(wire.Shell, id, "execute_reply")
	want(t, "iopub", s.published(id), []string{"busy", "execute_input", "stdout:now:", "stdout:Eve", "idle"})

	r, _ := s.execute(map[string]any{"code": "ask", "allow_stdin": false})
	want(t, "not allowed", r["evalue"], kernel.ErrNoStdin.Error())

	id = s.send(wire.Shell, "execute_request", code("ask"))
	s.recv(wire.Stdin)
	s.server.Interrupt()
	want(t, "interrupted", s.reply(wire.Shell, id, "execute_reply")["status"], "error")
}

func TestInterpreterDoesNotStart(t *testing.T) {
	s := startOpening(t, func() (Executor, error) { return nil, errors.New("no engine") }, Options{})
	r, _ := s.execute(code("1"))
	want(t, "the reason", r["evalue"], "no engine")
}

func TestIncomplete(t *testing.T) {
	for text, n := range map[string]int{"": 0, "a": 0, "ü": 0, "a\xc3": 1, "\xe2\x82": 2, "\xf0\x9f\x98": 3, "\x80\x80\x80\x80": 0, "a\xff": 0} {
		want(t, fmt.Sprintf("incomplete(%q)", text), incomplete([]byte(text)), n)
	}
}

// TestRealKernel runs a few cells over the wire in the interpreter.
func TestRealKernel(t *testing.T) {
	k, err := kernel.New(kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	s := start(t, k, Options{})
	r, p := s.execute(code("import \"fmt\"\nx := 6\nfmt.Println(\"hi\")\nx*7"))
	want(t, "status", r["status"], "ok")
	want(t, "iopub", p, []string{"busy", "execute_input", "stdout:hi\n", "execute_result", "idle"})
	r, _ = s.execute(map[string]any{"code": "x++", "user_expressions": map[string]string{"v": "x"}})
	data, _ := json.Marshal(r["user_expressions"])
	if !slices.Contains(strings.FieldsFunc(string(data), func(c rune) bool { return strings.ContainsRune(`{}:,"`, c) }), "7") {
		t.Errorf("user_expressions: %s", data)
	}
	if patience.RaceDetector {
		return // interrupting interpreted code sets a flag that the code reads without synchronization, by design
	}
	id := s.send(wire.Shell, "execute_request", code("for {}"))
	for {
		if m, _ := s.recv(wire.IOPub); m.Parent().MsgID == id && m.Header.MsgType == "execute_input" {
			break
		}
	}
	time.Sleep(50 * time.Millisecond)
	s.reply(wire.Control, s.send(wire.Control, "interrupt_request", nil), "interrupt_reply")
	want(t, "endless loop", s.reply(wire.Shell, id, "execute_reply")["ename"], "Interrupted")
	r, _ = s.execute(code("x"))
	want(t, "state kept", r["status"], "ok")
}
