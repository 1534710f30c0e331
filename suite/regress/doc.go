// Package regress tells whether a run still gives what one gave that somebody has looked
// at: the numbers within each row's own Repeat, verdicts, rules and published values
// exactly, figures by structure and by rendered difference (package picture).
//
// What is expected stands in the folder expected, SIZE/PAPER.json: the results of a run
// on generated data alone, which every machine has, and the signatures of its figures. It is
// written by 'overcomplete check --update', after looking.
//
// [Compare] is that comparison; [Same] asks for the same bytes, of two runs on the same
// machine; [Drift] finds notebooks whose code is not that which gave their outputs. Rows and
// figures that show times on the machine are asked to be there, and no more.
package regress
