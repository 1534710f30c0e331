// Package scaleout runs those stages of the papers' pipelines that need more than one machine. They are pipelines
// written with Apache Beam's Go SDK. The same pipeline runs in this process (with the runner prism, or the older
// direct runner) or on a cluster. It was tested with Flink (README.md). In some of these tests, one of Flink's
// workers was killed.
//
//	p, s := beam.NewPipelineWithRoot()
//	scaleout.Features(s, scaleout.FeatureOptions{Images: im, Model: "m.state", Folder: "f", Report: "r"})
//	_, err := beam.Run(ctx, "prism", p)
//
// The package is a module of its own, so that the program overcomplete does not depend on Beam.
//
// # Collections
//
// Elements are small: they hold only the numbers of work items. The workers read and write the large data themselves.
// In this table, D is the number of values of a patch, N the number of S3C's units, and n the number of values of a
// signal's code.
//
//	Statistics   Range{First, Count}        a shard of patches, whole chunks of 512
//	             Sum{Hi, Lo}                its statistics, 2(1 + D + 5N + DN) numbers
//	             Sum                        the sum over all shards, by the CombineFn sumFn
//	Features     Shard{Index, Set, Number}  a file of features, images × 9N
//	             Outcome{Index, Line}       what became of the file
//	Code         []byte                     one impulse: a worker looks up the number of signals
//	             Shard                      a file of codes, signals × n
//	             Outcome                    what became of the file
//	Sweep        Point{Index, λ, p, Seed}   a point of the grid
//	             Outcome                    with the validation error
//
// Outcomes are gathered under one key, KV{0, all Outcomes}. They are written to the report in the order of Index,
// provided that each Index occurs once.
//
// # Files, in reading order
//
//	files.go       paths and buckets; a shard's file; the report
//	images.go      images, whitening and model, as a worker has them
//	statistics.go  S3C's E step, summed
//	features.go    S3C's features of images
//	code.go        klcoding's codes
//	sweep.go       validation errors over a grid
//	cmd/scaleout   the command
//	flink          a job service for Flink, in Java; a script that starts a cluster; a check
//
// # Invariants
//
// Results do not depend on the number of shards, on bundles and their order, or on the runner. Files of features are
// the same as those of "overcomplete s3c extract", to the last bit. Codes are klcoding's, rounded to float32.
// Statistics are sums over chunks of patches, and a chunk is never divided between shards. The sums have twice the
// digits of float64 (Sum). So after rounding to float64, their last bit does not depend on the shards, either.
//
// One E step for all patches at once gives slightly different statistics, because it rounds differently. The
// difference is at most 1e-13 with the option Double (measured: 3e-15), and at most 1e-5 without it (measured: 8e-7).
// It is relative to the largest number in the same field of s3c.Moments.
//
// A file gets its name when it is complete, and is then read again and verified. If a pipeline is restarted, or a
// runner retries a bundle, good files that already exist are kept.
//
// DoFns are registered structs. Their only exported fields are options, which Beam writes as JSON and a schema. So
// options must not contain closures, NaN or infinities.
//
// # Traps
//
// All workers must have the same kind of processor: AVX-512, AVX2, NEON and plain Go round differently, and the files
// contain the whitening's checksum. If workers disagree, Features fails when it writes the report, and "overcomplete
// s3c merge" refuses such files.
//
// If the Setup of a DoFn fails before a worker has done anything else, Beam's Java runners wait for minutes before
// they report the error.
//
// A program must call gemm.Use and gemm.SetWorkers(1) before beam.Init, because beam.Init does not return in a worker.
//
// Each worker process reads the images and makes the whitening once, and keeps both in memory. Sweep also keeps all
// signals in memory; Code does so only if the signals come from a matrix file. The E step of Statistics does not skip
// units: Statistics is for M steps on many patches. (Training on one machine uses 100 patches per step.)
package scaleout
