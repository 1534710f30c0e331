// Package audit checks the records independently of the programs that made them. It reads the files in the working
// tree, or in any commit of git, and recomputes everything on which the scoreboard is based: the verdict of each row,
// the counts of claims, and the history that each row must have.
//
// It shares no code with package record, which judges rows, nor with package protocol, which writes histories. It has
// its own types for the files, and compares exact fractions (math/big) where record compares floats. It reads each rule
// from its wording in the protocol, and follows each row through all commits of the record, of the protocol and of the
// expected results. So a mistake in record or in protocol becomes a finding of the audit.
//
// It also looks for errors that no count can show: a rule whose numbers are in another unit than its basis says, a
// tolerance that is smaller than the uncertainty that its basis states, and a row whose rule was exchanged while it
// had no data.
//
// In reading order: tree.go (files of the working tree or of a commit), files.go (what the audit reads from them),
// verdict.go (judging), count.go (counting, and comparing the scoreboard with the counts), history.go (what git says),
// audit.go (the whole audit; rules and their bases).
package audit
