package native

import (
	"fmt"
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

const inNative = " (a native cell can contain only declarations)"

var (
	// fault matches a line in which the compiler reports a fault in the cell.
	fault = regexp.MustCompile(`(?m)^\./cell\.go:(\d+):(\d+): (.*)$`)

	// foreign matches a line in which the go command reports an import that it cannot find. The advice in
	// that line, go get, is of no use in a cell.
	foreign = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): (?:no required module provides package|cannot find module providing package|package) ([^\s;:]+)(?:[;:]| is not in std|$)`)

	notStandard = regexp.MustCompile(`(?m)^cell\.go:\d+:\d+: package \S+ is not in std`)

	// lacking matches a line in which the go command reports that the latest version of a module does not have a
	// package.
	lacking = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): (module \S+ found.*, but does not contain package \S+)`)

	// unreachable matches a line in which the go command reports that it cannot download a module.
	unreachable = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): module (\S+?)(?:@\S+)?: (?:reading (\S+): )?(.*)$`)

	// downloading matches the go command's progress messages.
	downloading = regexp.MustCompile(`(?m)^go: (?:downloading|finding|found|added) .*\n?`)
)

// faults returns the go command's output as an error. If modules is true, the cell could import packages of modules.
func faults(output string, modules bool) error {
	var list scanner.ErrorList
	add := func(m []string, msg string) {
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if line == 1 {
			col -= len("package main;")
		}
		list.Add(token.Position{Line: line, Column: col}, msg)
	}
	for _, m := range foreign.FindAllStringSubmatch(output, -1) {
		add(m, unknown(m[3], modules))
	}
	for _, m := range lacking.FindAllStringSubmatch(output, -1) {
		add(m, m[3])
	}
	for _, m := range unreachable.FindAllStringSubmatch(output, -1) {
		add(m, fmt.Sprintf("module %s is not available: %s", m[3], m[5]))
	}
	for _, m := range fault.FindAllStringSubmatch(output, -1) {
		msg := m[3]
		if strings.HasPrefix(msg, "undefined: ") {
			msg += " (a native cell sees nothing of the session)"
		}
		add(m, msg)
	}
	if len(list) == 0 {
		return fmt.Errorf("go build: %s", strings.TrimSpace(downloading.ReplaceAllString(output, "")))
	}
	return list
}

// unknown returns the message for an import of a package that does not exist.
func unknown(path string, modules bool) string {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case !modules:
		return fmt.Sprintf("a native cell can import only the standard library, which does not contain %s", path)
	case !strings.Contains(first, "."):
		return fmt.Sprintf("package %s is neither in the standard library nor in a module of the notebook", path)
	}
	return fmt.Sprintf("none of the notebook's modules contains package %s: %%get %s adds one", path, path)
}
