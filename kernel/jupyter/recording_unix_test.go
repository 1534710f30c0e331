//go:build unix

package jupyter

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/internal/testfile"
)

var updateRecording = flag.Bool("update", false, "write testdata/handover.txt anew")

// An event is one line of output of testdata/handover.py.
type event struct {
	MS      float64 `json:"ms"`
	Dir     string  `json:"dir"`
	Channel string  `json:"channel"`
	Type    string  `json:"type"`
	Of      any     `json:"of"`
	Content map[string]any
}

func (e event) String() string {
	content, _ := json.Marshal(e.Content)
	return fmt.Sprintf("%9.2f ms  %-9s %s %-20s %-12v %s", e.MS, e.Channel, e.Dir, e.Type, e.Of, content)
}

// TestRecording records the messages of Jupyter's own client during a hand-over, and checks that the client
// notices nothing. "go test -run Recording -update" writes the recording.
func TestRecording(t *testing.T) {
	if testing.Short() || patience.RaceDetector {
		t.Skip("starts a real Jupyter client")
	}
	py := pyenv.Python("jupyter_client", pyenv.FrontEnds)
	if py == "" {
		t.Skip("no python3 with jupyter_client: this test needs a real Jupyter")
	}
	info := tcp(t)
	p := startProcess(t, info)
	connection := filepath.Join(t.TempDir(), "connection.json")
	if err := info.WriteFile(connection); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.Command(py, "testdata/handover.py", connection)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, tail(string(out), 30), &errs)
	}
	var events []event
	for line := range bytes.Lines(out) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, e)
	}
	check(t, events, p.cmd.Process.Pid)
	if *updateRecording {
		keep(t, events)
	}
}

func tail(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// check checks that the events follow the protocol, whichever program answers.
func check(t *testing.T, events []event, pid int) {
	replies, requests := map[string]int{}, map[string]int{}
	states := map[string][]string{}
	var order []string // ids of the queued cells in the order of their replies
	count := 0.0
	beats, slow := 0, 0
	printed := map[string]string{}
	for _, e := range events {
		of := fmt.Sprint(e.Of)
		switch {
		case e.Channel == "heartbeat":
			beats++
			if took := e.Content["took"].(float64); took > 2000 {
				slow++
			}
		case e.Dir == "->" && strings.HasSuffix(e.Type, "_request"):
			requests[of]++
		case e.Dir == "<-" && (e.Channel == "shell" || e.Channel == "control"):
			replies[of]++
			if e.Type == "execute_reply" && strings.HasPrefix(of, "cell") {
				order = append(order, of)
				count++
				want(t, of, []any{e.Content["status"], e.Content["execution_count"]}, []any{"ok", count})
			}
		case e.Type == "status":
			if of == "?" {
				t.Errorf("a status without a request of this client: %v", e)
			}
			states[of] = append(states[of], e.Content["execution_state"].(string))
		case e.Channel == "iopub":
			states[of] = append(states[of], e.Type)
			if text, ok := e.Content["text"].(string); ok {
				printed[of] += text
			}
		}
	}
	for of, n := range requests {
		if of == "shutdown" {
			continue
		}
		if n != 1 || replies[of] != 1 {
			t.Errorf("%s: %d requests, %d replies", of, n, replies[of])
		}
		s := states[of]
		if len(s) < 2 || s[0] != "busy" || s[len(s)-1] != "idle" {
			t.Errorf("%s: published %q", of, s)
		}
	}
	for i, of := range order {
		want(t, "the order of the replies", of, fmt.Sprint("cell ", i))
		s := slices.DeleteFunc(slices.Clone(states[of]), func(s string) bool { return s == "stream" })
		if s = s[1:]; s[0] == "busy" { // busy is published again after another request
			s = s[1:]
		}
		s = slices.DeleteFunc(s, func(s string) bool { return s == "busy" })
		wanted := []string{"execute_input", "execute_result", "idle"}
		if i == 0 || i == 7 {
			wanted = []string{"execute_input", "idle"}
		}
		want(t, of, s, wanted)
	}
	want(t, "queued cells", len(order), 23)
	want(t, "cell 2", printed["cell 2"], "replacing ... ")
	want(t, "cell 7", printed["cell 7"], "hello Ada")
	want(t, "the program", printed["program"], fmt.Sprintf("generation 2, pid %d", pid))
	want(t, "the program at last", printed["program at last"], fmt.Sprintf("generation 22, pid %d", pid))
	if beats < 5 {
		t.Errorf("the heart beat %d times", beats)
	}
	if slow > 10 { // there are 21 hand-overs; a stalled machine occasionally stops the heartbeat
		t.Errorf("%d of %d heartbeats took more than two seconds", slow, beats)
	}
}

// keep writes the recording. It has all messages up to the last queued cell, then the times and the remaining
// messages.
func keep(t *testing.T, events []event) {
	var b strings.Builder
	b.WriteString(`What Jupyter's own client (jupyter_client, libzmq) sends (->) and receives (<-) while the kernel is replaced by another
program. Of 22 cells sent at once the second needs the other program; a completion, an inspection and requests on
control are under way, and the seventh cell asks for a line. Columns: time since the first message, channel,
direction, type, what it belongs to, and parts of its content. Of the later hand-overs only the times are kept.
Written by go test ./kernel/jupyter -run Recording -update.

`)
	for _, e := range events {
		of := fmt.Sprint(e.Of)
		if strings.HasPrefix(of, "plain ") || strings.HasPrefix(of, "handed over ") || e.Channel == "heartbeat" && e.MS > 2000 {
			continue
		}
		fmt.Fprintln(&b, e)
	}
	testfile.Write(t, "testdata/handover.txt", b.String())
}
