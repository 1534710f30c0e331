// Package lecturesparse contains the experiments of the notebook lecture-sparse: a lecture on sparse coding, from least
// squares to sparse autoencoders and superposition.
//
// The first half of the notebook builds its algorithms in cells, without this package. This package measures claims
// from the literature at sizes that would take too long in plain cells. Olshausen and Field (1996) and Elhage and
// others (2022) are quoted from their abstracts; theorems are written in the notebook's symbols; the other claims are
// in our words. The rules were chosen before anything was measured, with one exception. The three bounds on the shapes
// of atoms, in package receptive, were chosen before, too, but we decided only after a first trial that most atoms
// must meet them. In that trial, which had fewer passes, a fifth to a third of the atoms met all three.
//
// # Files in reading order
//
//	published.go      what the sources say
//	lab.go            the run
//	patches.go        natural patches, and their stand-ins
//	experiments.go    the names of the experiments
//	rates.go          ISTA and FISTA, compared with their proved rates
//	coherence.go      recovery that is guaranteed, and how far it goes beyond that
//	transition.go     the phase diagram of recovery
//	gabors.go         atoms learned from patches, and their shapes
//	unrolled.go       iterations that are trained
//	features.go       sparse autoencoders
//	superposition.go  the toy model, and its phase diagram
//	exercises.go      what check.Exercise tries
//
// # Where it differs from the sources
//
// Olshausen and Field learn with another penalty, from more patches, and judge atoms by eye; here the penalty is L1,
// and package receptive judges. Gregor and LeCun code patches of images; here signals have known atoms. Gao and others
// train on a language model's activations; here autoencoders train on weighted sums of known directions. Elhage and
// others sample the two features of their phase diagram; here the expected loss is computed by quadrature.
package lecturesparse
