package kernel

import (
	"context"
	"errors"

	"overcomplete/kernel/internal/capture"
	"overcomplete/ui/display"
)

// inputState holds what is needed to ask the user for input while a cell runs.
type inputState struct {
	ctx context.Context
	in  Inputter // nil if nobody can be asked
}

// listen asks the user for a line whenever the running cell waits for standard input, until the returned function is
// called.
func (k *Kernel) listen(ctx context.Context, out Output) (stop func()) {
	in, _ := out.(Inputter)
	k.mu.Lock()
	before := k.inputState
	k.inputState = inputState{ctx, in}
	k.mu.Unlock()
	noServe := k.stdin.Serve(ctx, func(ctx context.Context) (string, error) {
		line, err := k.input(ctx, in, "", false)
		if errors.Is(err, ErrNoStdin) {
			k.to(func(o Output) {
				o.Stream(capture.Stderr.String(), "os.Stdin is at its end: "+ErrNoStdin.Error()+"\n")
			})
		}
		return line, err
	})
	return func() {
		noServe()
		k.mu.Lock()
		k.inputState = before
		k.mu.Unlock()
	}
}

func (k *Kernel) input(ctx context.Context, in Inputter, prompt string, password bool) (string, error) {
	if in == nil {
		return "", ErrNoStdin
	}
	k.capture.Flush() // the printed text may be the question
	return in.Input(ctx, prompt, password)
}

// ask implements display.Input for cells.
func (k *Kernel) ask(prompt string, password bool) (string, error) {
	k.mu.Lock()
	a := k.inputState
	k.mu.Unlock()
	if a.ctx == nil {
		return "", ErrNoStdin
	}
	return k.input(a.ctx, a.in, prompt, password)
}

// settle passes on all output that the cell has made so far.
func (k *Kernel) settle() {
	display.Flush()
	k.capture.Flush()
}
