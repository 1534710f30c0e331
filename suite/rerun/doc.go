// Package rerun finds the outputs of a notebook that another run would change.
//
// Compare takes the saved notebook and the notebook of a fresh run. Outputs are equal if they look the same
// to a reader. Compare ignores
//
//   - execution counts, and how printed text is divided into pieces;
//   - times: durations (1.5 s, 3m20s), times of day, dates; memory addresses;
//   - the ids of controls, their data for live use, and the results that Interact keeps for other positions of its controls;
//   - the outputs of cells that measure (%time, %timeit, %%prof, %%cache, %%test with -bench), and of cells
//     with the tag nbval-ignore-output, which other tools heed too.
//
// Numbers with a fraction or an exponent may differ by Tolerance, relative to the larger one; whole numbers must be
// equal. Pictures are compared by their pixels, as package picture does. A different order of lines, which goroutines
// or maps may cause, does not count as a change, but is reported.
package rerun
