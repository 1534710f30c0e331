// Package vision is the pipeline of A. Coates and A. Ng, The importance of encoding
// versus training with sparse coding and vector quantization (ICML 2011): from
// small photographs to features that a linear classifier can use.
//
//	im := vision.NewImages(d.Train.Pixels, 3, 32, 32)                    // d from package cifar
//	p := vision.NewPatches(im, 6, 400000, 1)                             // where, not what
//	w, err := vision.Whiten(ctx, p, vision.WhitenOptions{})              // contrast, ZCA
//	D, err := vision.OMP1(ctx, w.Patches(p), vision.OMP1Options{Atoms: 1600})
//	e := vision.SoftThreshold(D, 0.25)
//	r, err := vision.Extract(ctx, im, w, e, vision.ExtractOptions{Folder: "f"})
//	X, err := features.OpenShards([]string{"f"}, nil)                               // 50,000×12,800
//	m, err := l2svm.Train(ctx, X, d.Train.Labels, &l2svm.Options{C: 100})
//
// Three packages share the work, for three kinds of readers: this package deals with images
// and encoders, features keeps large matrices in files, l2svm trains on matrices
// that are streamed.
//
// # Files, in reading order
//
//	images.go      Images; leaves.go makes some where there are no photographs
//	patches.go     patches at random places, made whenever they are read
//	whitening.go   contrast normalisation and ZCA
//	dictionary.go  dictionaries: random patches, k-means, sparse coding, given ones
//	omp1.go        gain-shape vector quantisation
//	source.go      an endless supply of whitened patches
//	encoder.go     Encoder, Wrap, SplitSigns; spikeslab.go wraps E[hs]
//	threshold.go   triangle.go   sparse.go   encoders; vector_*.go, gen: assembly
//	extract.go     every position of every image, pooled; into files
//	pool.go        over which cells, in one way or several at once
//	maps.go        the features of one image before they are pooled, and after
//
// Package visionplot draws.
//
// # An image's features
//
// A patch x at each of the 27×27 positions of a 6×6 window is normalised and whitened,
// f(x) has C channels, and each channel is pooled (mean, sum or maximum) over each of G×G
// cells of positions: G²C numbers. With 27 positions two cells along a side have
// 14 and 13, three have 9 each. Encoders get blocks of patches of one image; the features
// that are not pooled yet are never more than a block.
//
// # Invariants
//
// Patch i depends on images, side, seed and i alone, not on how many patches are read or
// by whom. Features of an image depend on the image, whitening, encoder, grid and
// pooling alone (in the last bits also on Block). All of these, with checksums, are
// in the Depends field of the files. Nothing depends on the number of processors. No input
// is modified.
//
// # Traps
//
// Call gemm.Use() for speed and, since images are processed in parallel,
// gemm.SetWorkers(1).
//
// The settings in Coates and Ng's program express the weight of the loss as L = 1/C:
// their L = 0.01 for threshold features is C = 100 in package l2svm, their L = 1
// for sparse codes C = 1. Their pooling is Sum over 2×2; that of S3C is Mean over
// 3×3. Standardisation has a floor in the unit of the features, so that Sum and
// Mean lead to different classifiers.
//
// The whitening that a dictionary was learned with must be used at extraction.
//
// # Speed
//
// Images of 32×32×3 in a second of one processor's time (BenchmarkExtract, AVX-512,
// generated images, dictionaries of random patches; one run):
//
//	atoms                    400     1600
//	SoftThreshold, 0.25     1100      400
//	Triangle                 600      185
//	SparseCode, λ = 1         35        8
//
// On CIFAR-10, with 1600 atoms of OMP1, it was 380 for the soft threshold and 12 for
// sparse codes.
//
// Of the soft threshold's time at 1600 atoms two thirds are the product with the atoms.
package vision
