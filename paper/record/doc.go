// Package record keeps the results of a paper's experiments next to the values that the paper published, and
// records for each value whether it was reproduced.
//
// # Rows
//
// A [Row] is one claim or one cell of a published table: the published value (with its place in the source),
// the measured value, the [Rule] that compares them, and the resulting [Verdict]. The verdict is computed from
// the rule when the row is added, and checked again when a file is read. The rules [ByHand] and [NoData] give a
// verdict without comparing values, and both require a reason.
//
// # The protocol
//
// The rules are declared before the measurement, in protocol.json of the paper's package (a [Protocol]). When a run
// starts, it reads protocol.json. Add refuses a row with another rule, and Promote refuses rows that are not declared.
// For each row, the protocol also says whose statement the row examines (its [Kind]), toward which claim the row
// counts, what NOT REPRODUCED means (its [Finding]), and what was changed after a measurement. Protocol.Tally counts
// rows according to the protocol. paper/PROTOCOL.md explains protocols to readers.
//
// # Two places
//
// A run writes to figures/run/PAPER, which is not under version control. The folder figures/PAPER, which is
// committed, holds the RECORD: the best results so far, at lecture size or larger, on real data where the
// paper's data is real. A run is compared with the record ([Compare]) and replaces the record only on request
// ([Promote]). Unless forced, results of a smaller size never replace those of a larger size, nor do results
// on generated data replace results on real data. A newcomer's first run therefore cannot damage a better
// result.
//
//	run, err := record.Start("lewicki-sejnowski", record.Lecture, 1)
//	...
//	err = run.Add(record.Row{
//		ID:        "e4-recovery",
//		What:      "columns found from random starts, 2 mixtures of 3 sparse sources",
//		Published: record.Text("the bases are recovered", "section 4"),
//		Measured:  record.Number(98, "% of seeds"),
//		Rule:      record.AtLeast(95),
//		Data:      record.Generated("Bernoulli-Laplacian mixtures"),
//	})
//	fmt.Println(run.Table())
//	err = run.Finish()
//
// # The file
//
// results.json lists the rows in the order in which they were first added. Two identical runs write the same
// bytes, except for two fields, which every comparison ignores. These are "made" (when and on what machine the rows
// were measured, and by which commit) and the "origin" of a row (the code that produced it).
//
// Infinite numbers, which are valid measurements of a diverging method, are written as the strings "+Inf" and
// "-Inf". NaN is not a measurement and is refused.
//
// # Keeping results
//
// [Listen] reports every row, figure, file and sheet that is added to a run, and
// [Replay] adds them again to a later run. Package suite keeps the results of
// experiments in this way, so that nothing is measured again unnecessarily.
//
// # Traps
//
// A row's Tolerance (in its rule) says how far the measured value may be from the published value. Row.Repeat
// says how far it may be from the recorded value when the same experiment is run again. These are different
// questions, and Repeat is usually much smaller than the tolerance.
package record
