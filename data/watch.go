package data

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
)

var watchers struct {
	sync.Mutex
	list []*func(set, file string)
}

// Watch registers a function that Open calls for every requested file, before it looks for the file. In this way a run
// can record all data sets that its results may depend on, including absent ones. Several goroutines may call the
// function at once. The returned function ends the registration.
func Watch(seen func(set, file string)) (stop func()) {
	watchers.Lock()
	defer watchers.Unlock()
	p := &seen
	watchers.list = append(watchers.list, p)
	return func() {
		watchers.Lock()
		defer watchers.Unlock()
		watchers.list = slices.DeleteFunc(watchers.list, func(q *func(string, string)) bool { return q == p })
	}
}

func notifyWatchers(set, file string) {
	watchers.Lock()
	list := slices.Clone(watchers.list)
	watchers.Unlock()
	for _, seen := range list {
		(*seen)(set, file)
	}
}

// Absent is the State of a file that is not on this machine.
const Absent = "absent"

// State returns a short string that identifies the state of a set's file, without reading the file. If the file is
// missing, the string is Absent. If the file has known checksums, the string is derived from them, because Open checks
// the content against them. Otherwise the string is derived from the file's size and modification time. If file is "",
// it means the set's first file.
func State(set, file string) (string, error) {
	s, f, err := find(set, file)
	if err != nil {
		return "", err
	}
	p, err := path(s, f)
	if errors.Is(err, ErrAbsent) {
		return Absent, nil
	}
	if err != nil {
		return "", err
	}
	if len(f.SHA256) == 1 {
		return "sha256 " + f.SHA256[0][:16], nil
	}
	if c := f.Content; c.Unpacked+c.Values != "" || len(c.Members) > 0 {
		b, err := json.Marshal(struct {
			Sums    []string
			Content Content
		}{f.SHA256, c})
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(b)
		return "content " + hex.EncodeToString(sum[:8]), nil
	}
	info, err := os.Stat(p)
	if err != nil {
		return "", fmt.Errorf("data: %w", err)
	}
	return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z")), nil
}
