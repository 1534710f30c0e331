package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/inside"
	"overcomplete/internal/terminal"
	"overcomplete/paper/record"
	"overcomplete/suite/report"
)

const reportUsage = `usage: overcomplete report [--brief] [--check] [--site DIR | --no-site]
       overcomplete report --readme

Prints the published values beside the measured ones, and the scoreboard. Also writes
them as a site to read in a browser, where each number links to its code.

`

// runReport prints the results of the last run, their differences from the record (the best results so far), and the
// scoreboard of all papers. It also writes the site. It returns 1 if a results file cannot be read, if the site cannot
// be written or, with --check, if the run differs from the record.
func runReport(args []string) int {
	flags := newFlags("report", reportUsage)
	brief := flags.Bool("brief", false, "print only the scoreboard")
	check := flags.Bool("check", false, "exit 1 if a run differs from the record at the same size, seed and data")
	site := flags.String("site", "", "write the site to this `folder`, replacing what is there; default: figures/run/site")
	noSite := flags.Bool("no-site", false, "do not write the site")
	readme := flags.Bool("readme", false, "write the record's scoreboard into README.md and paper/README.md, and do nothing else")
	if code, ok := parse(flags, args); !ok {
		return code
	}
	if *noSite && *site != "" {
		return wrong(flags, "use either --site or --no-site, not both")
	}
	root, err := record.Root()
	if err != nil {
		return fail(err)
	}
	if *readme {
		changed, err := report.UpdateReadme(root)
		if err != nil {
			return fail(err)
		}
		if changed {
			fmt.Println("README.md and paper/README.md now have the record's scoreboard")
		} else {
			fmt.Println("README.md and paper/README.md already have the record's scoreboard")
		}
		return 0
	}
	board := record.ScoreboardIn(root)
	if len(board.Scores) == 0 {
		fmt.Println("No results yet: run a notebook first (make, or overcomplete run notebooks/NAME.ipynb).")
		return 0
	}
	status := 0
	for _, s := range board.Scores {
		if s.Err != "" {
			fmt.Fprintf(os.Stderr, "overcomplete: %s (%s): %s\n", s.Paper, s.Which, s.Err)
			status = 1
		}
	}
	for _, paper := range papers(board) {
		differs, err := reportPaper(root, paper, *brief)
		if err != nil {
			status = fail(err)
		}
		if differs && *check {
			status = 1
		}
	}
	fmt.Println(board)
	if !*noSite {
		if err := writeSite(root, *site); err != nil {
			status = fail(err)
		}
	}
	return status
}

// siteFolder returns the default folder for the site, which is inside the folder with the results of runs.
func siteFolder(root string) string { return filepath.Join(root, "figures", "run", "site") }

// writeSite writes the site to the given folder, or to siteFolder if folder is "", and prints where to begin reading.
// It also prints which files could not be read, except results files, which the caller has already reported.
func writeSite(root, folder string) error {
	if folder == "" {
		folder = siteFolder(root)
		if err := inside.Check(root, folder); err != nil {
			return err
		}
	}
	s, err := report.Write(root, folder, report.Options{})
	if err != nil {
		return err
	}
	for _, p := range s.Problems {
		if !strings.Contains(p, record.FileName) {
			fmt.Fprintln(os.Stderr, "overcomplete:", p)
		}
	}
	fmt.Printf("Read all of this in a browser, with figures, notebooks and code: %s\n", shortPath(s.Index))
	return nil
}

// reportPaper prints one paper's last run, or its record if there is no run, and reports whether the run differs
// unexpectedly from the record. If brief is set, it leaves out the results and the expected differences.
func reportPaper(root, paper string, brief bool) (differs bool, err error) {
	recorded, err := readResults(filepath.Join(root, "figures", paper, record.FileName))
	if err != nil {
		return false, err
	}
	run, err := readResults(filepath.Join(root, "figures", "run", paper, record.FileName))
	if err != nil {
		return false, err
	}
	shown, title := run, "this run"
	if run == nil {
		shown, title = recorded, "record"
	}
	if shown == nil {
		return false, nil
	}
	if !brief {
		t := record.Tabulate(shown.Rows)
		t.Title = fmt.Sprintf("%s (%s, %s size)", paper, title, shown.Size)
		if terminal.Is(os.Stdout) && os.Getenv("NO_COLOR") == "" {
			fmt.Println(t.ANSI())
		} else {
			fmt.Println(t)
		}
	}
	if run == nil || recorded == nil {
		if recorded == nil {
			fmt.Printf("%s: there is no record to compare with\n\n", paper)
		}
		return false, nil
	}
	var missing, unexpected, added []string
	for _, d := range record.Compare(run, recorded) {
		// A smaller size has fewer rows.
		if d.Field == "row" {
			old, was := recorded.Row(d.ID)
			switch {
			case !was:
				added = append(added, d.ID)
			case !old.Data.Generated && old.Verdict != record.Unknown:
				missing = append(missing, d.ID)
			case run.Size == recorded.Size:
				unexpected = append(unexpected, d.ID)
			}
			continue
		}
		differs = differs || !d.Expected
		if !brief || !d.Expected {
			fmt.Println("differs from the record:", d)
		}
	}
	say := func(what string, ids []string) {
		if len(ids) > 0 {
			fmt.Printf("%s: %d %s (%s)\n\n", paper, len(ids), what, strings.Join(ids, ", "))
		}
	}
	if !brief {
		say("rows of the record use real data that is not on this machine; docs/data.md says how to get it", missing)
		say("rows are not in the record", added)
	}
	say("rows of the record are not in this run", unexpected)
	return differs || len(unexpected) > 0, nil
}

// readResults reads a results file. It returns nil if there is no file.
func readResults(path string) (*record.Results, error) {
	r, err := record.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

// papers lists the papers of a scoreboard, in the order of the scoreboard, without repetitions.
func papers(b record.Board) []string {
	var list []string
	for _, s := range b.Scores {
		if len(list) == 0 || list[len(list)-1] != s.Paper {
			list = append(list, s.Paper)
		}
	}
	return list
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "overcomplete:", err)
	return 1
}
