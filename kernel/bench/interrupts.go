package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"overcomplete/kernel/wire"
)

// A hotLoop is a cell that declares a function, spin, whose loop is to be interrupted. The benchmark measures how soon
// the loop ends. It first calls spin with warm, a small number, so that the loop is fully optimized, and then with
// endless, a number so large that spin practically never ends.
type hotLoop struct {
	name          string
	source        string
	warm, endless string
}

const forever = "1 << 40"

var hotLoops = []hotLoop{
	{
		name: "numbers",
		source: `func spin(n int) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += float64(i) * 0.5
	}
	return s
}`,
		warm: "2000000",
	},
	{
		name: "nested slices",
		source: `var grid = [][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
func spin(n int) float64 {
	s := 0.0
	for k := 0; k < n; k++ {
		for i := range grid {
			for j := range grid[i] {
				s += grid[i][j] * grid[j][i]
			}
		}
	}
	return s
}`,
		warm: "100000",
	},
	{
		name: "calls",
		source: `func spin(n int) int {
	if n < 2 {
		return n
	}
	return spin(n-1) + spin(n-2)
}`,
		warm:    "24",
		endless: "80",
	},
	{
		name: "a map",
		source: `func spin(n int) int {
	m := map[int]int{}
	for i := 0; i < n; i++ {
		m[i&1023]++
	}
	return len(m)
}`,
		warm: "200000",
	},
}

func (l hotLoop) turner(k kind) (turner, error) {
	if k.name == "ipykernel" {
		return nil, nil // ipykernel may not send the printed text while its loop runs
	}
	p, err := start(k)
	if err != nil {
		return nil, err
	}
	for _, cell := range []string{l.source, "spin(" + l.warm + ")"} {
		if _, _, err := p.run(cell); err != nil {
			p.close()
			return nil, err
		}
	}
	return kernelTurner{p, func(p *process) (float64, error) {
		return p.interrupted("print(1)\nspin(" + cmp.Or(l.endless, forever) + ")")
	}}, nil
}

// interrupted runs an endless cell that prints before its loop, and interrupts the cell once the text has
// arrived. It returns the time in ms from the interrupt to the reply.
func (p *process) interrupted(src string) (float64, error) {
	id, err := p.send(src)
	if err != nil {
		return 0, err
	}
	for {
		m, err := p.next(wire.IOPub, id)
		if err != nil {
			return 0, err
		}
		if m.Header.MsgType == "stream" {
			break
		}
	}
	begin := time.Now()
	if err := p.interrupt(); err != nil {
		return 0, err
	}
	text, status, err := p.result(id)
	if err == nil && status != "error" {
		err = fmt.Errorf("%s: an endless cell ends with %s %.200q", p.name, status, text)
	}
	return milliseconds(time.Since(begin)), err
}

// interrupt sends an interrupt_request, as a front end does.
func (p *process) interrupt() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := p.client.Request(ctx, wire.Control, "interrupt_request", nil)
	return err
}
