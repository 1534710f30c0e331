// Package audit checks the records by another route than the one that made them. It reads the files of git, as they
// stand in the working tree or in any commit, and recomputes everything that the scoreboard rests on: the verdict of
// each row, the counts of claims, and the history that each row must have.
//
// It shares no code with package record, which judges rows, nor with package protocol, which writes histories. It has its own
// types for the files, compares with exact fractions (math/big) where record compares floats, reads the rule back from
// its words in the protocol, and follows each row through all commits of the record, of the protocol and of the
// expected results. A mistake in one of the two programs is therefore a finding of this one.
//
// It also looks for what no count can show: a rule whose numbers are in another unit than its basis says, a tolerance
// that is smaller than the uncertainty which its basis states, and a row whose rule was exchanged while it had no data.
//
// In reading order: tree.go (files of the working tree or of a commit), files.go (what is read of them), verdict.go
// (judging), count.go (counting, and the texts that print counts), history.go (what git says), basis.go (rules and
// their bases).
package audit
