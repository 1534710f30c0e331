package kernelspec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"overcomplete/kernel/wire"
)

// A Report holds what a kernel has answered, and how long the answers took.
type Report struct {
	Ready          time.Duration // from process start to the kernel_info_reply
	Answered       time.Duration // from the kernel_info_reply to the end of CheckCell's cell
	Implementation string
	Version        string
	Language       string // name and version of the language
}

// Check starts the kernel described by spec, waits for its kernel_info_reply and shuts it down. If ctx is done
// first, or the kernel exits, the error contains the last output of the kernel.
func Check(ctx context.Context, spec Spec) (Report, error) { return CheckCell(ctx, spec, "") }

// CheckCell is like Check, but also runs a cell. It fails if the cell fails.
func CheckCell(ctx context.Context, spec Spec, cell string) (Report, error) {
	dir, err := os.MkdirTemp("", "overcomplete-check-")
	if err != nil {
		return Report{}, fmt.Errorf("kernelspec: %w", err)
	}
	defer os.RemoveAll(dir)
	info, err := wire.NewConnectionInfo()
	if err != nil {
		return Report{}, err
	}
	file := filepath.Join(dir, "connection.json")
	if err := info.WriteFile(file); err != nil {
		return Report{}, err
	}
	if len(spec.Argv) == 0 {
		return Report{}, errors.New("kernelspec: argv is empty")
	}
	args := make([]string, len(spec.Argv))
	for i, a := range spec.Argv {
		args[i] = strings.ReplaceAll(a, "{connection_file}", file)
	}
	var said bytes.Buffer // may only be read after Wait
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second // in case a child process of the kernel keeps its output open
	cmd.Env = os.Environ()
	for k, v := range spec.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Report{}, fmt.Errorf("kernelspec: the kernel does not start: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan struct{})
	go func() {
		err := cmd.Wait()
		close(ended)
		if err == nil {
			// The kernel may have exited because it was asked to. On a busy machine its last answer may arrive
			// seconds later.
			time.Sleep(5 * time.Second)
			err = errors.New("exit status 0")
		}
		cancel(fmt.Errorf("the kernel ended: %w", err))
	}()
	report, err := ask(ctx, info, start, cell)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cmd.Process.Kill()
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		<-ended
		if err == nil {
			err = errors.New("the kernel answers, but does not exit when asked to shut down")
		}
	}
	if err != nil {
		const most = 2000
		out := strings.TrimSpace(said.String())
		if len(out) > most {
			out = "..." + out[len(out)-most:]
		}
		if out != "" {
			out = "; the kernel's output:\n" + out
		}
		return Report{}, fmt.Errorf("kernelspec: %w (after %.1f s)%s", err, time.Since(start).Seconds(), out)
	}
	return report, nil
}

func ask(ctx context.Context, info wire.ConnectionInfo, start time.Time, cell string) (Report, error) {
	c, err := wire.Dial(ctx, info)
	if err != nil {
		return Report{}, err
	}
	defer c.Close()
	m, err := c.Request(ctx, wire.Shell, "kernel_info_request", map[string]any{})
	if err != nil {
		return Report{}, err
	}
	r := Report{Ready: time.Since(start)}
	var content struct {
		Implementation string `json:"implementation"`
		Version        string `json:"implementation_version"`
		Language       struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"language_info"`
	}
	if err := json.Unmarshal(m.Content, &content); err != nil {
		return Report{}, fmt.Errorf("kernel_info_reply: %w", err)
	}
	r.Implementation, r.Version = content.Implementation, content.Version
	r.Language = strings.TrimSpace(content.Language.Name + " " + content.Language.Version)
	if cell != "" {
		begin := time.Now()
		m, err := c.Request(ctx, wire.Shell, "execute_request", map[string]any{
			"code": cell, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false, "stop_on_error": true})
		if err != nil {
			return Report{}, err
		}
		var reply struct{ Status, Ename, Evalue string }
		if err := json.Unmarshal(m.Content, &reply); err != nil {
			return Report{}, fmt.Errorf("execute_reply: %w", err)
		}
		if reply.Status != "ok" {
			return Report{}, fmt.Errorf("the cell failed: %s: %s", reply.Ename, reply.Evalue)
		}
		r.Answered = time.Since(begin)
	}
	if _, err := c.Request(ctx, wire.Control, "shutdown_request", map[string]any{"restart": false}); err != nil {
		return Report{}, err
	}
	return r, nil
}
