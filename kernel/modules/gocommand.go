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

// FindGo finds the go command and the Go version that compiles modules. If this project has been tried with the minor
// version of the installed Go (see package toolchain), FindGo chooses the installed version. Otherwise it chooses the
// tried version that has the minor version of this program, and the go command downloads that version.
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
