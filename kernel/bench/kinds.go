package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A kind is a kind of kernel, given by its command line. The name of the connection file is appended to the
// command line.
type kind struct {
	name string
	argv []string
}

// kinds are the available kernels, and the Python interpreter.
type kinds struct {
	cell, before, ipykernel, gonb *kind  // nil if not available
	python                        string // path of the program, "" if not available
	missing                       []string
}

// findKinds finds the kernels to measure. program is the path of the kernel program, and baseline is the path of an
// earlier one, or "". python is the name or path of a Python interpreter. Only a missing program is an error;
// kinds.missing lists everything else that is missing.
func findKinds(program, baseline, python string) (kinds, error) {
	var k kinds
	if _, err := os.Stat(program); err != nil {
		return k, fmt.Errorf("no kernel to measure (%w): 'make build' makes it, or -kernel names another", err)
	}
	k.cell = &kind{"cell", []string{program, "kernel", "-quiet"}}
	if baseline != "" {
		k.before = &kind{"before", []string{baseline, "kernel", "-quiet"}}
	}
	miss := func(format string, args ...any) { k.missing = append(k.missing, fmt.Sprintf(format, args...)) }
	if _, err := exec.LookPath(python); err != nil {
		miss("CPython: %v (-python names another)", err)
	} else {
		k.python = python
		if exec.Command(python, "-c", "import ipykernel").Run() != nil {
			miss("ipykernel: %s has no such module", python)
		} else {
			k.ipykernel = &kind{"ipykernel", []string{python, "-m", "ipykernel_launcher", "-f"}}
		}
	}
	gonb, err := exec.LookPath("gonb")
	if err == nil {
		_, err = exec.LookPath("goimports")
	}
	if err != nil {
		miss("GoNB: %v (go install github.com/janpfeifer/gonb@v0.11.3 and golang.org/x/tools/cmd/goimports@latest)", err)
	} else {
		k.gonb = &kind{"gonb", []string{gonb, "--kernel"}}
	}
	return k, nil
}

// versions returns a line with the name and version of each available kernel, and of CPython.
func (k kinds) versions() []string {
	list := []string{"cell: " + buildDescription(k.cell.argv[0])}
	if k.before != nil {
		list = append(list, "before: "+buildDescription(k.before.argv[0]))
	}
	if k.python != "" {
		list = append(list, "CPython: "+output(k.python, "--version"))
	}
	if k.ipykernel != nil {
		list = append(list, "ipykernel: "+output(k.python, "-c", "import ipykernel; print(ipykernel.__version__)"))
	}
	if k.gonb != nil {
		list = append(list, "GoNB: "+buildDescription(k.gonb.argv[0]))
	}
	return list
}

// buildDescription returns the version or commit of a program, and the Go version with which it was built.
func buildDescription(program string) string {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "unknown"
	}
	what := info.Main.Version
	for _, d := range info.Deps {
		if d.Path == info.Path { // the program belongs to another module
			what = d.Version
		}
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			what = "commit " + s.Value[:min(len(s.Value), 7)]
		case s.Key == "vcs.modified" && s.Value == "true":
			what += " with changes"
		}
	}
	if what == "(devel)" { // Go records no commit in a linked work tree
		if commit, err := exec.Command("git", "-C", filepath.Dir(program), "rev-parse", "--short", "HEAD").Output(); err == nil {
			what = "in a work tree at commit " + strings.TrimSpace(string(commit))
		}
	}
	return what + ", " + info.GoVersion
}

func output(program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}
