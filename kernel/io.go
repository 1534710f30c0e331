package kernel

import (
	"context"
	"errors"

	"overcomplete/kernel/internal/capture"
	"overcomplete/ui/display"
)

// An Output receives the output of a cell, in order. All output arrives before Execute returns. The methods of
// an Output are never called by two goroutines at once.
type Output interface {
	// Stream shows text that the cell has written. The name is "stdout" or "stderr".
	Stream(name, text string)
	// Display shows d. If update is set, d replaces earlier output that has the same display_id.
	Display(d display.Data, update bool)
	// Result shows one value of the cell's last expression.
	Result(d display.Data)
	// Clear removes the cell's output so far. If wait is set, the output stays until new output replaces it.
	Clear(wait bool)
}

// An Inputter is an Output that can ask the user for a line.
type Inputter interface {
	// Input shows the prompt and waits for the answer or the end of ctx. If password is set, the front end
	// hides what the user types. Input returns ErrNoStdin if the front end cannot ask.
	Input(ctx context.Context, prompt string, password bool) (string, error)
}

// A Rewriter is an Output whose front end can replace the text of the running cell. The command %fmt needs this.
type Rewriter interface {
	// Rewrite replaces the cell's text when the cell has ended.
	Rewrite(source string)
}

// A Redirecter is an Output that can send the output of a callback to an area, a separate place for output such as the
// one below a widget.
type Redirecter interface {
	// Redirect sends output to the given area from now on, and returns the previous area. A nil area ends the
	// redirection.
	Redirect(to display.Area) (previous display.Area)
}

// ErrNoStdin is the error of a cell that asks for input when the front end cannot ask the user.
var ErrNoStdin = errors.New("the front end does not support input")

// rewrite replaces the text of the running cell. It reports whether the Output supports this.
func (k *Kernel) rewrite(source string) (ok bool) {
	k.to(func(o Output) {
		var r Rewriter
		if r, ok = o.(Rewriter); ok {
			r.Rewrite(source)
		}
	})
	return ok
}

// settle passes on all output that the cell has produced so far.
func (k *Kernel) settle() {
	display.Flush()
	k.capture.Flush()
}

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
