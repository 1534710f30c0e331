// Package labtest helps to test the papers' laboratories. It opens a lab of the smallest size in a
// temporary folder (Smoke), checks the rows that experiments add (Rows, Verdicts, Want), and tests
// that every experiment ends when it is interrupted and can be run again (Stops). Tests should
// demand only the verdicts that must hold at any size.
package labtest
