// Package scaleout has stages of the papers' pipelines that need more than one machine, as
// pipelines of Apache Beam's Go SDK. The same pipeline runs in this process (prism, or the older
// direct runner) or on a cluster's engine: Flink was tried, with a task manager that is killed (README.md).
//
//	p, s := beam.NewPipelineWithRoot()
//	scaleout.Features(s, scaleout.FeatureOptions{Images: im, Model: "m.state", Folder: "f", Report: "r"})
//	_, err := beam.Run(ctx, "prism", p)
//
// The package is a module of its own, so that the program itself does not depend on Beam.
//
// # Collections
//
// Elements are small: they hold only the numbers of work items. The workers read and write the
// large data themselves.
//
//	Statistics   Range{First, Count}        a shard of patches, whole chunks of 512
//	             Sum{Hi, Lo}                its statistics, 2(1 + D + 5N + DN) numbers
//	             Sum                        one: all of them, by the CombineFn sumFn
//	Features     Shard{Index, Set, Number}  a file of features, images × 9N
//	             Outcome{Index, Line}       what became of it
//	Code         []byte                     one impulse: N is looked up
//	             Shard                      a file of codes, signals × n
//	             Outcome
//	Sweep        Point{Index, λ, p, Seed}   of the grid
//	             Outcome                    with the validation error
//
// Outcomes are gathered under one key, KV{0, all Outcomes}, and written to the report in the order
// of Index, if each Index occurs once.
//
// # Files, in reading order
//
//	files.go       paths and buckets; a shard's file; the report
//	images.go      images, whitening and model, as a worker has them
//	statistics.go  S3C's E step, summed
//	features.go    S3C's features of images
//	code.go        klcoding's codes;  sweep.go  validation errors over a grid
//	cmd/scaleout   the command
//	flink          a job service for Flink, in Java; a script that starts a cluster; a check
//
// # Invariants
//
// Results do not depend on the number of shards, on bundles and their order, or on the
// runner. Files of features are those of "overcomplete s3c extract" to the last bit. Codes
// are klcoding's, rounded to float32. Statistics are sums over chunks of patches, which are never
// divided between shards, with twice the digits of float64 (Sum), so they are the same bits after
// rounding. They differ by rounding from the statistics of one E step for all patches at once:
// relative to the largest sum of a kind by at most 1e-13 with Double, and by at most 1e-5 without
// (measured: 3e-15 and 8e-7).
//
// A file gets its name when it is complete, and is then read again and verified. Restarted
// pipelines, and bundles that a runner retries, find the good files and keep them.
//
// DoFns are registered structs with options as their only exported fields, which Beam
// writes as JSON and a schema: no closures, no NaN, no infinities.
//
// # Traps
//
// All workers must have processors of one kind: AVX-512, AVX2, NEON and plain Go round
// differently, and the whitening's checksum is in the files. If workers disagree,
// Features fails when it writes the report, and "overcomplete s3c merge" refuses such
// files.
//
// Beam's runners in Java wait minutes before they report an error of Setup, if it is the first thing
// that a worker does.
//
// A program must call gemm.Use and gemm.SetWorkers(1) before beam.Init, which in a worker
// does not return.
//
// Each worker process holds the images, makes the whitening once, and holds the signals
// of Code and Sweep if they are a matrix file. Statistics does not skip units: it is for M steps on many
// patches, while training on one machine uses 100 patches per step.
package scaleout
