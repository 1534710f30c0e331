package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"strings"

	"overcomplete/paper/lab"
	"overcomplete/paper/record"
	"overcomplete/suite/protocol"
)

const protocolUsage = `usage: overcomplete protocol [PAPER...]

Brings paper/*/protocol.json up to date with the record and its history in git. The
command adds entries for rows that are new in the record or in the last run, notes each
commit that changed a rule or a verdict after the measurement, and lists the entries that
a person must fill in. It keeps what people wrote, and removes entries that still say
FILL-IN if the last run did not measure their rows. PAPER is the name of a notebook or of a
package; the default is all papers. The exit status is 1 if an entry is incomplete.
paper/PROTOCOL.md explains the purpose of protocols.
`

// runProtocol updates and checks the protocols in which the papers declare how their results are judged: the
// subcommand "protocol".
func runProtocol(args []string) int {
	flags := flag.NewFlagSet("overcomplete protocol", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), protocolUsage) }
	if code, ok := parseFlags(flags, args); !ok {
		return code
	}
	root, err := cloneRoot()
	if err != nil {
		return fail(err)
	}
	var list []lab.Paper
	for _, p := range declaredPapers() {
		if flags.NArg() == 0 {
			list = append(list, p)
		}
	}
	for _, name := range flags.Args() {
		found := false
		for _, p := range declaredPapers() {
			if name == p.Notebook || name == path.Base(p.Package()) {
				list, found = append(list, p), true
			}
		}
		if !found {
			return wrong(flags, "unknown paper %q: give the name of a notebook or of a package; a new package needs make generate build first", name)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	status := 0
	for _, p := range list {
		u, err := protocol.Write(ctx, root, p.Notebook, path.Base(p.Package()))
		if err != nil {
			status = fail(err)
			continue
		}
		fmt.Print(protocolNews(u))
		if len(u.Lacks) > 0 {
			status = 1
		}
	}
	return status
}

// protocolNews describes in words what an update has changed in a protocol, and what the protocol still lacks.
func protocolNews(u *protocol.Update) string {
	var b strings.Builder
	state := "is up to date"
	if u.Changed {
		state = "was written"
	}
	fmt.Fprintf(&b, "%s: %s %s", u.Paper, u.File, state)
	for _, l := range []struct {
		what string
		ids  []string
	}{{"added", u.Added}, {"changed after a measurement", u.Moved}, {"withdrawn", u.Withdrawn},
		{"removed, since nobody had filled them in and the last run did not measure them", u.Removed},
		{"a number that code computes is * in the rule, for the basis to say which", u.Computed}} {
		if n := len(l.ids); n > 12 {
			fmt.Fprintf(&b, "\n  %s: %s and %d more", l.what, strings.Join(l.ids[:12], ", "), n-12)
		} else if n > 0 {
			fmt.Fprintf(&b, "\n  %s: %s", l.what, strings.Join(l.ids, ", "))
		}
	}
	b.WriteString("\n")
	if len(u.Lacks) > 0 {
		fmt.Fprintf(&b, "  lacking (%d):\n", len(u.Lacks))
	}
	for _, s := range u.Lacks {
		fmt.Fprintf(&b, "    %s\n", s)
	}
	return b.String()
}

// cloneRoot returns the root of the clone of the project in which the command runs.
func cloneRoot() (string, error) {
	root, ok, err := record.Project(".")
	if err == nil && !ok {
		err = errors.New("this folder is not in the project: run the command in a clone of the project")
	}
	return root, err
}
