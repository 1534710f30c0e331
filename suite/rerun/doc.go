// Package rerun says which of a notebook's outputs another run would change.
//
// Compare takes the notebook as it was saved and as a fresh run has left it. Outputs are the same if they
// look the same to a reader. Not compared are
//
//   - execution counts, and pieces in which text was printed;
//   - times: durations (1.5 s, 3m20s), times of day, dates; addresses of memory;
//   - the ids of controls, what they need to be live, and what Interact keeps for other positions of its controls;
//   - the outputs of cells that measure (%time, %timeit, %%prof, %%test with -bench), and of cells
//     with the tag nbval-ignore-output, which other tools heed too.
//
// Numbers with a fraction or an exponent may differ by a Tolerance, relative to the larger one; whole numbers may not.
// Pictures are compared by their pixels, as package picture does. Lines that come in another order, as those of
// goroutines or of a map do, are no change, but are told.
package rerun
