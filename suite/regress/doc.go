// Package regress reports whether a run still gives the results of an earlier run that
// somebody has examined. Numbers must agree within each row's own Repeat, verdicts,
// rules and published values exactly, and figures in their structure and in how they are
// rendered (package picture).
//
// The expected results are in the folder expected, in SIZE/PAPER.json: the rows of a run on
// generated data alone, which every machine has, and the signatures of its figures.
// 'overcomplete check --update' writes them, after somebody has examined the run.
//
// [Compare] makes that comparison; [Same] demands the same bytes from two runs on the same
// machine; [Drift] finds notebooks whose outputs were made by other code. Rows and figures
// that show times on the machine only have to exist, and figures whose look rounding decides
// ([record.Run.Rounded]) only have to be of the same kind.
package regress
