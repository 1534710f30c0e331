// Package gemm multiplies float32 and float64 matrices at the speed of OpenBLAS, in Go and generated assembly, without
// cgo. With one line, gonum's matrices and decompositions use this package:
//
//	gemm.Use()
//
// [BLAS] is gonum's implementation with faster methods for matrix products (gemm, syrk, syr2k, symm, trmm, trsm) and
// matrix-vector operations (gemv, symv, ger), in both precisions. The interface is gonum's: row-major order, any
// strides, the same panics. All other methods are gonum's.
//
// # Files, in reading order
//
//	blas.go               Use, SetWorkers, Serial
//	gemm.go, check.go     Dgemm and Sgemm: argument checks and special cases
//	product.go            the product: blocks, packing, goroutines
//	gen/tile.go           the micro-kernel, where the time is spent
//	gen/block.go          packing
//	gen/neon.go           micro-kernel and packing for arm64
//	triangle.go           trsm and trmm by recursion on products
//	symmetric.go          syrk, syr2k and symm; one triangle of a product
//	level2.go             gemv, symv and ger, with gen/vector.go
//	isa.go                the choice of the instruction set; memory that calls reuse
//
// # The algorithm
//
// The algorithm is that of K. Goto and R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS
// 34 (2008), in the form of F. G. Van Zee and R. A. van de Geijn, BLIS, ACM TOMS 41 (2015), adapted to row-major order.
// A tile of C (12 rows × 2 vectors of columns with AVX-512 or NEON, 6 × 2 with AVX2) stays in registers while the loop
// over p runs through a block of k:
//
//	C[i, j] += A[i, p] B[p, j]      one broadcast of A, two fused multiply-adds
//
// B is packed in panels as wide as a tile, in the order of use. A sliver of A (12 rows of a block of k) stays in the
// L1 cache while it is multiplied by each of the panels in the L2 cache. The micro-kernel accepts A with any two
// strides, so A is never transposed. A sliver is copied only to avoid strides that are a power of two. B is transposed
// only if the caller passes it transposed; this happens in registers.
//
// Edges of C need neither padding nor a second copy: there is a kernel for each number of rows, and the last vector of
// columns is masked (with NEON, it is read and written element by element). Nothing outside the operands is read or
// written.
//
// If a product has too few rows or columns to repay packing, A and B are used in place. Products of a few numbers are
// left to gonum (see isTiny and smallVector64 in the source; BenchmarkSmall and BenchmarkVector show the limits).
//
// The speed was measured with BenchmarkPeer, as processor time of one thread. It was compared with that of numpy, with
// OpenBLAS forced to the same instruction set. The first measurements used OpenBLAS 0.3.21 on a busy shared machine
// with AVX-512 (EPYC, family 26). They were made for squares of 256 to 2048 and products of 10000 to
// 50000 rows with 108 to 1600 columns. float64 with AVX-512 runs at 0.98 to 1.3 times the speed of
// OpenBLAS. AVX2 is mostly slightly slower than OpenBLAS: 0.89 to 1.0 times the speed
// for squares in either precision, 0.95 to 1.1 for flat products, and 0.83 to 0.85 for 10000×1600 by 1600×108, where
// each row of A is used for few columns of B, so that copying A costs relatively more.
//
// Since then, four things have changed: tiles cost less outside the micro-kernel; one thread uses each packed part of B
// right after packing it; narrow products finish groups of rows one after the other; and with AVX2 the loop of a full
// tile is unrolled, so that the processor predicts its end. The new code was measured on another machine (Intel, family
// 6, model 167, with 6 to 12 processes for its two processors) with AVX2 and one thread, against OpenBLAS 0.3.30.
// Squares of 256, 512, 1024 and 2048 rows run at 1.03, 0.93, 0.91 and 0.91 times the speed of OpenBLAS in float64
// (0.91, 0.79, 0.84 and 0.81 before these changes), and 1.08, 0.97, 0.94 and 0.94 in float32. The product of 100×20000
// by 20000×100, with its long inner dimension, has a ratio of 0.87 to 0.92 in float64 (0.80 before) and 0.94 in
// float32. These ratios vary by 0.03 from one run to another. The ratio of 10000×1600 by 1600×108 was 0.93 before the
// loop was unrolled (0.71 before all four changes). On that machine, larger blocks in the L2 cache and prefetching of B
// have no measurable effect.
//
// On arm64, speed has not been measured, because the tests ran in an emulator. The inner loop of a full tile has 67
// instructions for 48 vector multiply-adds. That is 0.35 instructions per operation on a float64 and 0.17 on a
// float32; gonum's loop in Go needs 4. A processor that begins four multiply-adds per cycle, with a latency of four
// cycles, needs at least 16 independent sums to be busy all the time. The loop has 24.
//
// # The same bits every time
//
// An element of C is a sum over p in ascending order, with one fused multiply-add for each p. The sum is divided into
// blocks, and the block length depends only on k. So a product gives the same bits for every number of threads, and
// the same bits with AVX2, AVX-512 and NEON. gonum rounds differently and gives other bits. A matrix times a vector (m
// or n is 1) is a sum of partial sums. The result has the same bits for every number of threads, but different bits
// with different instruction sets.
//
// # NaN and Inf
//
// A NaN or Inf in A, B or C propagates as IEEE arithmetic prescribes. Every element that is NaN or Inf in gonum's
// result is also NaN or Inf here. gonum skips elements of A that are 0 (unless only B is transposed), so 0·NaN and
// 0·Inf are 0 in gonum and NaN here. In gonum and here, beta 0 overwrites C, even if C contains NaN. If alpha is 0, NaN
// or Inf, the result depends on gonum's order of operations, so gonum computes the product. For other alpha, this
// package computes alpha (A B) and gonum computes (alpha A) B, so that sums overflow at different points.
//
// The unused half of a triangular or symmetric matrix is never read. As in gonum, trsm divides by the diagonal without
// checking for zeros.
//
// # Instruction sets
//
// The best instruction set that both the processor and the operating system support is chosen at the start: AVX-512 or
// AVX2 (package simd lists the required features), NEON on arm64, or gonum's code. Other processors, and programs with
// the build tag noasm, have only gonum's code. Programs for js/wasm with the tag livesimd have 128-bit vectors
// (package internal/wasmsimd), which round differently because they lack fused multiply-adds. For tests, the
// environment variable OVERCOMPLETE_GEMM selects avx512, avx2, neon, simd128 or gonum. An unknown name, or an
// instruction set that this machine cannot execute, causes a panic at the start of the program. (go test does not
// notice changes to this variable: use -count=1.)
//
// # OpenBLAS instead
//
// A program that prefers OpenBLAS does not need this package. Such a program requires gonum.org/v1/netlib, is built
// with cgo and CGO_LDFLAGS=-lopenblas, and calls
//
//	blas64.Use(netlib.Implementation{}) // gonum.org/v1/netlib/blas/netlib
//	blas32.Use(netlib.Implementation{})
//
// for instance in the init function of a file with a build tag. Package gemm changes nothing until Use is called. A
// program that calls both gemm.Use and blas64.Use uses the implementation that was installed last.
//
// # Traps
//
// Use, SetWorkers and Serial change global state. Use changes the rounding of every gonum result in the program.
// Packing buffers, up to about 10 MB for each running product, stay allocated between products until the garbage
// collector frees them. If a program already computes products in parallel on all processors, it runs faster with
// SetWorkers(1), or with Serial around that part of its work. As in gonum, overlap of C with A or B is not detected.
package gemm
