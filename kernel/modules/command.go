package modules

import (
	"bytes"
	"context"
	"os"
	"os/exec"

	"overcomplete/kernel/internal/procgroup"
)

// execute runs a go command in the user's environment with the additional settings in env, and returns its output and
// its messages. If ctx is done, the command and its child processes are killed.
func execute(ctx context.Context, command, dir string, env []string, args ...string) (out []byte, said string, err error) {
	var stderr bytes.Buffer
	out, err = executeTo(ctx, command, dir, env, &stderr, args...)
	return out, stderr.String(), err
}

// executeTo is like execute, but writes the messages to the writer stderr while the command runs.
func executeTo(ctx context.Context, command, dir string, env []string, stderr interface{ Write([]byte) (int, error) }, args ...string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd := exec.Command(command, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PWD="+dir), env...)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	group, err := procgroup.Start(cmd)
	if err != nil {
		return nil, err
	}
	if Gentle(ctx) {
		group.Nice()
	}
	ended := make(chan struct{})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		select {
		case <-ctx.Done():
			group.Kill()
		case <-ended:
		}
	}()
	err = cmd.Wait()
	close(ended)
	<-killed
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return stdout.Bytes(), err
}

type gentleKey struct{}

// Gently returns a context for go commands that run with low priority, so that they do not slow down cells.
func Gently(ctx context.Context) context.Context { return context.WithValue(ctx, gentleKey{}, true) }

// Gentle reports whether ctx comes from Gently.
func Gentle(ctx context.Context) bool { return ctx.Value(gentleKey{}) != nil }
