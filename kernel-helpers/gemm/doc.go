// Package gemm multiplies float32 and float64 matrices at the speed of OpenBLAS,
// in Go and generated assembly, without cgo. One line makes gonum's matrices
// and decompositions use it:
//
//	gemm.Use()
//
// [BLAS] is gonum's implementation with faster methods for the products of
// matrices (gemm, syrk, syr2k, symm, trmm, trsm) and of a matrix and a vector
// (gemv, symv, ger), in both precisions. Arguments mean what they mean in gonum:
// row-major order, any strides, the same panics. All other methods are
// gonum's.
//
// # Files, in reading order
//
//	blas.go               Use, SetWorkers, Serial
//	gemm.go, check.go     Dgemm and Sgemm: arguments and special cases
//	product.go            the product: blocks, packing, goroutines
//	gen/tile.go           the micro-kernel, where the time is spent
//	gen/block.go          packing
//	gen/neon.go           both for arm64
//	triangle.go           trsm and trmm by recursion on products
//	symmetric.go          syrk, syr2k and symm
//	diagonal.go           one triangle of a product
//	level2.go             gemv, symv and ger, with gen/vector.go
//	isa.go                the choice of the instruction set
//
// # The algorithm
//
// The algorithm is that of K. Goto and R. A. van de Geijn, Anatomy of high-performance
// matrix multiplication, ACM TOMS 34 (2008), in the form of F. G. Van Zee and
// R. A. van de Geijn, BLIS, ACM TOMS 41 (2015), adapted to row-major order. A
// tile of C, 12 rows × 2 vectors of columns with AVX-512 and NEON and 6 × 2 with AVX2,
// stays in registers while p runs through a block of k:
//
//	C[i, j] += A[i, p] B[p, j]      one broadcast of A, two fused multiply-adds
//
// B is packed in panels as wide as a tile, in the order of use. A sliver of A (12 rows of a block of k) stays
// in the first-level cache while it is multiplied by each of the panels in the second-level cache. The
// micro-kernel takes A with any two strides, so that A is never transposed: a sliver is copied only to avoid
// strides that are a power of two, and B is transposed, in registers, only if it is given transposed.
//
// Edges need neither padding nor a second copy of C: there is a kernel for each
// number of rows, and the last vector of columns is masked (with NEON, read and written by
// numbers). Nothing outside the operands is read or written.
//
// A product with too few rows or columns to pay for packing uses A and B in place. Products of a few numbers
// are left to gonum (see tiny and smallVector64 in the source; BenchmarkSmall and BenchmarkVector show the
// limits).
//
// Measured with BenchmarkPeer on a busy shared machine with AVX-512 (EPYC, family 26), one thread, squares of
// 256 to 2048 and products of 10000 to 50000 rows with 108 to 1600 columns, against numpy with OpenBLAS
// 0.3.21 forced to the same instruction set, in processor time: float64 with AVX-512 has 0.98 to 1.3 times
// its rate. AVX2 is mostly a little slower: squares 0.89 to 1.0 in either precision, flat products 0.95 to
// 1.1, and 0.83 to 0.85 for 10000×1600 by 1600×108, where each row of A is used for few columns of B, so
// copying A costs more.
//
// On arm64 no times have been measured: the tests ran in an emulator. The inner loop of a whole tile has 67
// instructions for 48 vector multiply-adds. That is 0.35 instructions per operation on a float64 and 0.17 on
// a float32; gonum's loop in Go has 4. The loop has 24 independent sums, for processors that begin four
// multiply-adds per cycle, with a latency of four cycles.
//
// # The same bits every time
//
// An element of C is a sum over p in ascending order, one fused multiply-add for each p, cut into blocks of k
// and their length depends only on k. So a product gives the same bits for every number of threads, and the
// same with AVX2, AVX-512 and NEON, but not the same as gonum, which rounds differently. A matrix times a
// vector (m or n is 1) is a sum of partial sums. It has the same bits for every number of threads, but not
// across instruction sets.
//
// # NaN and Inf
//
// A NaN or Inf in A, B or C spreads as IEEE arithmetic prescribes, at least as far as in gonum. gonum skips
// an element of A that is 0 (unless only B is transposed), so 0·NaN and 0·Inf are 0 there and NaN here. In
// both, beta 0 overwrites C, even NaN. With an alpha that is 0, NaN or Inf, gonum's order of operations
// decides the result; such a product is left to gonum. For a finite alpha, this package calculates alpha (A
// B) and gonum (alpha A) B, so that sums overflow at different points.
//
// The half of a triangular or symmetric matrix that a routine does not use is never read. trsm divides by the
// diagonal without checking it for zeros, as gonum does.
//
// # Instruction sets
//
// The best instruction set that both the processor and the operating system support is chosen at the start:
// AVX-512, AVX2 (package simd lists the features that each needs), NEON on arm64, or gonum's code. Other
// processors, and programs with the build tag noasm, have only gonum's code. Programs for js/wasm with the
// tag livesimd have vectors of 128 bits (package internal/wasmsimd). These lack fused multiply-adds, so they
// round differently. For tests the variable OVERCOMPLETE_GEMM selects avx512, avx2, neon, simd128 or gonum. A
// name that is unknown, or that this machine cannot execute, panics at the start of the program. (go test
// does not notice changes of this variable: use -count=1.)
//
// # OpenBLAS instead
//
// A program that prefers OpenBLAS does not need this package. It requires gonum.org/v1/netlib, builds with
// cgo and CGO_LDFLAGS=-lopenblas, and calls
//
//	blas64.Use(netlib.Implementation{}) // gonum.org/v1/netlib/blas/netlib
//	blas32.Use(netlib.Implementation{})
//
// after any gemm.Use(), for instance in the init function of a file with a
// build tag. This package changes nothing until Use is called. The last call of
// blas64.Use takes effect.
//
// # Traps
//
// Use, SetWorkers and Serial change global state. Use changes the bits of every gonum result in the program.
// Packing buffers, up to about 10 MB for each running product, stay allocated between products until the
// garbage collector frees them. A program that already computes products in as many goroutines as there are
// processors runs faster with SetWorkers(1), or, for that part of its work, in a region of Serial. Overlap of
// C with A or B is not detected, as in gonum.
package gemm
