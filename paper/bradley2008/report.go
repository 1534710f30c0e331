package bradley2008

import (
	"fmt"
	"os"
	"time"

	"overcomplete/kernel-helpers/progress"
)

// say writes a line about a stage of the full size, which takes hours, to the
// standard error; the smaller sizes are silent.
func (l *Lab) say(format string, args ...any) {
	if l.Full() {
		fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
	}
}

// recorder says at most every 20 seconds how far a stage is.
func (l *Lab) recorder() progress.Recorder {
	last := time.Now()
	return progress.Func(func(e progress.Event) {
		if time.Since(last) > 20*time.Second {
			last = time.Now()
			l.say("%s: %d of %d, objective %.5g", e.What, e.Step, e.Total, e.Objective)
		}
	})
}
