package grade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/internal/exercise"
)

// Options are the options of Run.
type Options struct {
	// Program is the command of a process that calls Serve with its standard input, and Env its environment.
	Program, Env []string
	// Notebook is the one that has the exercises, "lecture-pca".
	Notebook string
	// Set are variables that are set after the cell with the tag parameters: name, value.
	Set [][2]string
	// Time is what a student's notebook and functions may take together, CellTime a cell.
	Time, CellTime time.Duration
	// Memory and Disk are in bytes.
	Memory, Disk int64
	// Jobs is how many run at once.
	Jobs int
	// Seed chooses the cases. It must not be 0, which chooses those that students see.
	Seed uint64
	// Unconfined goes on where the system cannot limit all that should be limited.
	Unconfined bool
	// Done is called with each line, as soon as it is known. It may be nil.
	Done func(Line)
	// Left is called with a folder of what a student's process wrote that could not be removed. It may be nil, and is
	// called by several goroutines.
	Left func(folder string, err error)
}

// A Line is what one submission is worth.
type Line struct {
	Student    string
	Points, Of float64
	Reasons    []string
	// Free names what was not limited while it ran.
	Free []string
}

// A FreeError says what this system cannot limit.
type FreeError struct{ What []string }

func (e *FreeError) Error() string {
	return "this system does not limit " + strings.Join(e.What, ", ") + ": a notebook could do harm. Grade on a Linux with Landlock and user namespaces, in a container or a virtual machine for this alone, or say --unconfined"
}

// Run grades submissions, and returns a line for each, in their order. After an error of the system, or when ctx
// ends, it returns the lines that it has.
func Run(ctx context.Context, list []Submission, o Options) ([]Line, error) {
	tasks := exercise.Of(o.Notebook)
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s has no exercises; those that have: %s", o.Notebook, strings.Join(Notebooks(), ", "))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := make([]*Line, len(list))
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range list {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var said sync.Mutex
	var all sync.WaitGroup
	for range max(1, min(o.Jobs, len(list))) {
		all.Go(func() {
			for i := range next {
				line, err := o.grade(ctx, list[i], slices.Clone(tasks))
				if err != nil {
					cancel(fmt.Errorf("%s: %w", list[i].Student, err))
					return
				}
				lines[i] = &line
				if o.Done != nil {
					said.Lock()
					o.Done(line)
					said.Unlock()
				}
			}
		})
	}
	all.Wait()
	var known []Line
	for _, l := range lines {
		if l != nil {
			known = append(known, *l)
		}
	}
	return known, context.Cause(ctx)
}
