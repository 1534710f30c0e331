// Package reviews reads the movie reviews collected by B. Pang and L. Lee (scale dataset v1.0; "Seeing stars", ACL
// 2005): 5,006 reviews by four authors, with their ratings.
//
//	r, err := reviews.Load()
//	for _, x := range r.By("Steve+Rhodes").Reviews {
//		fmt.Println(x.Rating, len(x.Tokens()))
//	}
//
// The archive has a folder for each author, with five files that correspond line by line: id.AUTHOR, subj.AUTHOR (the
// sentences that were classified as subjective, split into tokens and without explicit ratings), rating.AUTHOR (0 to
// 1), label.3class.AUTHOR and label.4class.AUTHOR. [Read] checks that all five have the same number of lines and that
// the labels follow from the ratings:
//
//	three classes: 0 up to 0.4, 1 between, 2 from 0.7
//	four classes:  0 below 0.4, 1 below 0.6, 2 below 0.8, 3 from 0.8
//
// The rule for three classes is from the set's README. The README's rule for four classes leaves gaps (0.3 to 0.4, for
// instance); the rule above agrees with the README's rule wherever that applies, and with every label in the set.
//
// # Traps
//
// The classes are not balanced, and authors differ in how they rate: the paper trains and tests on each author
// separately. Texts are the subjective sentences of reviews, not whole reviews. The authors hold the copyright.
package reviews
