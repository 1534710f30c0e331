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

// Options configures Run.
type Options struct {
	// Program is the command line that starts a student's process, which calls Serve with its standard input. Env is
	// the environment of this process.
	Program, Env []string
	// Notebook is the name of the notebook with the exercises, "lecture-pca".
	Notebook string
	// Set lists variables, each as name and value, that are set after the cell with the tag "parameters".
	Set [][2]string
	// Time is the limit for all cells and functions of a student together. CellTime is the limit for each cell.
	Time, CellTime time.Duration
	// Memory and Disk are in bytes.
	Memory, Disk int64
	// Jobs is the number of submissions graded at once.
	Jobs int
	// Seed selects the cases. It must not be 0, which selects the cases that students see.
	Seed uint64
	// Unconfined makes Run continue even if the system cannot apply all limits.
	Unconfined bool
	// Done is called with each line as soon as it is complete. It may be nil.
	Done func(Line)
	// Left is called if a folder of a student's process could not be removed. It may be nil. Several goroutines may
	// call it.
	Left func(folder string, err error)
}

// A Line is the result of one submission.
type Line struct {
	Student    string
	Points, Of float64
	Reasons    []string
	// Free names the limits that were not applied.
	Free []string
}

// A FreeError lists the limits that this system cannot apply.
type FreeError struct{ What []string }

func (e *FreeError) Error() string {
	return "this system does not limit " + strings.Join(e.What, ", ") + ", so a notebook could do harm. Grade on Linux with Landlock and user namespaces, in a container or virtual machine used only for grading, or with --unconfined"
}

// Run grades submissions, and returns one line for each, in the same order. If the system fails or ctx is done,
// it returns the lines that are complete.
func Run(ctx context.Context, list []Submission, o Options) ([]Line, error) {
	tasks := exercise.TasksOf(o.Notebook)
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s has no exercises; these notebooks have: %s", o.Notebook, strings.Join(Notebooks(), ", "))
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
