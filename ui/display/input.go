package display

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
)

var inputState struct {
	sync.RWMutex
	ask func(prompt string, password bool) (string, error)
}

// SetInput sets the function that Input and Password call, and returns the previous function. If ask is nil,
// they ask in the terminal. Kernels call SetInput.
func SetInput(ask func(prompt string, password bool) (string, error)) (previous func(string, bool) (string, error)) {
	inputState.Lock()
	defer inputState.Unlock()
	previous, inputState.ask = inputState.ask, ask
	return previous
}

// Input shows prompt, waits, and returns the typed line without its line end. It returns an error if no user
// can be asked, or if the wait was interrupted.
func Input(prompt string) (string, error) { return input(prompt, false) }

// Password is like Input, for secrets: the input is not shown while the user types, and not saved in the
// notebook.
func Password(prompt string) (string, error) { return input(prompt, true) }

func input(prompt string, password bool) (string, error) {
	inputState.RLock()
	ask := inputState.ask
	inputState.RUnlock()
	if ask != nil {
		return ask(prompt, password)
	}
	os.Stderr.WriteString(prompt)
	if password {
		show, err := hideTyping(os.Stdin)
		if err == nil {
			defer os.Stderr.WriteString("\n") // the terminal did not show the typed newline
			defer show()
		}
	}
	return readLine(os.Stdin)
}

// readLine reads exactly one line, and leaves everything after it for other readers.
func readLine(r io.Reader) (string, error) {
	var line []byte
	b := make([]byte, 1)
	for {
		n, err := r.Read(b)
		if n > 0 && b[0] == '\n' {
			break
		}
		line = append(line, b[:n]...)
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				break
			}
			return "", err
		}
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}
