// Package features keeps a large matrix of features in files. It is built piece by piece, on several machines
// if necessary, and read as rows of float32.
//
//	l := features.Layout{Rows: 60000, Cols: 14400, Depends: "..."}
//	features.BuildShards(ctx, "f", l, rows, &features.BuildOptions{Shards: l.Part(0, 2)})
//	features.Merge("all", "f", "from-the-other-machine")
//	m, err := features.OpenShards([]string{"all"}, nil)
//	m.Read(x, 0, 100) // 100×14400
//
// It knows nothing of images (package vision makes the rows) and nothing of
// classifiers (package l2svm reads them).
//
// # Files, in reading order
//
//	layout.go   Layout: which matrix, in which shards
//	build.go    BuildShards: makes the missing shards
//	matrix.go   OpenShards, Merge, Matrix
//	shard.go    one file
//	format.go   numbers as bytes; float16.go halves; vector_*.go, gen: the
//	            same in assembly
//	loss.go     the error that a format makes
//
// # Invariants
//
// A shard's file gets its name only when it is complete, and begins with a checksum
// of all that follows, which is verified whenever it is opened. The name, the head
// and OpenShards keep shards of different origin (Layout.Depends) apart. The bytes of
// a shard depend on its rows and the layout only.
//
// # Formats
//
// 60,000×14,400 numbers take 3.5 GB as float32, 1.7 GB as Float16 and 0.9 GB as Bytes. Bytes has one scale
// per column and shard, so the error is relative to the column's range, not to the number: an outlier makes
// its whole column coarser. Measure returns the error. On soft-threshold features of CIFAR-10 (1600 atoms,
// sums over quadrants, 300 images) Float16 lost 0.0004 standard deviations (root mean square) and Bytes
// 0.007; a linear machine trained on 11,000 images had the same accuracy on 2,000 other images, 0.7045, with
// either format.
//
// # Traps
//
// BuildShards trusts that rows does what Depends says: if you change the program that makes the numbers, change
// Depends too, or BuildShards keeps old shards.
package features
