// Package bradley2008 repeats the experiments of D. M. Bradley and J. A.
// Bagnell, Differentiable Sparse Coding, NIPS 21 (2008), and shows the
// published values next to the measured ones. There is a row for every cell of
// the paper's seven tables, and for the claims of its three figures.
//
//	lab, err := bradley2008.New("full", 1)
//	lab.Table2()
//
// # Files
//
// The code of each table or figure is in a type of the same name: table2, in table2.go, has the code of
// Table2.
//
//	lab.go            the laboratory and its progress; keys.go the keys of stages
//	experiments.go    the names of the experiments, and their methods
//	published.go      the paper's numbers (those of tables 3, 4 and 6 are next to their code)
//	digits.go         MNIST as the paper splits it, PCA to 180 dimensions
//	coding.go         B, learned by L1 sparse coding; L1 and KL codes, and those of all digits
//	settings.go       the settings chosen on the validation digits, and the search
//	specialise.go     back-propagation into B
//	table1.go         stability
//	training.go       classifiers trained on subsets of the digits, for tables 2 to 4
//	table2.go         error against the number of training digits; penalty.go its background,
//	                  edges.go whether its choices lie at the edges of what was tried
//	table3.go, table4.go    classifiers, among them a deep network; grid.go the search for their settings
//	table5.go         letters; letters.go the data, lettersearch.go the settings
//	table6.go         reviews; reviews.go the data, words.go learning and training, topics.go LDA and sLDA
//	table7.go         music; music.go the data
//	figure1.go, figure2.go, figure3.go, jumps.go
//	inference.go, gradient.go, pictures.go     other parts of the notebook
//	statements.go     statements of the paper outside its tables and figures
//	exercises.go      the notebook's exercises
//
// # Sizes
//
// At smoke size the digits are generated, and everything takes seconds. Lecture size takes a few minutes on the real
// MNIST, if that is available, with the bases and settings of the full size, which are kept in the folder trained.
// Full size is the published protocol. It takes hours, in stages that are kept in the user's cache
// (overcomplete/stages) as soon as they are done, so that a run that was stopped can continue. To begin anew, remove
// that folder; to learn all bases again, remove trained too.
//
// # What the paper leaves open
//
// The size of B, the λ with which B is learned, λ and p for the codes, and the classifiers' penalties are chosen on the
// 10,000 validation digits. KL codes are codes on the doubled basis [−B B], as in section 4 and appendix A, and the
// classifiers see all 2n coefficients. The doubled basis is a large part of KL's advantage, since L1 codes on the
// doubled basis are much better too (the rows table2-own-...).
package bradley2008
