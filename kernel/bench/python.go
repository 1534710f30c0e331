package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	text, err := programs.Python(p.pythonFolder(), n, p.atCell)
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
