package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Memory returns the memory, in bytes, of the process that runs the page. If several of the browser's processes run
// pages, Memory assumes that the largest of these processes runs this page. resident includes all memory that the
// process shares with others. own includes only the process's proportional share of that memory. Memory skips the test
// on systems other than Linux.
func (p Page) Memory() (resident, own int64) {
	p.Helper()
	if runtime.GOOS != "linux" {
		p.Skipf("what a process takes is read from /proc, which %s has not", runtime.GOOS)
	}
	processes := p.renderers()
	for _, pid := range processes {
		r, o := rollup(pid)
		if r > resident {
			resident, own = r, o
		}
	}
	if resident == 0 {
		p.Errorf("none of the browser's processes is known to run pages: %v", processes)
	}
	return resident, own
}

// renderers returns the ids of the browser's processes that run pages.
func (p Page) renderers() (list []int) {
	for _, pid := range children(p.driver.process()) {
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && p.driver.renderer(words(string(command))) { // else the process has ended, or does not render pages
			list = append(list, pid)
		}
	}
	return list
}

// words splits a command line, as read from /proc, into words. It splits at blanks too, because Chromium separates the
// words of its child processes' command lines with blanks instead of zero bytes.
func words(command string) []string {
	return strings.FieldsFunc(command, func(r rune) bool { return r == 0 || r == ' ' })
}

// children returns the ids of the given process and of all its descendants.
func children(root int) []int {
	parent := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid, so Glob cannot fail
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// The command's name, in parentheses, may contain blanks.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent[pid], _ = strconv.Atoi(fields[1])
	}
	found := []int{root}
	for k := 0; k < len(found); k++ {
		for pid, of := range parent {
			if of == found[k] && !slices.Contains(found, pid) {
				found = append(found, pid)
			}
		}
	}
	return found
}

// rollup returns the resident set size and the proportional set size of a process, in bytes (Rss and Pss in /proc).
func rollup(pid int) (resident, own int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "Rss:":
			resident = kb << 10
		case "Pss:":
			own = kb << 10
		}
	}
	return resident, own
}
