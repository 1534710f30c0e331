package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/jupyter"
	"overcomplete/kernel/wire"
)

// shown is the part of a cell's output that the test compares.
type shown struct {
	stdout, stderr string
	// data holds the content of results and displays by MIME type, in order.
	data   []map[string]string
	failed string // text of the error, "" if there was no error
}

func (s shown) String() string {
	var b strings.Builder
	if s.stdout != "" {
		fmt.Fprintf(&b, "stdout %q\n", s.stdout)
	}
	if s.stderr != "" {
		fmt.Fprintf(&b, "stderr %q\n", s.stderr)
	}
	for _, d := range s.data {
		for _, mime := range sortedKeys(d) {
			fmt.Fprintf(&b, "%s %.200q\n", mime, d[mime])
		}
	}
	if s.failed != "" {
		fmt.Fprintf(&b, "error %.200q\n", s.failed)
	}
	return b.String()
}

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// differs describes a deviation of our output from theirs, or returns "". Both kernels must print the same
// text, show the same plain text, and either both fail or both succeed. If their output has data of another
// MIME type, our output must have the same data.
func differs(ours, theirs shown) string {
	switch {
	case (ours.failed != "") != (theirs.failed != ""):
		return "one fails and the other does not"
	case ours.stdout != theirs.stdout:
		return "other text on stdout"
	case ours.stderr != theirs.stderr:
		return "other text on stderr"
	case len(ours.data) != len(theirs.data):
		return fmt.Sprintf("%d things are shown instead of %d", len(ours.data), len(theirs.data))
	}
	for i, d := range theirs.data {
		for _, mime := range sortedKeys(d) {
			if ours.data[i][mime] != d[mime] {
				return "other " + mime
			}
		}
	}
	return ""
}

// run runs a cell in a kernel.
func run(ctx context.Context, c *wire.Client, src string) (s shown, err error) {
	h, err := c.Send(wire.Shell, "execute_request", map[string]any{
		"code": src, "silent": false, "store_history": true, "user_expressions": map[string]string{}, "allow_stdin": false, "stop_on_error": true,
	})
	if err != nil {
		return s, err
	}
	for {
		m, err := c.Recv(ctx, wire.IOPub)
		if err != nil {
			return s, err
		}
		if m.Parent().MsgID != h.MsgID {
			continue
		}
		var content struct {
			Name, Text, Evalue string
			State              string `json:"execution_state"`
			Data               map[string]any
		}
		if err := json.Unmarshal(m.Content, &content); err != nil {
			return s, err
		}
		switch m.Header.MsgType {
		case "stream":
			if content.Name == "stdout" {
				s.stdout += content.Text
			} else {
				s.stderr += content.Text
			}
		case "display_data", "execute_result":
			data := map[string]string{}
			for mime, v := range content.Data {
				text, ok := v.(string)
				if !ok {
					raw, err := json.Marshal(v)
					if err != nil {
						return s, err
					}
					text = string(raw)
				}
				data[mime] = strings.TrimSpace(text)
			}
			s.data = append(s.data, data)
		case "error":
			s.failed = content.Evalue
		case "status":
			if content.State == "idle" {
				for { // read up to the reply, whose content does not matter
					m, err := c.Recv(ctx, wire.Shell)
					if err != nil || m.Parent().MsgID == h.MsgID {
						return s, err
					}
				}
			}
		}
	}
}

// startTheirs starts gophernotes.
func startTheirs(ctx context.Context, t *testing.T) *wire.Client {
	program, err := filepath.Abs("../../bin/gophernotes")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("bin/gophernotes is not built (make gophernotes)")
	}
	info, err := wire.NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "connection.json")
	if err := info.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, file)
	cmd.Dir = dir
	// The kernel runs without a toolchain and module cache, as on a user's machine.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the log of gophernotes: %.2000s", text)
		}
	})
	c, err := wire.DialOther(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// startOurs starts this kernel in the test's process.
func startOurs(ctx context.Context, t *testing.T, dial func(context.Context, wire.ConnectionInfo) (*wire.Client, error)) *wire.Client {
	info, err := wire.NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := wire.Listen(info, "kernel", log.New(io.Discard, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.New(kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	server := jupyter.New(jupyter.OverSockets(sockets), "kernel", func() (jupyter.Executor, error) { return k, nil }, jupyter.Options{})
	ctx, cancel := context.WithCancel(ctx)
	t.Cleanup(cancel)
	go server.Run(ctx)
	c, err := dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestDialOther connects to our kernel in the way that is needed for other kernels.
func TestDialOther(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	defer cancel()
	c := startOurs(ctx, t, wire.DialOther)
	got, err := run(ctx, c, "6 * 7")
	if want := "text/plain \"42\"\n"; err != nil || got.String() != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
}

// TestGophernotes runs the cells in one session of each kernel, and compares the outputs.
func TestGophernotes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience.Long)
	defer cancel()
	// Collect the log until our kernel has ended: with -v, t.Log would be captured as a cell's output.
	var log, failures []string
	t.Cleanup(func() {
		for _, l := range log {
			t.Log(l)
		}
		for _, l := range failures {
			t.Error(l)
		}
	})
	begin := time.Now()
	theirs := startTheirs(ctx, t)
	t.Logf("gophernotes started in %v", time.Since(begin).Round(time.Millisecond))
	ours := startOurs(ctx, t, wire.Dial)
	same := 0
	for i, c := range cells {
		a, err := run(ctx, ours, c.src)
		if err != nil {
			t.Fatalf("cell %d, our kernel: %v\n%s", i+1, err, c.src)
		}
		b, err := run(ctx, theirs, c.src)
		if err != nil {
			t.Fatalf("cell %d, gophernotes: %v\n%s", i+1, err, c.src)
		}
		if c.why == "" && strings.HasPrefix(c.src, "$") && b.stdout == "" {
			// gophernotes closes a command's pipes before it has read them to the end, and so sometimes shows
			// no output.
			b.stdout = a.stdout
		}
		switch d := differs(a, b); {
		case d != "" && c.why == "":
			failures = append(failures, fmt.Sprintf("cell %d: %s\n%s\n--- ours\n%v--- gophernotes\n%v", i+1, d, c.src, a, b))
		case d == "" && c.why != "":
			failures = append(failures, fmt.Sprintf("cell %d no longer differs (%s)\n%s\n%v", i+1, c.why, c.src, a))
		case d == "":
			same++
		}
		if testing.Verbose() {
			log = append(log, fmt.Sprintf("cell %d (%s)\n%s\n--- ours\n%v--- gophernotes\n%v", i+1, c.why, c.src, a, b))
		}
	}
	log = append(log, fmt.Sprintf("%d cells, of which %d show the same", len(cells), same))
}
