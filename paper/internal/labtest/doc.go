// Package labtest helps to test the papers' laboratories. It has a lab of the smallest
// size in a folder of its own (Smoke), checks of the rows that experiments add, for
// verdicts that science demands at any size (Rows, Verdicts, Want), and a test that every
// experiment ends when it is interrupted and can be run again (Stops).
package labtest
