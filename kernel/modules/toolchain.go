package modules

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	gover "go/version"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"overcomplete/kernel/toolchain"
)

// A toolchainChoice is the version of Go that has been chosen.
type toolchainChoice struct {
	command   string // path of the go command
	toolchain string // value of GOTOOLCHAIN
	version   string // "go1.26.8"
	flags     string // value of GOFLAGS
}

// choose returns the version of Go that this Env uses. It calls chooseGo the first time, and keeps the result. The
// caller holds e.mu.
func (e *Env) choose(ctx context.Context) (*toolchainChoice, error) {
	if e.chosen != nil {
		return e.chosen, nil
	}
	c, err := chooseGo(ctx)
	if err == nil {
		e.chosen = c
	}
	return c, err
}

// chooseGo finds the go command and a version of Go that can build a kernel: the installed version if it is usable,
// otherwise the one that preferred returns.
func chooseGo(ctx context.Context) (*toolchainChoice, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return nil, &Error{Kind: NoToolchain, What: "go",
			Text:   "there is no go command, which is needed to download and compile modules",
			Advice: "install " + preferred() + " from https://go.dev/dl, so that `go version` works in the environment in which Jupyter starts",
		}
	}
	c := &toolchainChoice{command: command, toolchain: "local"}
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	if !usable(c.version) {
		local := c.version
		c.toolchain = preferred()
		if err := c.ask(ctx); err != nil {
			return nil, &Error{Kind: NoToolchain, What: c.toolchain,
				Text:   fmt.Sprintf("this kernel is built with %s, but only %s is installed", c.toolchain, local),
				Advice: "install " + c.toolchain + " from https://go.dev/dl, or let the go command download it",
				Said:   err.Error(),
			}
		}
	}
	return c, nil
}

// ask runs go env to fill in c.
func (c *toolchainChoice) ask(ctx context.Context) error {
	out, said, err := execute(ctx, c.command, os.TempDir(), []string{"GOTOOLCHAIN=" + c.toolchain, "GOWORK=off"}, "env", "-json", "GOVERSION", "GOFLAGS")
	if err != nil {
		return &Error{Kind: NoToolchain, What: c.command, Text: "the go command does not work", Advice: "try `go version` in a terminal", Said: cmp.Or(strings.TrimSpace(said), err.Error())}
	}
	var v struct{ GOVERSION, GOFLAGS string }
	if err := json.Unmarshal(out, &v); err != nil {
		return err
	}
	c.version, c.flags = v.GOVERSION, v.GOFLAGS
	return nil
}

// usable reports whether a version of Go can build a kernel.
func usable(version string) bool {
	return slices.ContainsFunc(toolchain.Tried(), func(v string) bool { return toolchain.Minor(v) == toolchain.Minor(version) })
}

// preferred returns the tried version of Go (see package toolchain) with the minor version of the Go that built this
// program. If no tried version has this minor version, preferred returns the newest tried version.
func preferred() string {
	for _, v := range toolchain.Tried() {
		if toolchain.Minor(v) == toolchain.Current() {
			return v
		}
	}
	return toolchain.Newest()
}

var goVersion = regexp.MustCompile(`(?:requires|needs) go ?>= ?(\d[\w.]*)`)

// goNeeded returns the version of Go that the go command asks for in a message, or "" if the message names none.
func goNeeded(said string) string {
	if m := goVersion.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return ""
}

// triedFrom lists the tried versions of Go (see package toolchain) that are not older than the given version, which is
// written without the prefix "go".
func triedFrom(version string) (list []string) {
	for _, v := range toolchain.Tried() {
		if gover.IsValid("go"+version) && gover.Compare(v, "go"+version) >= 0 {
			list = append(list, v)
		}
	}
	return list
}

// A GoCommand is a go command with a Go version that can build this program.
type GoCommand struct {
	Path    string // path of the go command
	Version string // "go1.26.8"
	// Env has variables that must be in the command's environment. Tags are the build tags set by the user.
	Env  []string
	Tags string
}

// FindGo finds the go command, and chooses the version of Go that compiles modules. It chooses the installed version
// if this project has been tried with the same minor version (see package toolchain). Otherwise it chooses a tried
// version, which the go command downloads if necessary. This is the tried version with the same minor version as the
// Go that built this program. If there is none, it is the newest tried version.
func FindGo(ctx context.Context) (*GoCommand, error) {
	c, err := chooseGo(ctx)
	if err != nil {
		return nil, err
	}
	return &GoCommand{
		Path:    c.command,
		Version: c.version,
		Env:     []string{"GOTOOLCHAIN=" + c.toolchain, "GO111MODULE=on", "GOWORK=off", "GOPACKAGESDRIVER=off"},
		Tags:    c.tags(),
	}, nil
}
