// Package simd reports which vector instructions the program may use, among those for which this project has
// assembly.
//
// On amd64 there are two levels, with the same meaning throughout the project. The higher level contains the
// lower:
//
//	AVX2    AVX2, FMA, BMI2 and F16C
//	AVX512  all of AVX2, and F, DQ, BW and VL of AVX-512
//
// On arm64 there is one level, NEON, which every arm64 processor has.
//
// Programs for js/wasm with the build tag livesimd have one level, Wasm: the 128-bit vectors of WebAssembly,
// in a second module that shares the program's memory (package wasmhost).
//
// A level requires a processor with all of its instructions, and an operating system that saves their registers. With
// few exceptions, such as Intel's Knights Landing, a processor has either all instructions that a level adds or none of
// them. AVX2 has been in Intel's processors since Haswell, and in AMD's since Excavator. AVX512 has been in Intel's
// since Skylake-X, and in AMD's since Zen 4.
//
// GODEBUG=cpu.avx512f=off, or the same for another of these instruction sets, disables the levels that need
// it. Variables that choose the instructions of a single package (OVERCOMPLETE_GEMM, OVERCOMPLETE_VMATH) are
// documented in that package. Builds for other processors, and builds with the tag noasm, use no vector
// instructions.
package simd

// A level is a set of instructions.
type level int

const (
	portable level = iota // no vector instructions, only Go
	wasm
	neon
	avx2
	avx512
)

func (l level) String() string { return [...]string{"Go", "WebAssembly", "NEON", "AVX2", "AVX-512"}[l] }

// inUse is the highest level that may be used. Only the function Each changes it.
var inUse = supportedLevel()

// AVX2 reports whether AVX2, FMA, BMI2 and F16C may be used.
func AVX2() bool { return inUse >= avx2 }

// AVX512 reports whether AVX-512 (F, DQ, BW and VL) and all of AVX2 may be used.
func AVX512() bool { return inUse >= avx512 }

// NEON reports whether the vector instructions of arm64 may be used.
func NEON() bool { return inUse == neon }

// Wasm reports whether the vector instructions of WebAssembly may be used.
func Wasm() bool { return inUse == wasm }

// Name returns the name of the highest level that may be used: "AVX-512",
// "AVX2", "NEON", "WebAssembly" or "Go".
func Name() string { return inUse.String() }

// Each calls f once for each level that the program may use, the highest first, and finally without vector
// instructions. During each call, AVX2 and the like report only the current level and those that it contains. Use Each
// in tests of packages that call AVX2 and the like every time instead of caching the answer. No other goroutine may
// call functions of this package meanwhile.
func Each(f func(name string)) {
	defer func(best level) { inUse = best }(inUse)
	levels := []level{avx512, avx2, portable}
	if inUse == wasm || inUse == neon {
		levels = []level{inUse, portable}
	}
	for _, l := range levels {
		if l <= inUse {
			inUse = l
			f(l.String())
		}
	}
}
