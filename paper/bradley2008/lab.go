package bradley2008

import (
	"fmt"
	"os"
	"strings"
	"time"

	"overcomplete/paper/lab"
	"overcomplete/paper/record"
	"overcomplete/ui/display"
	"overcomplete/ui/progress"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "differentiable-sparse-coding"

// A Lab runs the experiments of one notebook run (see package lab). Each table and figure has a type
// of its own, in the file that is named after it.
type Lab struct {
	sharedState
	digits   *Digits
	features map[string]*Features
}

// A sharedState is what all experiments use: the run, and the store of its intermediate results, which are called
// stages.
type sharedState struct {
	lab.Lab
	store *lab.Store
}

// New begins a run of the given size (smoke, lecture or full) with the given seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{sharedState: sharedState{base, base.Stages("paper/bradley2008/trained")}, features: map[string]*Features{}}, nil
}

// The full size takes hours and reports its progress; the smaller sizes are silent. If standard error is a
// terminal or a file, each stage writes a line. A notebook would keep these lines in its
// outputs, so it shows a single line, and only while something takes a long time.

// say writes a line about a stage to standard error, at full size only. It writes nothing if standard error is a pipe,
// as when a kernel collects the output of cells.
func (s *sharedState) say(format string, args ...any) {
	if s.Full() && !isPiped() {
		fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
	}
}

func isPiped() bool {
	s, err := os.Stderr.Stat()
	return err != nil || s.Mode()&os.ModeNamedPipe != 0
}

// recorder returns a recorder that reports the progress of a stage, at full size only and at most every 20 seconds.
func (s *sharedState) recorder() progress.Recorder {
	last, id := time.Now(), ""
	return progress.Func(func(e progress.Event) {
		if !s.Full() {
			return
		}
		ended := e.Total > 0 && e.Step >= e.Total
		if time.Since(last) < 20*time.Second && !(ended && id != "") {
			return
		}
		last = time.Now()
		text := fmt.Sprintf("%s: %d of %d, objective %.5g", e.What, e.Step, e.Total, e.Objective)
		switch {
		case !isPiped():
			s.say("%s", text)
		case id == "":
			id = display.NewID()
			lab.Check(display.DisplayID(id, display.Markdown(text)))
		default:
			if ended {
				text = "" // do not keep it in the notebook
			}
			lab.Check(display.UpdateDisplay(id, display.Markdown(text)))
		}
	})
}

// tabulate returns a table of the rows added so far whose IDs begin with prefix.
func (s *sharedState) tabulate(title, prefix string) record.Table {
	t := record.Table{Title: title}
	for _, r := range s.Rows() {
		if strings.HasPrefix(r.ID, prefix) {
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}
