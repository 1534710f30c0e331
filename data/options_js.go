package data

import (
	"context"
	"fmt"
	"time"

	"overcomplete/ui/progress"
)

// Options configures Get. A browser uses only the first two fields.
type Options struct {
	Folder   string
	Recorder progress.Recorder
	Stall    time.Duration
	Tries    int
	Pause    time.Duration
}

func (o Options) defaults() (Options, error) {
	if o.Folder == "" {
		dir, err := Folder()
		if err != nil {
			return o, err
		}
		o.Folder = dir
	}
	return o, nil
}

// A localError is an error that arose on this machine rather than at a server, so trying another URL would not help.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }

// fetch always fails in a browser: servers refuse cross-origin requests, and net/http would make
// the kernel larger.
func (f File) fetch(_ context.Context, _ string, opt Options) error {
	return &localError{fmt.Errorf("a page in a browser cannot fetch this file: download it, and save it as %s in the folder %s of the page's files", f.Name, opt.Folder)}
}
