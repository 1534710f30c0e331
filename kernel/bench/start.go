package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// answer returns the source of a cell that shows 6 * 7, for a kernel of kind k.
func answer(k kind) string {
	if k.name == "gonb" {
		return "import \"fmt\"\n%%\nfmt.Println(6 * 7)"
	}
	return "6 * 7"
}

func runAnswer(p *process) (ms float64, err error) {
	text, ms, err := p.run(answer(p.kind))
	if err == nil && !strings.HasPrefix(text, "42") {
		err = fmt.Errorf("%s: 6 * 7 is %q", p.name, text)
	}
	return ms, err
}

// emptyCells returns a turner that runs 20 empty cells in each turn and measures their mean time.
func emptyCells(k kind) (turner, error) {
	return withOneKernel(k, func(p *process) (float64, error) {
		const n = 20
		w := startWatch(p.cmd.Process.Pid)
		for range n {
			if _, _, err := p.run(""); err != nil {
				return 0, err
			}
		}
		return w.ms() / n, nil
	})
}

// withNewKernel returns a turner that starts a kernel in each turn and returns the result of measure(p, begin), where
// begin is the time just before the kernel's start.
func withNewKernel(k kind, measure func(p *process, begin time.Time) (float64, error)) (turner, error) {
	return turnFunc(func() (float64, error) {
		begin := time.Now()
		p, err := start(k)
		if err != nil {
			return 0, err
		}
		defer p.close()
		return measure(p, begin)
	}), nil
}

func firstAnswer(k kind) (turner, error) {
	return withNewKernel(k, func(p *process, begin time.Time) (float64, error) {
		_, known := processorTime(p.cmd.Process.Pid)
		return watch{pid: p.cmd.Process.Pid, begin: begin, known: known}.ms(), nil
	})
}

func firstCell(k kind) (turner, error) {
	return withNewKernel(k, func(p *process, _ time.Time) (float64, error) { return runAnswer(p) })
}

func memory(k kind) (turner, error) {
	return withNewKernel(k, func(p *process, _ time.Time) (float64, error) {
		if _, err := runAnswer(p); err != nil {
			return 0, err
		}
		return resident(p.cmd.Process.Pid)
	})
}

// resident returns the resident memory of a process, in MB.
func resident(pid int) (float64, error) {
	file := fmt.Sprintf("/proc/%d/status", pid)
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(text), "VmRSS:")
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil || !found {
		return 0, fmt.Errorf("%s has no VmRSS", file)
	}
	return kb / 1024, nil
}
