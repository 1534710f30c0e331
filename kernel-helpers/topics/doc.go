// Package topics explains documents by topics, distributions over words: latent
// Dirichlet allocation (D. Blei, A. Ng, M. Jordan, JMLR 2003), and its supervised form,
// in which a document's topics predict a response such as a rating (D. Blei, J.
// McAuliffe, Supervised topic models, NIPS 2007), both by collapsed Gibbs sampling.
//
//	m, err := topics.Fit(ctx, counts, &topics.Options{Topics: 32})
//	m.Proportions                            // N×K, what share of each document a topic has
//	z, err := m.Infer(ctx, other, nil)       // those of new documents
//
//	s, err := topics.FitSupervised(ctx, counts, ratings, &topics.Options{Topics: 32})
//	y, err := s.Predict(ctx, other, nil)     // the ratings of new documents
//
// # Documents are ROWS
//
// counts is N×V: how often each of V words is in each of N documents, as
// wordcount.Vocabulary.Count gives them. Their order in a document means nothing.
//
// # The model
//
//	φ_k ~ Dirichlet(β)         topic k, a distribution over V words
//	θ_d ~ Dirichlet(α)         the proportions of K topics in document d
//	z ~ θ_d, w ~ φ_z           for each word of the document
//	y_d ~ N(η'z̄_d + b, σ²)     the response; z̄_d has the share of each topic in the document
//
// θ and φ are integrated out (T. Griffiths, M. Steyvers, PNAS 2004), so that each word's
// topic is drawn given those of all others. Without that word, n_dk words of document d
// and n_kw uses of the word w have topic k, which has n_k words in all:
//
//	P(z = k | rest) ∝ (n_dk + α) (n_kw + β)/(n_k + Vβ)                       Fit
//	                  · exp(−(y_d − b − η'z̄_d(k))²/2σ²)                      FitSupervised
//
// where z̄_d(k) is z̄_d if the word has topic k. After each pass FitSupervised solves for
// η and b by ridge regression of the responses on z̄, and takes the mean squared residual
// for σ²: stochastic EM. Blei and McAuliffe approximate both steps by variational
// inference; the model is the same.
//
// # Files, in reading order
//
//	topics.go       Options, Model, Fit, Infer
//	supervised.go   Supervised, FitSupervised, Predict
//	chain.go        the counts, and the draw of a word's topic
//
// # Invariants
//
// No input is modified. The same seed gives the same bits. A chain is one goroutine, and
// two may run at once. The tests compare what is drawn with all assignments of small corpora,
// enumerated.
//
// # Traps
//
//   - Topics have no order: those of two seeds, or of two samples far apart, are not the
//     same ones. Averages over passes of one chain are taken, as everybody does, for the
//     chain stays near one labelling.
//   - History rises noisily and levels off; that is no proof that the chain has mixed.
//   - A response is fitted through K shares that sum to 1: η is known up to a constant
//     that b takes, which the ridge decides.
//   - Without a response new documents are inferred in Predict, as they must be; their
//     proportions are those of Infer, and less sharp than those of training documents.
package topics
