package grade

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"overcomplete/internal/exercise"
	"overcomplete/kernel"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
	"overcomplete/ui/cell"
	"overcomplete/ui/display"
)

// Serve runs in a student's process: it restricts the process, opens a kernel, and serves requests from the
// reader until the end of the input. It writes answers to the standard output. Cells cannot write there,
// because the kernel captures their output.
func Serve(in io.Reader) error {
	requests := json.NewDecoder(in)
	var r request
	if err := requests.Decode(&r); err != nil {
		return err
	}
	free, err := confine(r)
	if err != nil {
		return json.NewEncoder(os.Stdout).Encode(answer{Fault: err.Error()})
	}
	// Collect garbage before the hard limit is reached.
	debug.SetMemoryLimit(int64(r.Memory / 4 * 3))
	// With unsafe pointers a cell could call any address, such as that of a reference solution, and could make
	// unrestricted system calls.
	bind.LeaveOutPointers()
	k, err := kernel.New(kernel.Options{Refused: []string{"unsafe"}})
	if err != nil {
		return err
	}
	answers := json.NewEncoder(k.Terminal())
	if err := answers.Encode(answer{Free: free}); err != nil {
		return err
	}
	next := make(chan request)
	go func() {
		for {
			var r request
			if requests.Decode(&r) != nil {
				os.Exit(0) // the grader has finished or is gone; a cell may still be running
			}
			next <- r
		}
	}()
	for r := range next {
		var a answer
		switch r.Op {
		case "run":
			a = runCell(k, r)
		case "try":
			a = tryFunction(k, r)
		default:
			a.Fault = fmt.Sprintf("unknown request %q", r.Op)
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// silence is the output of cells: it discards everything.
type silence struct{}

func (silence) Stream(string, string)      {}
func (silence) Display(display.Data, bool) {}
func (silence) Result(display.Data)        {}
func (silence) Clear(bool)                 {}

// runCell runs a cell, and then sets the request's variables.
func runCell(k *kernel.Kernel, r request) answer {
	limit := time.Duration(r.CellSeconds * float64(time.Second))
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := k.Execute(ctx, engine.Cell{Name: fmt.Sprintf("In[%d]", r.Number), ID: r.ID, Source: r.Source}, silence{})
	switch {
	case isDiskFull(): // later cells may need to write, too
		return answer{Fault: "failed: " + wroteTooMuch}
	case ctx.Err() != nil:
		return answer{Fault: fmt.Sprintf("did not end within %v", limit)}
	case err != nil:
		return answer{Fault: "failed: " + oneLine(err.Error())}
	}
	for _, s := range r.Set {
		if err := k.Session().Set(s[0], s[1]); err != nil {
			return answer{Fault: "failed: " + oneLine(err.Error())}
		}
	}
	return answer{}
}

// tryFunction calls the student's function for a task on the case that the seed selects.
func tryFunction(k *kernel.Kernel, r request) answer {
	t := exercise.Find(r.Task)
	if t == nil {
		return answer{Fault: "there is no such exercise"}
	}
	k.StopGoroutines() // goroutines left behind by cells must not interfere
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	values, err := k.Session().Run(ctx, engine.Cell{Name: "grader", Source: t.Function})
	if err != nil || len(values) != 1 {
		return answer{Fault: "there is no function " + t.Function}
	}
	f := values[0].Value
	if why := t.Unfit(f); why != "" {
		return answer{Fault: t.Function + ": " + why}
	}
	a, err := t.Try(context.Background(), cell.Start, f, r.Seed)
	switch {
	case err != nil:
		return answer{Fault: oneLine(err.Error())}
	case a.Fault != "":
		return answer{Fault: a.Fault}
	}
	result, err := t.Encode(a.Result)
	if err != nil {
		return answer{Fault: oneLine(err.Error())}
	}
	if len(result) > longest/2 {
		return answer{Fault: "its result is too large"}
	}
	return answer{Result: result}
}

// oneLine shortens a message to one line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	const most = 160
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + " ..."
	}
	return s
}
