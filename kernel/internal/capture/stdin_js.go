package capture

import (
	"context"
	"syscall/js"
)

// A Stdin replaces the standard input. In a browser, the page provides a file system, which answers a read of
// descriptor 0 by calling the JavaScript function overcompleteRead(give). Its argument give is a function to be called
// with a line, or with null at the end of the input.
type Stdin struct{}

// OpenStdin returns a Stdin that is at the end of its input until Serve is called.
func OpenStdin() (*Stdin, error) { return &Stdin{}, nil }

// endOfInput is the line that marks the end of the input, like Control-D in a terminal.
const endOfInput = "\x04"

// Serve supplies input until the returned function is called. Whenever a reader waits for input, Serve calls ask() in a
// separate goroutine. ask() returns a line without its newline. If ask() returns an error or the line endOfInput, the
// input is at its end until the next Serve. When ctx is done, ask() should return an error.
func (s *Stdin) Serve(ctx context.Context, ask func(context.Context) (string, error)) (stop func()) {
	ended := false
	hook := js.FuncOf(func(_ js.Value, args []js.Value) any {
		give := args[0]
		if ended {
			give.Invoke(js.Null())
			return nil
		}
		go func() {
			line, err := ask(ctx)
			if err != nil || line == endOfInput {
				ended = true
				give.Invoke(js.Null())
				return
			}
			give.Invoke(line + "\n")
		}()
		return nil
	})
	js.Global().Set("overcompleteRead", hook)
	return func() {
		js.Global().Delete("overcompleteRead")
		hook.Release()
	}
}

// Close does nothing: the input is already at its end once the last Serve has been stopped.
func (s *Stdin) Close() error { return nil }
