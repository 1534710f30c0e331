package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"overcomplete/kernel/internal/bench/programs"
)

//go:embed turn.py
var driver string

// python is a turner that runs a program in CPython, in a process of its own.
type python struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func newPython(interpreter string, p program, n int) (turner, error) {
	text, err := programs.Python(p.pythonSource(), n, p.atCell)
	if err != nil {
		return nil, err
	}
	c := python{cmd: exec.Command(interpreter, "-c", driver)}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	c.cmd.Stderr = os.Stderr
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	return c, json.NewEncoder(c.in).Encode(text)
}

func (c python) turn() (string, float64, error) {
	if _, err := fmt.Fprintln(c.in); err != nil {
		return "", 0, fmt.Errorf("CPython: %w", err)
	}
	if !c.out.Scan() {
		return "", 0, fmt.Errorf("CPython has ended: %v", c.out.Err())
	}
	text, took, _ := strings.Cut(c.out.Text(), " ")
	var ms float64
	_, err := fmt.Sscan(took, &ms)
	return text, ms, err
}

func (c python) close() {
	c.in.Close() // closing the program's input ends its loop
	c.cmd.Wait()
}

// compiledProgram is a turner that runs a program as compiled Go, in this process.
type compiledProgram struct {
	run func(n int) string
	n   int
}

func newCompiled(p program, n int) (turner, error) {
	run := programs.Compiled[p.source]
	if run == nil {
		return nil, fmt.Errorf("programs.Compiled has no %q", p.source)
	}
	return compiledProgram{run, n}, nil
}

func (c compiledProgram) turn() (text string, ms float64, err error) {
	defer func() {
		if r := recover(); r != nil { // a panic must not crash the process that runs the kernels
			err = fmt.Errorf("compiled Go panics: %v", r)
		}
	}()
	runtime.GC() // collect the garbage of other programs first
	w := startWatch(os.Getpid())
	text = c.run(c.n)
	return text, w.ms(), nil
}

func (compiledProgram) close() {}

// cells is a turner that runs a program in a kernel. Its first turn declares the program and runs it, like a newly
// written cell; later turns only run it.
type cells struct {
	*process
	first, later string
	begun        bool
}

func newCells(k kind, p program, n int) (turner, error) {
	text, err := programs.Go(p.source, n, p.atCell)
	if err != nil {
		return nil, err
	}
	c := &cells{first: "import \"fmt\"\n" + text.Declare, later: text.Run}
	if k.name == "gonb" {
		c.later = "%%\n" + c.later // the line that starts func main in GoNB
	}
	c.first += "\n" + c.later
	c.process, err = start(k)
	return c, err
}

func (c *cells) turn() (string, float64, error) {
	src := c.later
	if !c.begun {
		src, c.begun = c.first, true
	}
	text, ms, err := c.run(src)
	// Some kernels also show the results of Println.
	text, _, _ = strings.Cut(text, "\n")
	return text, ms, err
}
