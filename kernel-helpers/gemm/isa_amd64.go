//go:build amd64 && !noasm

package gemm

import "overcomplete/internal/simd"

// assembly lists the instruction sets that have assembly code and that this machine can execute, best first.
func assembly() []*isa {
	var sets []*isa
	if simd.AVX512() {
		sets = append(sets, &isa{
			name: "avx512",
			f32: &kernels[float32]{
				rows: 12, lanes: 16,
				tile1: tile1F32AVX512, tile2: tile2F32AVX512,
				copy: copyF32AVX512, transpose: transposeF32AVX512,
				dots1: dots1F32AVX512, dots4: dots4F32AVX512,
				axpys1: axpys1F32AVX512, axpys4: axpys4F32AVX512,
				both: bothF32AVX512, both4: both4F32AVX512,
			},
			f64: &kernels[float64]{
				rows: 12, lanes: 8,
				tile1: tile1F64AVX512, tile2: tile2F64AVX512,
				copy: copyF64AVX512, transpose: transposeF64AVX512,
				dots1: dots1F64AVX512, dots4: dots4F64AVX512,
				axpys1: axpys1F64AVX512, axpys4: axpys4F64AVX512,
				both: bothF64AVX512, both4: both4F64AVX512,
			},
		})
	}
	if simd.AVX2() {
		sets = append(sets, &isa{
			name: "avx2",
			f32: &kernels[float32]{
				rows: 6, lanes: 8,
				tile1: tile1F32AVX2, tile2: tile2F32AVX2,
				copy: copyF32AVX2, transpose: transposeF32AVX2,
				dots1: dots1F32AVX2, dots4: dots4F32AVX2,
				axpys1: axpys1F32AVX2, axpys4: axpys4F32AVX2,
				both: bothF32AVX2, both4: both4F32AVX2,
			},
			f64: &kernels[float64]{
				rows: 6, lanes: 4,
				tile1: tile1F64AVX2, tile2: tile2F64AVX2,
				copy: copyF64AVX2, transpose: transposeF64AVX2,
				dots1: dots1F64AVX2, dots4: dots4F64AVX2,
				axpys1: axpys1F64AVX2, axpys4: axpys4F64AVX2,
				both: bothF64AVX2, both4: both4F64AVX2,
			},
		})
	}
	return sets
}
