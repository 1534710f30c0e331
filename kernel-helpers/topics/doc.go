// Package topics explains documents by topics, which are distributions over words. It implements two models: latent
// Dirichlet allocation (D. Blei, A. Ng, M. Jordan, JMLR 2003), and its supervised form, in which a document's topics
// predict a response such as a rating (D. Blei, J. McAuliffe, Supervised topic models, NIPS 2007). Both are fitted by
// collapsed Gibbs sampling. Latent Dirichlet allocation can also be fitted by variational Bayes, with all documents at
// once or online.
//
//	m, err := topics.Fit(ctx, counts, &topics.Options{Topics: 32})
//	m.Proportions                            // N×K, the share of each topic in each document
//	z, err := m.Transform(ctx, other, nil)       // the same for new documents
//	p, err := m.Perplexity(ctx, half, rest, nil) // how well half of each document predicts the rest
//
//	v, err := topics.FitVariational(ctx, counts, &topics.VariationalOptions{Topics: 32})
//	v.Bound                                      // log P(words) is at least this
//
//	s, err := topics.FitSupervised(ctx, counts, ratings, &topics.Options{Topics: 32})
//	y, err := s.Predict(ctx, other, nil)     // the ratings of new documents
//
// # Documents are ROWS
//
// counts is N×V: the number of times each of V words occurs in each of N documents, as returned by
// wordcount.Vocabulary.Count, or a csr.Matrix (only its nonzeros are read). The order of words in a document does not
// matter.
//
// Fit and FitSupervised expand counts: a word and its topic take 8 bytes for each time that the word occurs. Numbers
// larger than counts of words, such as sums of money, may need too much memory; the error that Fit then returns says
// how much.
//
// # The model
//
//	φ_k ~ Dirichlet(β)         topic k, a distribution over V words
//	θ_d ~ Dirichlet(α)         the proportions of K topics in document d
//	z ~ θ_d, w ~ φ_z           for each word of the document
//	y_d ~ N(η'z̄_d + b, σ²)     the response; z̄_d has the share of each topic in the document
//
// θ and φ are integrated out (T. Griffiths, M. Steyvers, PNAS 2004), so each word's topic is drawn given the topics of
// all others. Let topic k have n_dk words of document d, n_kw uses of the word w, and n_k words in total, each counted
// without the word whose topic is drawn. Then
//
//	P(z = k | rest) ∝ (n_dk + α) (n_kw + β)/(n_k + Vβ)                       Fit
//	                  · exp(−(y_d − b − η'z̄_d(k))²/2σ²)                      FitSupervised
//
// where z̄_d(k) is z̄_d if the word has topic k. After each pass FitSupervised solves for η and b by ridge regression
// of the responses on z̄, and sets σ² to the mean squared residual: stochastic EM. Blei and McAuliffe approximate both
// steps by variational inference; the model is the same.
//
// # Variational Bayes
//
// FitVariational does not draw topics, but maximizes a lower bound on log P(words) over distributions q in which φ, θ
// and z are independent: φ_k ~ Dirichlet(λ_k), θ_d ~ Dirichlet(γ_d), and
//
//	q(z = k) ∝ exp(E[log θ_dk] + E[log φ_kw])
//	γ_dk = α + Σ_w n_dw q(z_dw = k)      λ_kw = β + Σ_d n_dw q(z_dw = k)
//
// Online, each update moves λ part of the way toward the value that it would have if all documents were like those of
// one batch; this part falls with each update. Counts need not be integers, so documents can be weighted. Larger counts
// do not need more memory.
//
// # Files, in reading order
//
//	topics.go       Options, Model, Fit, Transform, Perplexity
//	supervised.go   SupervisedModel, FitSupervised, Predict
//	chain.go        the counts, and the draw of a word's topic
//	variational.go  Variational, FitVariational
//
// # Invariants
//
// No input is modified. The same seed gives the same bits. A chain runs in one goroutine; several may run
// concurrently. FitVariational uses all processors; its results do not depend on their number. The tests compare the
// samples with an enumeration of all assignments of small corpora.
//
// # Traps
//
//   - Proportions are the shares z̄ of the topics in a document's words, the usual output of this sampler;
//     responses are regressed on z̄. Shares can be exactly 0. With Options.Smoothed, Proportions are
//     estimates of θ, which α keeps above 0, as in scikit-learn.
//   - Topics have no order: topic k of two seeds, or of two samples far apart, is not the
//     same topic. Averaging over passes of one chain is common practice, because a
//     chain stays near one labeling.
//   - Use the bound and its perplexity to compare models that FitVariational has fitted to the same documents. They
//     say little about the quality of predictions. To compare a model of FitVariational with a model of Fit, use the
//     methods named Perplexity.
//   - FitVariational ends at one of many local maxima: compare the bounds of several seeds. At first all
//     topics are nearly equal and the bound may rise slowly. An online fit with few or small batches ends with a worse
//     bound.
//   - History of Fit rises noisily and levels off; that does not prove that the chain has mixed.
//   - The K shares sum to 1, so adding a constant to all of η and subtracting it from b changes no
//     prediction. The ridge penalty determines this constant.
//   - Predict gets the proportions of new documents from Transform, without a response. So these
//     proportions are less sharp than those of training documents, to which the response contributed.
package topics
