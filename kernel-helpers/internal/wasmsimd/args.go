package wasmsimd

// These structs hold the functions' arguments, in their memory layout: the generator uses the offsets of the fields.
// Pointers and ints must have 64 bits, as they do in Go for wasm.

// A Number is the element type of the functions.
type Number interface{ float32 | float64 }

// Map holds the arguments of the functions exp, log, sigmoid and softplus (Dst and X), scale (X and Factor)
// and largest (X; Factor is the result).
type Map[T Number] struct {
	Dst, X *T
	N      int
	Factor T
}

// Sum holds the arguments of sumExp and expSum. Both add each term e^(X[i] − Shift) to Lane[i%8]; expSum also stores
// the terms in Dst.
type Sum[T Number] struct {
	Dst, X *T
	N      int
	Shift  T
	Lane   [8]float64
}

// Product holds the arguments of gemm, which computes C = Alpha A B + Beta C, where C is M×N. Strides are counted in
// numbers.
type Product[T Number] struct {
	M, N, K     int
	A           *T
	ARow, ACol  int // strides from one row or column to the next
	B           *T
	BRow, BCol  int
	C           *T
	CRow        int
	Work        *T // WorkSize numbers
	Alpha, Beta T
}

// Rows holds the arguments of these functions:
//
//	axpy, axpy4   Y += Σ F[i] A[i]
//	dot, dot4     F[i] = A[i]·Y
//	both          Y += F[0] A[0], F[1] = A[0]·A[1]
type Rows[T Number] struct {
	N int
	F [4]T
	A [4]*T
	Y *T
}

// Sweep holds the arguments of the function sweep, which goes once through the atoms (see sweepPortable in package
// sparseapprox).
type Sweep struct {
	M            int
	A            *float32
	Stride       int // in numbers, a multiple of 4
	W, Q, G, Inv *float32
	Low, Change  float32 // Change is the result
}

// Bounds holds the arguments of these functions, and their results:
//
//	excess   Worst = the largest of 0 and all max(Q[j], Sign Q[j]) − Bound[j]
//	above    bit j of Bits is 1 if max(Q[j], Sign Q[j]) − Bound[j] >= Least
//
// Sign is 1 or −1. With −1, the maximum is |Q[j]|.
type Bounds struct {
	N                  int
	Q, Bound           *float32
	Bits               *uint64
	Sign, Least, Worst float32
}

// The sizes of gemm's blocks.
const (
	blockBytes = 2048 // size of a block of k, in bytes of a row of A
	panelBytes = 512 << 10
	TileRows   = 4
	TileBytes  = 32 // bytes of a row of a tile of C
)

// BlockK and BlockN describe the blocks in which gemm works. In each block, gemm processes BlockK
// terms of every sum and BlockN columns of C. size is the size of a number in bytes.
func BlockK(size int) int { return blockBytes / size }
func BlockN(size int) int { return panelBytes / blockBytes }

// WorkSize returns the number of elements in gemm's workspace. The workspace holds a block of B, a tile of C, and the
// part of A that is multiplied to get the tile. size is the size of a number in bytes.
func WorkSize(size int) int {
	return BlockK(size)*BlockN(size) + BlockK(size)*TileRows + TileRows*TileBytes/size
}

// Update holds the arguments of slabRows, slabList, spikeRows, spikeStoreRows, spikeList and screenRows. It has the
// same fields in the same order as the type sweep in package s3c.
type Update struct {
	P, H, S, M           *float32
	Param                *float32
	Stride, Units, Width int // Stride and Width in bytes; Width is a multiple of 64
	Eta, Keep, Rho, Most float32
	Bits                 *byte
}

// Block holds the arguments of the functions respond (R <- F[0] R + F[1] (A + B C) for N numbers), dots (C = A B) and
// sums (B −= A'C). In dots and sums, A has N rows of D numbers, and D must be a multiple of 4. In respond and dots, N
// must be a multiple of 4.
type Block struct {
	N, D       int
	A, B, C, R *float32
	F          [2]float32
}

// Descent holds the arguments of descent64, which makes one sweep of coordinate descent over 32 rows for package nnls.
type Descent struct {
	K, Columns   int
	Order        *int
	G, Inv, C, U *float64
}
