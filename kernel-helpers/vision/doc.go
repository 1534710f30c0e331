// Package vision implements the pipeline of A. Coates and A. Ng, The importance of encoding versus training
// with sparse coding and vector quantization (ICML 2011): from small photographs to features that a linear
// classifier can use.
//
//	im := vision.NewImages(d.Train.Pixels, 3, 32, 32)                    // d from package cifar
//	p := vision.NewPatches(im, 6, 400000, 1)                             // places only; read later
//	w, err := vision.FitWhitening(ctx, p, &vision.WhitenOptions{})       // contrast, ZCA
//	D, err := vision.FitOMP1(ctx, w.Patches(p), &vision.OMP1Options{Atoms: 1600})
//	e := vision.SoftThreshold(D, 0.25)
//	r, err := vision.ExtractShards(ctx, im, w, e, &vision.ExtractOptions{Folder: "f"})
//	X, err := features.OpenShards([]string{"f"}, nil)                               // 50,000×12,800
//	m, err := l2svm.Fit(ctx, X, d.Train.Labels, &l2svm.Options{C: 100})
//
// Three packages share the work: vision handles images and encoders, features stores large matrices in files,
// and l2svm trains on streamed matrices.
//
// # Files, in reading order
//
//	images.go      Images; NewLeaves generates some if there are no photographs
//	patches.go     patches at random places, computed whenever they are read; an endless supply of whitened ones
//	whitening.go   contrast normalization and ZCA
//	dictionary.go  dictionaries: random patches, k-means, sparse coding, or given
//	omp1.go        gain-shape vector quantization
//	encoder.go     Encoder, Wrap, SplitSigns; WrapProduct wraps spike-and-slab models; sparse codes and Triangle
//	threshold.go   the soft threshold; vector_*.go, gen: assembly
//	extract.go     every position of every image, pooled; into files
//	pool.go        pooling over cells, in one or several ways at once; the features of one image before and after it
//
// Package visionplot draws.
//
// # An image's features
//
// The patch x at each of the 27×27 positions of a 6×6 window is normalized and whitened. An encoder turns it
// into C channels. Each channel is pooled (mean, sum or maximum) over each of G×G cells of positions: G²C numbers.
// With 27 positions, two cells along a side have 14 and 13 positions, three cells have 9 each. Encoders get blocks of
// patches of one image, so at most one block of features is not yet pooled.
//
// # Invariants
//
// Patch i depends only on images, side, seed and i, not on the number or order of reads. Features of an image
// depend only on the image, whitening, encoder, grid and pooling (in the last bits also on Block). The
// field Depends of the files describes all that their features depend on, with checksums.
// Nothing depends on the number of processors.
// No input is modified.
//
// # Traps
//
// Call gemm.Use() for speed and, because images are processed in parallel, gemm.SetWorkers(1).
//
// The settings in Coates and Ng's program express the weight of the loss as L = 1/C: their L = 0.01 for
// threshold features is C = 100 in package l2svm, and their L = 1 for sparse codes is C = 1. Their pooling is
// Sum over 2×2; the pooling in the paper on S3C (package s3c) is Mean over 3×3.
// Standardization has a floor in the unit of the features,
// so Sum and Mean lead to different classifiers.
//
// Extraction must use the whitening that the dictionary was learned with.
//
// # Speed
//
// The table shows how many images of 32×32×3 are processed per second of processor time (BenchmarkExtract,
// AVX-512, generated images, dictionaries of random patches; one run):
//
//	atoms                    400     1600
//	SoftThreshold, 0.25     1100      400
//	Triangle                 600      185
//	SparseEncoder, λ = 1      35        8
//
// On CIFAR-10, with 1600 atoms of OMP1, the rate was 380 for the soft threshold and 12 for sparse codes.
//
// At 1600 atoms, two thirds of the soft threshold's time is the product with the atoms.
package vision
