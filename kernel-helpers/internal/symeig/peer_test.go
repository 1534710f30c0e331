package symeig

import (
	"fmt"
	"runtime"
	"testing"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// BenchmarkPeer compares Full with numpy's eigh, which always computes all eigenvectors.
func BenchmarkPeer(b *testing.B) {
	for _, c := range []struct{ n, k int }{{256, 256}, {1024, 1024}, {1024, 100}} {
		C := sample(c.n)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d of %d/threads=%d", c.k, c.n, threads), func(b *testing.B) {
				defer gemm.SetWorkers(gemm.SetWorkers(threads))
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				py := peer.Start(b, threads, "import numpy as np", "numpy")
				py.Array("C", C)
				repeat := max(1, 512*512/c.n/c.n)
				peer.Race(9, peer.Timer(func() {
					for range repeat {
						if _, _, err := Full(C, c.k); err != nil {
							b.Fatal(err)
						}
					}
				}), py.Timer(fmt.Sprintf("for _ in range(%d): np.linalg.eigh(C)", repeat))).Report(b)
			})
		}
	}
}
