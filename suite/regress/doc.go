// Package regress reports whether a run still gives the results of an earlier run that a person has examined. Numbers
// must agree within each row's Repeat. Verdicts, rules and published values must agree exactly. Figures must agree in
// structure and appearance (package picture).
//
// The expected results are in the folder expected, in SIZE/PAPER.json: the rows of a run on generated data only, which
// every machine has, and the signatures of its figures. Run 'overcomplete check --update' to write them after you have
// examined the run.
//
// [Compare] compares a run with the expected results. [Same] requires two runs on the same machine to give the same
// bytes. [Drift] finds notebooks whose outputs come from older code.
//
// Times measured on the machine differ from run to run. So a row that shows such times only has to exist in both runs.
// For [Same], a figure that shows such times only has to exist in both runs, too; [Compare] ignores such a figure. For
// [Compare], a figure whose appearance depends on rounding ([record.Run.Rounded]) need only be of the same kind.
package regress
