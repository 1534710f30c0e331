// Package report writes the results of the papers' experiments as a static site: a folder of pages that need nothing
// but a browser.
//
// # The site
//
//	index.html                   the scoreboard
//	claims.html                  all claims in one table
//	PAPER.html                   a paper: its tables, claims and figures
//	notebook/PAPER.html          its notebook as it was recorded
//	notebook/run/PAPER.html      the notebook of the last run
//	code/paper/x/y.go.html       the source, with an anchor L1, L2, … at each line
//	files/record/PAPER, files/run/PAPER
//	                             figures, data and results.json
//	claims.csv                   all claims
//
// Every number is one click away from the line of code that computed it, even in the table of all claims. The site
// loads nothing from the network, and all of it can be read without scripts: scripts only filter the claims and
// remember the choice between light and dark.
//
// # Reading order
//
// report.go has Write. project.go reads the results, source.go finds functions in the source files, experiments.go
// sorts claims by the notebook's cells, claim.go formats claims for pages. indexpage.go, paperpage.go, notebookpage.go
// and codepage.go make the pages with the templates in the folder suite/report/page. table.go writes claims.csv,
// readme.go the scoreboard for the READMEs. folder.go replaces the old site with the new one in one step. kept.go
// reuses the pages of notebooks with unchanged inputs.
//
// # Invariants
//
// The same files give the same bytes: nothing on a page depends on when, or on which machine, it is written. Every
// link within the site leads somewhere. A file that cannot be read is listed under "What could not be read"; the other
// results are still shown.
//
// # Record and run
//
// Pages show the record (figures/PAPER). If there is a last run (figures/run/PAPER) as well, its values are shown next
// to the record's, and record.Compare finds the differences. Without a record, pages show the run.
//
// # Traps
//
// Origins in results are line numbers in the source at the time of the measurement, but the pages show the present
// source. So a link uses the line number only if that line is still in the same function. Otherwise the link leads to
// the function, even if it is now in another file of the package.
//
// Notebook pages contain the HTML of the notebook's outputs, including scripts: they are as trustworthy as the
// notebook.
package report
