//go:build !js

package data

import (
	"fmt"
	"net/http"
	"time"

	"overcomplete/ui/progress"
)

// Options configures Get. The zero value is ready to use.
type Options struct {
	// Folder is where the files are stored; Get creates it if needed. "" means the result of Folder(); then
	// Get does nothing if the set is complete in any of Folders().
	Folder string
	// Recorder receives the number of bytes downloaded so far and the total. It may be nil.
	Recorder progress.Recorder
	// Client makes the requests. nil means http.DefaultClient.
	Client *http.Client
	// Stall is the longest time that a server may send nothing. 0 means 30 s.
	Stall time.Duration
	// Tries is the number of consecutive failures, without progress in between, after which Get gives up on an
	// address. 0 means 3.
	Tries int
	// Pause is the wait before the second try; it doubles with each further try. 0 means 1 s.
	Pause time.Duration
}

func (o Options) defaults() (Options, error) {
	if o.Stall < 0 || o.Tries < 0 || o.Pause < 0 {
		return o, fmt.Errorf("data: Get: Stall %v, Tries %d and Pause %v must not be negative", o.Stall, o.Tries, o.Pause)
	}
	if o.Folder == "" {
		dir, err := Folder()
		if err != nil {
			return o, err
		}
		o.Folder = dir
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = 3
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	return o, nil
}
