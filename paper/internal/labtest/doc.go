// Package labtest is for the tests of the papers' laboratories: a lab of the smallest
// size in a folder of its own (Smoke), checks of the rows that its experiments
// made, whose verdicts science demands at any size (Rows, Verdicts, Want), and a test that
// every experiment ends when it is interrupted and can be run again (Stops).
package labtest
