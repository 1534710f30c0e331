package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/testfile"
	"overcomplete/paper/record"
)

// results writes results with one row to a folder of a project.
func results(t *testing.T, root, folder string, measured float64) {
	t.Helper()
	row := record.Row{ID: "one", What: "the one claim", Published: record.Published(1, "", "table 1"), Measured: record.Number(measured, ""),
		Rule: record.Within(0.5), Size: record.Lecture, Data: record.Generated("points"), Seeds: []uint64{1}}
	row.Verdict, _ = row.Rule.Judge(row.Published, row.Measured)
	res := record.Results{Schema: record.Schema, Paper: filepath.Base(folder), Size: record.Lecture, Seed: 1, Rows: []record.Row{row}, Made: []record.Making{{}}}
	b, err := res.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(root, folder, record.FileName), b)
}

func TestReport(t *testing.T) {
	const index = "figures/run/site/index.html"
	for _, c := range []struct {
		name, args string
		prepare    func(root string)
		code       int
		out, errs  string // regular expressions
		site       string // first page of the site, "" if no site is written
	}{
		{"nothing", "report", nil, 0, `^No results yet`, `^$`, ""},
		{"record", "report", func(root string) { results(t, root, "figures/alpha", 1.25) }, 0, `(?s)the one claim.*Reproduced.*\n.*browser.*: figures.run.site.index.html\n$`, `^$`, index},
		{"brief", "report --brief", func(root string) { results(t, root, "figures/alpha", 1.25) }, 0, `^Paper (?s).*index.html\n$`, `^$`, index},
		{"no site", "report -brief --no-site", func(root string) { results(t, root, "figures/alpha", 1.25) }, 0, `^Paper (?s).*lecture.*\n\n$`, `^$`, ""},
		{"elsewhere", "report --brief --site pages/all", func(root string) { results(t, root, "figures/alpha", 1.25) }, 0, `: pages.all.index.html\n$`, `^$`, "pages/all/index.html"},
		{"not a site", "report --site figures/alpha", func(root string) { results(t, root, "figures/alpha", 1.25) }, 1, `the one claim`, `is not replaced: choose`, ""},
		{"both", "report --site x --no-site", nil, 2, `^$`, `use either --site or --no-site`, ""},
		{"argument", "report x", nil, 2, `^$`, `unexpected argument "x"`, ""},
		{"unreadable", "report --brief", func(root string) {
			results(t, root, "figures/alpha", 1.25)
			testfile.Write(t, filepath.Join(root, "figures", "beta", record.FileName), "{")
			testfile.Write(t, filepath.Join(root, "notebooks", "alpha.ipynb"), "{")
		}, 1, `index.html\n$`, `(?s)beta.*alpha.ipynb: notebook: not JSON`, index},
		{"as recorded", "report --check", func(root string) {
			results(t, root, "figures/alpha", 1.25)
			results(t, root, "figures/run/alpha", 1.25)
		}, 0, `this run`, `^$`, index},
		{"differs", "report --check", func(root string) {
			results(t, root, "figures/alpha", 1.25)
			results(t, root, "figures/run/alpha", 1.3)
		}, 1, `(?s)differs from the record: one: measured was 1.25, is 1.3.*index.html\n$`, `^$`, index},
		{"readme", "report --readme", func(root string) {
			results(t, root, "figures/alpha", 1.25)
			for _, name := range []string{"README.md", "paper/README.md"} {
				testfile.Write(t, filepath.Join(root, name), "<!-- scoreboard: written by 'overcomplete report --readme' -->\n<!-- end of the scoreboard -->\n")
			}
		}, 0, `^README.md and paper/README.md now have the record's scoreboard\n$`, `^$`, ""},
		{"no readme", "report --readme", nil, 1, `^$`, `README.md`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			testfile.Write(t, filepath.Join(root, "go.mod"), "module "+module.Path+"\n")
			if c.prepare != nil {
				c.prepare(root)
			}
			code, out, errs := output(t, root, strings.Fields(c.args)...)
			if code != c.code || !regexp.MustCompile(c.out).MatchString(out) || !regexp.MustCompile(c.errs).MatchString(errs) {
				t.Errorf("status %d, not %d\n%s\n%s\nwant %s and %s", code, c.code, out, errs, c.out, c.errs)
			}
			for _, place := range []string{index, "pages/all/index.html"} {
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(place))); (err == nil) != (place == c.site) {
					t.Errorf("%s: %v", place, err)
				}
			}
			// The site is in the folder with the results, but is not listed as a result.
			if _, again, _ := output(t, root, "report", "--brief", "--no-site"); strings.Contains(again, "site") {
				t.Errorf("the site is taken for a paper:\n%s", again)
			}
		})
	}
}
