package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"overcomplete/kernel"
	"overcomplete/kernel/jupyter"
)

// preparedProgram returns the path of a program that was prepared for the notebooks of a folder, or "" if there
// is none. The program is a kernel that includes the packages of other modules that the notebooks import. The
// running kernel turns into this program before the first cell runs.
var preparedProgram = func(folder string) string {
	return ifItStarts(kernel.Waiting(notebookIn(folder), openModules(folder)))
}

// ifItStarts returns program, or "" if that program does not start, for example because one of its packages panics in
// init. A kernel that replaced itself with such a program would never answer.
func ifItStarts(program string) string {
	if program == "" || jupyter.CanResume(context.Background(), program) != nil {
		return ""
	}
	return program
}

// becomeWaiting replaces this process with the prepared program for the working directory (see preparedProgram). It
// passes args to that program after the subcommand "kernel". On systems where a program cannot replace the running one,
// becomeWaiting runs the prepared program as a child and returns the child's exit code. ok is false if there is no
// prepared program or it cannot be started; then this process must serve as the kernel.
func becomeWaiting(args []string) (code int, ok bool) {
	folder, err := os.Getwd()
	if err != nil {
		return 0, false
	}
	program := preparedProgram(folder)
	if program == "" || isSelf(program) {
		return 0, false
	}
	argv := append([]string{program, "kernel", "-here"}, args...)
	code, err = become(program, argv)
	if err != nil {
		fmt.Fprintf(os.Stderr, "overcomplete kernel: cannot start %s: %v\n", program, err)
		return 0, false
	}
	return code, true
}

// isSelf reports whether a program is the one that is running.
func isSelf(program string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	a, err := os.Stat(self)
	if err != nil {
		return false
	}
	b, err := os.Stat(program)
	return err == nil && os.SameFile(a, b)
}

// runChild runs a program as a child on systems where a program cannot replace the running one. It returns
// the child's exit code. The child ends when this process ends.
func runChild(program string, argv []string) (code int, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "JPY_PARENT_PID="+strconv.Itoa(os.Getpid()))
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	watchParent(cancel)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
