package main

import (
	"strings"

	"overcomplete/kernel/internal/bench/programs"
)

// cells is a turner that runs a program in a kernel. Its first turn declares the program and runs it, like a newly
// written cell; later turns only run it.
type cells struct {
	*process
	first, later string
	begun        bool
}

func newCells(k kind, p program, n int) (turner, error) {
	text, err := programs.Go(p.folder, n, p.atCell)
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
