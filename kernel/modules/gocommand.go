package modules

import "context"

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
