package wasmsimd

// The arguments of the functions, as they lie in memory: the generator takes the places of
// the fields from here. They are for pointers and ints of 64 bits, such as Go has for wasm.

// A Number is what the functions work on.
type Number interface{ float32 | float64 }

// Map has the arguments of exp, log, sigmoid and softplus (Dst and X), of scale (X and
// Factor) and of largest (X, and Factor is the result).
type Map[T Number] struct {
	Dst, X *T
	N      int
	Factor T
}

// Sum has the arguments of sumExp and expSum, e^(X − Shift). Lane has the sums of the
// elements of one index modulo 8 and is added to.
type Sum[T Number] struct {
	Dst, X *T
	N      int
	Shift  T
	Lane   [8]float64
}

// Product has the arguments of gemm, C = Alpha A B + Beta C for C M×N, with steps in numbers.
type Product[T Number] struct {
	M, N, K     int
	A           *T
	ARow, ACol  int // from a row or a column to the next
	B           *T
	BRow, BCol  int
	C           *T
	CRow        int
	Work        *T // WorkSize numbers
	Alpha, Beta T
}

// Rows has the arguments of axpy and axpy4, Y += Σ F[i] A[i], of dot and dot4, F[i] = A[i]·Y, and
// of both, Y += F[0] A[0] and F[1] = A[0]·A[1].
type Rows[T Number] struct {
	N int
	F [4]T
	A [4]*T
	Y *T
}

// Sweep has the arguments of sweep, see sparseapprox.
type Sweep struct {
	M            int
	A            *float32
	Stride       int // numbers, a multiple of 4
	W, Q, G, Inv *float32
	Low, Change  float32 // Change is the result
}

// Bounds has the arguments of excess, of which Worst is the result, and of above, which
// writes Bits.
type Bounds struct {
	N                  int
	Q, Bound           *float32
	Bits               *uint64
	Sign, Least, Worst float32
}

// The blocks of gemm.
const (
	blockBytes = 2048 // of k, in bytes of a row of A
	panelBytes = 512 << 10
	TileRows   = 4
	TileBytes  = 32 // of a row of a tile of C
)

// BlockK is how many steps of k are taken at a time, and BlockN how many columns of C.
func BlockK(size int) int { return blockBytes / size }
func BlockN(size int) int { return panelBytes / blockBytes }

// WorkSize is how many numbers gemm needs: a block of B, a sliver of A and a tile of C.
func WorkSize(size int) int {
	return BlockK(size)*BlockN(size) + BlockK(size)*TileRows + TileRows*TileBytes/size
}

// Update has the arguments of slabRows, slabList, spikeRows, spikeStoreRows, spikeList and
// screenRows: package s3c's sweep, which has the same fields in the same order.
type Update struct {
	P, H, S, M           *float32
	Param                *float32
	Stride, Units, Width int // Stride and Width in bytes, Width a multiple of 64
	Eta, Keep, Rho, Most float32
	Bits                 *byte
}

// Block has the arguments of respond, R <- F[0] R + F[1] (A + B C) for N numbers, of dots, C = A B,
// and of sums, B −= A'C, for A of N rows with D numbers. D, and N but for sums, are multiples of 4.
type Block struct {
	N, D       int
	A, B, C, R *float32
	F          [2]float32
}

// Descent has the arguments of descent64: package nnls's sweep, over 32 rows.
type Descent struct {
	K, Columns   int
	Order        *int
	G, Inv, C, U *float64
}
