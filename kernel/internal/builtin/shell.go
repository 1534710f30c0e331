package builtin

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/procgroup"
)

// shell runs a line in the system's shell and shows its output as it arrives. An interrupt ends all processes
// that the line started.
func (c *call) shell(ctx context.Context) ([]engine.Value, error) {
	if c.Args == "" {
		return nil, c.usage()
	}
	cmd := shellCommand(c.Args)
	// Do not pass the kernel's files themselves: processes that the line leaves in the background must not
	// keep the kernel's own pipes open.
	cmd.Stdout, cmd.Stderr = c.runner.Stdout, c.runner.Stderr
	cmd.WaitDelay = 200 * time.Millisecond
	if err := runGroup(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, c.fail("%v: %s", exit, c.Args)
		}
		return nil, c.fail("%v", err)
	}
	return nil, nil
}

func shellCommand(line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/c", line)
	}
	return exec.Command("/bin/sh", "-c", line)
}

// runGroup runs cmd until it ends or ctx is canceled. If ctx is canceled first, runGroup interrupts cmd and the
// processes that cmd has started, gives them a moment to end by themselves, and then kills them.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	group, err := procgroup.Start(cmd)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if errors.Is(err, exec.ErrWaitDelay) {
			return nil // a process continues in the background
		}
		return err
	case <-ctx.Done():
	}
	group.Interrupt()
	select {
	case <-done:
		group.Kill()
	case <-time.After(300 * time.Millisecond):
		group.Kill()
		<-done
	}
	return ctx.Err()
}
