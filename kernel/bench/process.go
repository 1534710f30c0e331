package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"overcomplete/kernel/wire"
)

// patience is how long a kernel may be silent before it counts as hung.
const patience = 2 * time.Minute

// A process is a running kernel, with a connection to it like that of a front end.
type process struct {
	kind
	cmd    *exec.Cmd
	dir    string
	client *wire.Client
	done   chan struct{}
}

// start starts a kernel and waits for its first answer.
func start(k kind) (_ *process, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	info, err := wire.NewConnectionInfo()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "connection.json")
	if err := info.WriteFile(file); err != nil {
		return nil, err
	}
	p := &process{kind: k, dir: dir, done: make(chan struct{})}
	p.cmd = exec.Command(k.argv[0], append(k.argv[1:len(k.argv):len(k.argv)], file)...)
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), "OVERCOMPLETE_HISTORY=off", "IPYTHONDIR="+dir)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if p.client, err = wire.DialOther(ctx, info); err != nil {
		p.close()
		return nil, fmt.Errorf("%s does not answer: %w", k.name, err)
	}
	return p, nil
}

// close stops the kernel and waits for it to exit.
func (p *process) close() {
	if p.client != nil {
		p.client.Close()
	}
	p.cmd.Process.Kill()
	<-p.done
	os.RemoveAll(p.dir)
}

// run runs a cell, which must succeed, and returns its output and the time in ms.
func (p *process) run(src string) (text string, ms float64, err error) {
	w := startWatch(p.cmd.Process.Pid)
	id, err := p.send(src)
	if err != nil {
		return "", 0, err
	}
	text, status, err := p.result(id)
	ms = w.ms()
	if err == nil && status != "ok" {
		err = fmt.Errorf("%s: a cell fails: %.500s", p.name, text)
	}
	return strings.TrimSpace(text), ms, err
}

// send sends a cell and returns its ID.
func (p *process) send(src string) (string, error) {
	h, err := p.client.Send(wire.Shell, "execute_request", map[string]any{
		"code": src, "silent": false, "store_history": true, "stop_on_error": true,
		"user_expressions": map[string]string{}, "allow_stdin": false,
	})
	return h.MsgID, err
}

// result waits until the kernel has replied to the cell with the given ID and is idle. It returns the cell's
// output, including errors, and the status of the reply.
func (p *process) result(id string) (text, status string, err error) {
	for idle := false; !idle; {
		m, err := p.next(wire.IOPub, id)
		if err != nil {
			return text, "", err
		}
		part, last := shown(m)
		text += part
		idle = last
	}
	m, err := p.next(wire.Shell, id)
	if err != nil {
		return text, "", err
	}
	var reply struct{ Status string }
	err = json.Unmarshal(m.Content, &reply)
	return text, reply.Status, err
}

// next waits on the given channel for the next message that belongs to the cell with the given ID, and returns this
// message. It skips other messages.
func (p *process) next(channel wire.Channel, id string) (*wire.Message, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() { // a dead kernel sends nothing more
		select {
		case <-p.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		m, err := p.client.Recv(ctx, channel)
		if err != nil {
			select {
			case <-p.done:
				return nil, fmt.Errorf("%s has died: %v", p.name, p.cmd.ProcessState)
			default:
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}
		if m.Parent().MsgID == id {
			return m, nil
		}
	}
}

// shown returns the text that a message on the channel iopub shows, and whether the message is the last one of its
// cell.
func shown(m *wire.Message) (text string, last bool) {
	var content struct {
		Name, Text, Evalue string
		State              string `json:"execution_state"`
		Data               map[string]json.RawMessage
	}
	if json.Unmarshal(m.Content, &content) != nil {
		return "", false
	}
	switch m.Header.MsgType {
	case "stream":
		return content.Text, false
	case "execute_result", "display_data":
		json.Unmarshal(content.Data["text/plain"], &text)
		return text, false
	case "error":
		return content.Evalue, false
	}
	return "", m.Header.MsgType == "status" && content.State == "idle"
}
