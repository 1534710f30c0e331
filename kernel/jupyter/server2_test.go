package jupyter

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/history"
	"overcomplete/kernel/wire"
	"overcomplete/ui/comm"
	"overcomplete/ui/display"
)

// A recorded message is a line of testdata/server2.txt.
type recorded struct {
	channel wire.Channel
	parts   [4][]byte // header, parent header, metadata, content
	buffers [][]byte
	header  wire.Header
}

func readRecorded(t *testing.T, path string) (list []recorded) {
	t.Helper()
	b := testfile.Read(t, path)
	channels := map[string]wire.Channel{"shell": wire.Shell, "control": wire.Control, "stdin": wire.Stdin}
	_, messages, _ := strings.Cut(string(b), "\n\n")
	for line := range strings.Lines(messages) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 5 {
			t.Fatalf("%s: %q has %d fields", path, line, len(fields))
		}
		r := recorded{channel: channels[fields[0]]}
		for i := range r.parts {
			r.parts[i] = []byte(fields[i+1])
		}
		for _, f := range fields[5:] {
			buffer, err := hex.DecodeString(f)
			if err != nil {
				t.Fatal(err)
			}
			r.buffers = append(r.buffers, buffer)
		}
		if err := json.Unmarshal(r.parts[0], &r.header); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// replay sends a message unchanged, except that it has a signature of this session.
func (s *session) replay(r recorded) {
	s.t.Helper()
	mac := hmac.New(sha256.New, []byte(s.key))
	for _, p := range r.parts {
		mac.Write(p)
	}
	frames := [][]byte{[]byte("<IDS|MSG>"), hex.AppendEncode(nil, mac.Sum(nil))}
	frames = append(append(frames, r.parts[:]...), r.buffers...)
	if err := s.SendFrames(r.channel, frames); err != nil {
		s.t.Fatal(err)
	}
}

// scripted imitates the kernel for the cells of client.mjs.
type scripted struct{ fake }

func (scripted) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	switch {
	case strings.Contains(cell.Source, "panic("):
		return &engine.Error{Kind: engine.Panic, Message: "boom"}
	case strings.Contains(cell.Source, "for {"):
		out.Stream("stdout", "on its way\n")
		<-ctx.Done()
		return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	case strings.Contains(cell.Source, "Password"):
		for _, prompt := range []string{"", "word? "} {
			line, err := out.(kernel.Inputter).Input(ctx, prompt, prompt != "")
			if err != nil {
				return err
			}
			out.Stream("stdout", line+"\n")
		}
	case strings.Contains(cell.Source, "fmt.Scan"):
		if _, err := out.(kernel.Inputter).Input(ctx, "", false); err != kernel.ErrNoStdin {
			return &engine.Error{Kind: engine.Panic, Message: "nobody may be asked"}
		}
	}
	out.Result(display.Data{Data: map[string]any{"text/plain": "42"}})
	return nil
}

// TestServer2: messages of jupyter_server 2 are answered correctly. Each request gets one reply, on its
// channel, between busy and idle. The parent of the reply is the request's exact header. The exact bytes
// matter, because the server passes them on unchanged and the page recognizes replies by their parents.
func TestServer2(t *testing.T) {
	s := start(t, scripted{}, Options{
		History: history.New(""),
		Status:  func(string) (string, string) { return "incomplete", "\t" },
		Complete: func(_ context.Context, _ string, cursor int) (Completion, error) {
			return Completion{Matches: []string{"Println"}, Types: []string{"function"}, Start: cursor, End: cursor}, nil
		},
	})
	var buffers [][]byte // buffers of the change that the page made
	s.server.Comms().Target("jupyter.widget", func(c *comm.Comm, _ comm.Message) func() {
		c.Receive(func(m comm.Message) func() {
			buffers = m.Buffers
			return nil
		})
		return nil
	})

	replies := map[string]*wire.Message{}
	wait := func(r recorded) {
		for replies[r.header.MsgID] == nil {
			m, _ := s.recv(r.channel)
			of := m.Parent().MsgID
			if replies[of] != nil {
				t.Fatalf("%s has a second answer, %s", of, m.Header.MsgType)
			}
			replies[of] = m
		}
	}
	published := map[string][]string{}
	listen := func(until func() bool) {
		for !until() {
			m, c := s.recv(wire.IOPub)
			word := m.Header.MsgType
			if word == "status" {
				word, _ = c["execution_state"].(string)
			}
			published[m.Parent().MsgID] = append(published[m.Parent().MsgID], word)
		}
	}

	messages := readRecorded(t, "testdata/server2.txt")
	change := slices.IndexFunc(messages, func(r recorded) bool { return r.header.MsgType == "comm_msg" })
	var slider struct {
		ID string `json:"comm_id"`
	}
	if err := json.Unmarshal(messages[change].parts[3], &slider); err != nil {
		t.Fatal(err)
	}
	s.published(s.send(wire.Shell, "comm_open", map[string]any{"comm_id": slider.ID, "target_name": "jupyter.widget", "data": map[string]any{}}))
	var held recorded // a cell that is running while other messages are sent
	for i, r := range messages {
		switch r.header.MsgType {
		case "interrupt_request":
			listen(func() bool { return slices.Contains(published[held.header.MsgID], "stream") })
		case "input_reply":
			question, _ := s.recv(wire.Stdin)
			r.parts[1] = question.RawHeader // the current question instead of the recorded one
		}
		s.replay(r)
		switch kind := r.header.MsgType; {
		case kind == "execute_request" && (strings.Contains(string(r.parts[3]), "for {") || strings.Contains(string(r.parts[3]), "Password")):
			held = r
		case kind == "interrupt_request":
			wait(r)
			wait(held)
		case kind == "input_reply":
			if messages[i+1].header.MsgType != kind {
				wait(held)
			}
		case kind == "comm_msg":
			listen(func() bool { return slices.Contains(published[r.header.MsgID], "idle") })
		default:
			wait(r)
		}
	}

	var ended []string
	for _, r := range messages {
		id := r.header.MsgID
		listen(func() bool { return r.header.MsgType == "input_reply" || slices.Contains(published[id], "idle") })
		if words := published[id]; r.header.MsgType != "input_reply" && (words[0] != "busy" || words[len(words)-1] != "idle") {
			t.Errorf("%s: published %v", r.header.MsgType, words)
		}
		m := replies[id]
		if m == nil {
			continue
		}
		if s.key == "" { // pipes carry headers without spaces
			var short bytes.Buffer
			if err := json.Compact(&short, r.parts[0]); err != nil {
				t.Fatal(err)
			}
			r.parts[0] = short.Bytes()
		}
		if want := replyType(r.header.MsgType); m.Header.MsgType != want || string(m.ParentHeader) != string(r.parts[0]) {
			t.Errorf("got %s to\n%s\nwant %s to\n%s", m.Header.MsgType, m.ParentHeader, want, r.parts[0])
		}
		var c struct{ Status string }
		if err := json.Unmarshal(m.Content, &c); err != nil {
			t.Fatal(err)
		}
		ended = append(ended, strings.TrimSuffix(m.Header.MsgType, "_reply")+":"+c.Status)
	}
	want(t, "answers", ended, `[kernel_info:ok kernel_info:ok kernel_info:ok kernel_info:ok kernel_info:ok kernel_info:ok `+
		`execute:ok execute:error execute:ok complete:ok complete:ok inspect:ok is_complete:incomplete history:ok `+
		`execute:error complete:ok interrupt:ok execute:ok execute:ok execute:ok execute:ok comm_info:ok debug:error execute:ok shutdown:ok]`)
	want(t, "buffers", buffers, "[[1 2 3]]")
}
