// Package trial runs your own experiment for each of several settings with each of several seeds, in parallel on all
// processors, and compares the settings.
//
//	type setting struct{ Method string; Alpha float64 }
//	t, err := trial.Run(ctx, []setting{{"lasso", 0.1}, {"ridge", 1}}, trial.Seeds(5),
//		func(ctx context.Context, s setting, seed uint64) (map[string]float64, error) {
//			... // the same seed draws the same data for each setting, so the comparison is paired
//			return map[string]float64{"R²": r2, "seconds": took}, nil
//		}, &trial.Options{Recorder: progress.Bar("trials"), Cache: "trials.jsonl", Code: "v2"})
//	t.Higher("R²").Lower("seconds")
//	t            // a cell shows the table; t.Tabular() is the same in LaTeX
//
// Files: trial.go runs the trials, cache.go keeps results in a file, table.go has means, standard deviations, the
// paired test and the tables.
//
// # Pitfalls
//
// The p-value is that of Student's paired test of one setting against the best one. The best of many settings is best
// partly by chance, so with many settings a small p-value says less than it seems to; test the chosen setting with new
// seeds. With few seeds the test finds only large differences.
//
// Trials in the file Options.Cache are looked up by setting, seed and Options.Code. The package does not notice that
// your function has changed, so change Options.Code whenever you change the function.
package trial
