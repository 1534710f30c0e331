package modules

import "context"

// A GoCommand is a go command with a version of Go with which this program can be built.
type GoCommand struct {
	Path    string // of the go command
	Version string // "go1.26.8"
	// Env must be in the command's environment, and Tags are the build tags that the user has set.
	Env  []string
	Tags string
}

// FindGo finds the Go that compiles modules: the installed one if it is one of those that were
// tried, else the one of which this program was made, which the go command downloads.
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
