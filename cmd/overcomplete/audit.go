package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"overcomplete/suite/audit"
)

const auditUsage = `usage: overcomplete audit [-at COMMIT]

Recomputes what the scoreboard says, from git and the committed results alone, by a program
that shares no code with the one that judges rows: each verdict from its rule and numbers,
the counts of claims, and the history that each row must have because its rule, verdict,
kind or description changed in some commit. It prints what does not agree, and exits with 1
if there is anything. -at audits the project as of an earlier commit.
`

// runAudit checks the scoreboard: it judges every result again, with code that is independent of the code that first
// judged it. It is the subcommand "audit".
func runAudit(args []string) int {
	flags := flag.NewFlagSet("overcomplete audit", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), auditUsage) }
	at := flags.String("at", "", "")
	if code, ok := parseFlags(flags, args); !ok {
		return code
	}
	root, err := cloneRoot()
	if err != nil {
		return fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := audit.Run(ctx, root, *at)
	if err != nil {
		return fail(err)
	}
	for _, f := range r.Findings {
		fmt.Println(f)
	}
	c := r.All
	fmt.Printf("%d rows of %d papers judged again, %d versions of records, protocols and expected results read; claims: %d reproduced, %d in part, %d false, %d not reached, %d differ, %d without data; published numbers on real data: %d reproduced, %d in part, %d not, %d without data; findings: %d\n",
		r.Rows, len(r.Papers), r.Commits, c.Reproduced, c.Partial, c.False, c.Unreached, c.Differs, c.NoData, c.Numbers[0], c.Numbers[1], c.Numbers[2], c.Numbers[3], len(r.Findings))
	if len(r.Findings) > 0 {
		return 1
	}
	return 0
}
