// Package crossval divides points into folds, and chooses the options of any fit by cross-validation.
//
//	folds := crossval.Stratified(y, 5, 1)
//	grid := crossval.Grid(classify.RBFSVMOptions{},
//		crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.C = v }, 1, 10, 100),
//		crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.Gamma = v }, 0.01, 0.1))
//	found, err := crossval.Search(ctx, folds, grid, fit, score, nil)
//	fmt.Println(found.Options.C, found.Mean[found.Best])
//
// A fit gets the indices of the points to train on, and returns a model of any type. A score gets a model and the
// indices of the points to test it on, and returns a number that is larger for better models. This package never sees
// the points themselves, so they may be anything: matrices, documents, files.
//
// # Files, in reading order
//
//	folds.go   folds: of equal size, stratified, by groups
//	search.go  the product of the values of several options; scores of each fold, and the choice; the same for
//	           options and models of any type
//
// # Invariants
//
// Each point is in exactly one fold. The same seed gives the same folds. The results do not depend on the number of
// workers, unless the results of the fits do.
//
// # Traps
//
//   - The score of the chosen options is the largest of several, and so a little too good. An unbiased estimate needs points
//     that took no part in the choice: call Search within the fit of an outer Search.
//   - Whatever is learned from points belongs in the fit: means and deviations, selected features, a basis. If it is
//     learned from all points, the model has already seen the test points.
//   - Points that belong together (from one person or one day) belong in one fold: use Grouped.
//   - A fit that already uses all processors is not faster with several Workers, and takes more memory.
package crossval
