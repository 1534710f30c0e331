//go:build !noasm

package gemm

import "overcomplete/internal/simd"

// assembly lists the instruction sets that have assembly code and that this machine can execute: NEON or none.
func assembly() []*isa {
	if !simd.NEON() {
		return nil
	}
	return []*isa{{
		name: "neon",
		f32: &kernels[float32]{
			rows: 12, lanes: 4,
			tile1: tile1F32NEON, tile2: tile2F32NEON,
			copy: copyF32NEON, transpose: transposeF32NEON,
			dots1: dots1F32NEON, dots4: dots4F32NEON,
			axpys1: axpys1F32NEON, axpys4: axpys4F32NEON, both: bothF32NEON,
		},
		f64: &kernels[float64]{
			rows: 12, lanes: 2,
			tile1: tile1F64NEON, tile2: tile2F64NEON,
			copy: copyF64NEON, transpose: transposeF64NEON,
			dots1: dots1F64NEON, dots4: dots4F64NEON,
			axpys1: axpys1F64NEON, axpys4: axpys4F64NEON, both: bothF64NEON,
		},
	}}
}
