package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"overcomplete/data"
	"overcomplete/internal/terminal"
	"overcomplete/ui/progress"
)

const dataUsage = `usage: overcomplete data list
       overcomplete data get NAME... | --all
       overcomplete data verify [NAME...]
       overcomplete data path NAME

Real data sets, which the project does not contain.

  list     list the sets, where they were found, and their terms
  get      download the sets that are missing, and check them
  verify   check the content of the named sets, or of all sets that were found
  path     print where a set's files are

The sets are kept in the folder named by OVERCOMPLETE_DATA, or else in the user's
cache. The exit status is 1 if a set is damaged, cannot be downloaded, or was named
and is missing, 2 for a mistake in the command, and 130 after Ctrl-C.
`

// A dataCommand is one invocation of "overcomplete data".
type dataCommand struct {
	out, err io.Writer
	client   *http.Client // nil: the default client
}

func runData(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return dataCommand{out: os.Stdout, err: os.Stderr}.run(ctx, args)
}

func (c dataCommand) run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("overcomplete data", flag.ContinueOnError)
	flags.SetOutput(c.err)
	flags.Usage = func() { fmt.Fprint(c.err, dataUsage) }
	if len(args) == 0 {
		flags.Usage()
		return 2
	}
	verb := args[0]
	all := false
	if verb == "get" {
		flags.BoolVar(&all, "all", false, "all sets that can be downloaded")
	}
	if !strings.HasPrefix(verb, "-") { // a flag in place of the verb is -h or a mistake
		args = args[1:]
	}
	names, code, ok := parseMixed(flags, args)
	if !ok {
		return code
	}
	for _, n := range names {
		if _, err := data.Find(n); err != nil {
			return wrong(flags, "%v", strings.TrimPrefix(err.Error(), "data: "))
		}
	}
	switch verb {
	case "list":
		if len(names) > 0 {
			return wrong(flags, "list takes no names")
		}
		return c.list()
	case "get":
		if all == (len(names) > 0) {
			return wrong(flags, "get needs the names of sets, or --all; 'overcomplete data list' lists the sets")
		}
		return c.get(ctx, names)
	case "verify":
		return c.verify(ctx, names)
	case "path":
		if len(names) != 1 {
			return wrong(flags, "path takes exactly one name")
		}
		return c.path(names[0])
	}
	return wrong(flags, "unknown command %q: the commands are list, get, verify and path", verb)
}

func (c dataCommand) fail(err error) int {
	fmt.Fprintln(c.err, "overcomplete data:", strings.TrimPrefix(err.Error(), "data: "))
	if errors.Is(err, context.Canceled) {
		return 130
	}
	return 1
}

// list prints the table of all sets.
func (c dataCommand) list() int {
	looked := "no folder"
	if dirs, err := data.Folders(); err != nil {
		looked += " (" + err.Error() + ")"
	} else {
		looked = strings.Join(dirs, " and ")
	}
	fmt.Fprintf(c.out, "Searched in %s:\n\n", looked)
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSIZE\tWHERE\tWHAT\tTERMS")
	for _, s := range data.Sets() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Name, size(s.Size()), location(s), s.What, s.License)
	}
	if err := w.Flush(); err != nil {
		return c.fail(err)
	}
	return 0
}

// location describes where a data set is: the name of its file, the number of its files that were found, or a note
// that it is absent or cannot be read.
func location(s data.Set) string {
	var found []string
	for _, f := range s.Files {
		switch p, err := data.Path(s.Name, f.Name); {
		case err == nil:
			found = append(found, p)
		case !errors.Is(err, data.ErrAbsent):
			return "cannot be read: " + err.Error()
		}
	}
	switch {
	case len(found) == 0 && s.ByHand != "":
		return "absent (by hand)"
	case len(found) == 0:
		return "absent"
	case len(found) < len(s.Files):
		return fmt.Sprintf("%d of %d files", len(found), len(s.Files))
	case len(found) > 1:
		return fmt.Sprintf("%d files", len(found))
	}
	return filepath.Base(found[0])
}

// size formats a number of bytes as kB or MB; 0 stands for an unknown size.
func size(n int64) string {
	switch {
	case n == 0:
		return "?"
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// get downloads the named sets, or all downloadable sets if no names are given. If one download
// fails, it still tries the others. It returns the exit status.
func (c dataCommand) get(ctx context.Context, names []string) int {
	var byHand []data.Set
	if len(names) == 0 {
		for _, s := range data.Sets() {
			if _, err := data.Path(s.Name, ""); s.ByHand != "" && errors.Is(err, data.ErrAbsent) {
				byHand = append(byHand, s)
				continue
			}
			names = append(names, s.Name)
		}
	}
	line := &progressLine{w: c.err, tty: terminal.Is(c.err)}
	code := 0
	for _, n := range names {
		err := data.Get(ctx, n, data.Options{Recorder: line, Client: c.client})
		line.end()
		if ctx.Err() != nil {
			fmt.Fprintln(c.err, "overcomplete data: stopped; run the same command to continue")
			return 130
		}
		if err != nil {
			code = c.fail(err)
		}
	}
	for _, s := range byHand {
		fmt.Fprintf(c.err, "%s must be downloaded by hand: %s (%s)\n", s.Name, s.ByHand, s.Home)
	}
	return code
}

// verify examines the named sets or, if no names are given, all sets that are present. It returns the exit status.
func (c dataCommand) verify(ctx context.Context, names []string) int {
	named := len(names) > 0
	if !named {
		for _, s := range data.Sets() {
			names = append(names, s.Name)
		}
	}
	code := 0
	for _, n := range names {
		err := data.Verify(ctx, n)
		switch {
		case ctx.Err() != nil:
			return 130
		case err == nil && !hasChecksums(n):
			fmt.Fprintf(c.out, "%-13s found; no checksum is known\n", n)
		case err == nil:
			fmt.Fprintf(c.out, "%-13s whole\n", n)
		// One file of a set may be missing while another is damaged.
		case errors.Is(err, data.ErrAbsent) && !errors.Is(err, data.ErrDamaged) && !named:
			fmt.Fprintf(c.out, "%-13s %s\n", n, describePresent(n))
		default:
			fmt.Fprintf(c.out, "%-13s DAMAGED OR MISSING\n", n)
			code = c.fail(err)
		}
	}
	return code
}

// describePresent says, like location, which part of the named set is present.
func describePresent(name string) string {
	s, err := data.Find(name)
	if err != nil {
		return err.Error()
	}
	return location(s)
}

// hasChecksums reports whether checksums are known for all files of the named set.
func hasChecksums(name string) bool {
	s, err := data.Find(name)
	if err != nil {
		return false
	}
	for _, f := range s.Files {
		if len(f.SHA256) == 0 {
			return false
		}
	}
	return true
}

// path prints the paths of a set's files, one per line.
func (c dataCommand) path(name string) int {
	s, err := data.Find(name)
	if err != nil {
		return c.fail(err)
	}
	for _, f := range s.Files {
		p, err := data.Path(name, f.Name)
		if err != nil {
			return c.fail(err)
		}
		fmt.Fprintln(c.out, p)
	}
	return 0
}

// A progressLine shows the progress of downloads. In a terminal it rewrites one line; elsewhere it writes one line for
// each new task.
type progressLine struct {
	w    io.Writer
	tty  bool
	what string
}

// Record shows the event e: on a terminal it rewrites the line. Elsewhere it writes a new line, but only if e begins a
// new task.
func (l *progressLine) Record(e progress.Event) {
	if !l.tty {
		if e.What != l.what {
			fmt.Fprintln(l.w, e.What)
		}
		l.what = e.What
		return
	}
	s := e.What
	switch {
	case e.Total > 0:
		s += fmt.Sprintf(": %s of %s, %d %%", size(int64(e.Step)), size(int64(e.Total)), 100*e.Step/e.Total)
	case e.Step > 0:
		s += ": " + size(int64(e.Step))
	}
	l.what = e.What
	fmt.Fprint(l.w, "\r\x1b[K", s)
}

// end ends the line in a terminal.
func (l *progressLine) end() {
	if l.tty && l.what != "" {
		fmt.Fprintln(l.w)
	}
	l.what = ""
}
