// Command gen writes the assembly of package features, which converts numbers in formats Float16 and Bytes to
// float32, eight at a time.
//
//	go run ./gen -out decode_amd64.s -stubs decode_amd64.go -pkg features
//	go run ./gen -isa neon -out decode_arm64.s -stubs decode_arm64.go -pkg features
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

func main() {
	isa := flag.String("isa", "avx2", "instruction set: avx2 or neon")
	flag.Parse()
	if *isa == "neon" {
		neon()
		return
	}
	ConstraintExpr("amd64,!noasm")

	TEXT("halvesAVX2", NOSPLIT, "func(n int, dst *float32, from *byte)")
	Doc("halvesAVX2 decodes n halves; n is a positive multiple of 8.")
	n, dst, from := Load(Param("n"), GP64()), Load(Param("dst"), GP64()), Load(Param("from"), GP64())
	Label("loop")
	v := YMM()
	VCVTPH2PS(operand.Mem{Base: from}, v)
	VMOVUPS(v, operand.Mem{Base: dst})
	ADDQ(operand.Imm(16), from)
	ADDQ(operand.Imm(32), dst)
	SUBQ(operand.Imm(8), n)
	JNE(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()

	TEXT("bytesAVX2", NOSPLIT, "func(n int, dst *float32, from *byte, lo *float32, step *float32)")
	Doc("bytesAVX2 stores lo + step·from; n is a positive multiple of 8. The product is rounded by itself.")
	n, dst, from = Load(Param("n"), GP64()), Load(Param("dst"), GP64()), Load(Param("from"), GP64())
	lo, step := Load(Param("lo"), GP64()), Load(Param("step"), GP64())
	i := GP64()
	XORQ(i, i)
	Label("bytesloop")
	x := YMM()
	at := func(base reg.Register, scale uint8) operand.Mem {
		return operand.Mem{Base: base, Index: i, Scale: scale}
	}
	VPMOVZXBD(at(from, 1), x)
	VCVTDQ2PS(x, x)
	VMULPS(at(step, 4), x, x)
	VADDPS(at(lo, 4), x, x)
	VMOVUPS(x, at(dst, 4))
	ADDQ(operand.Imm(8), i)
	CMPQ(i, n)
	JNE(operand.LabelRef("bytesloop"))
	VZEROUPPER()
	RET()

	Generate()
}

// neon writes the functions for arm64.
func neon() {
	file := ng.New("features")
	halves(file)
	bytes(file)
	file.Generate()
}

func halves(file *ng.File) {
	f := file.Func("halvesNEON", "func(n int, dst *float32, from *byte)", "decodes n halves; n is a positive multiple of 8.")
	n, dst, from := f.Arg("n"), f.Arg("dst"), f.Arg("from")
	f.Label("eight")
	lower, upper := f.V(), f.V()
	f.Load(8, lower, ng.Step(from, 8))
	f.Load(8, upper, ng.Step(from, 8))
	f.WidenHalves(lower, lower)
	f.WidenHalves(upper, upper)
	f.StorePair(16, lower, upper, ng.Step(dst, 32))
	f.SubsN(n, n, 8)
	f.Br("NE", "eight")
	f.Ret()
}

func bytes(file *ng.File) {
	const s = ng.S4
	f := file.Func("bytesNEON", "func(n int, dst *float32, from *byte, lo, step *float32)", "stores lo + step·from; n is a positive multiple of 8. The product is rounded by itself.")
	n, dst, from, lo, step := f.Arg("n"), f.Arg("dst"), f.Arg("from"), f.Arg("lo"), f.Arg("step")
	f.Label("eight")
	x, upper := f.V(), f.V()
	f.Load(8, x, ng.Step(from, 8))
	f.BytesToHalves(x, x)
	f.UpperHalvesToInts(upper, x)
	f.HalvesToInts(x, x)
	for _, v := range []ng.V{x, upper} {
		by, plus := f.V(), f.V()
		f.IntsToFloats(v, v)
		f.Load(16, by, ng.Step(step, 16))
		f.Load(16, plus, ng.Step(lo, 16))
		f.FMul(s, v, v, by)
		f.FAdd(s, v, v, plus)
	}
	f.StorePair(16, x, upper, ng.Step(dst, 32))
	f.SubsN(n, n, 8)
	f.Br("NE", "eight")
	f.Ret()
}
