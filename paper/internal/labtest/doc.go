// Package labtest is for the tests of the papers' laboratories: a lab of the smallest
// size in a folder of its own (Smoke), and checks of the rows that its experiments
// made, whose verdicts science demands at any size (Rows, Verdicts, Want).
package labtest
