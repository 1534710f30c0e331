// Package factorial multiplies and divides large integers.
package factorial

import "math/big"

// Run returns the sum of the digits of n!.
func Run(n int) int64 {
	f := big.NewInt(1)
	for i := 2; i <= n; i++ {
		f.Mul(f, big.NewInt(int64(i)))
	}
	ten, digit := big.NewInt(10), new(big.Int)
	sum := int64(0)
	for f.Sign() > 0 {
		f.QuoRem(f, ten, digit)
		sum += digit.Int64()
	}
	return sum
}
