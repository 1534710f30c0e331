// Command gen writes the assembly of package vision: the function addThreshold, which adds max(0, z − a) to one slice
// of sums and max(0, −z − a) to another, for eight elements at a time.
//
//	go run ./gen -out threshold_amd64.s -stubs threshold_amd64.go -pkg vision
//	go run ./gen -isa neon -out threshold_arm64.s -stubs threshold_arm64.go -pkg vision
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

	TEXT("addThresholdAVX2", NOSPLIT, "func(n int, pos *float32, neg *float32, z *float32, a float32)")
	Doc("addThresholdAVX2 is addThreshold; n is a positive multiple of 8.")
	n, pos, neg, z := Load(Param("n"), GP64()), Load(Param("pos"), GP64()), Load(Param("neg"), GP64()), Load(Param("z"), GP64())
	a, zero, p, m, v := YMM(), YMM(), YMM(), YMM(), YMM()
	from, err := Param("a").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(from.Addr, a)
	VXORPS(zero, zero, zero)
	i := GP64()
	XORQ(i, i)
	at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: i, Scale: 4} }
	Label("loop")
	VMOVUPS(at(z), v)
	VSUBPS(a, v, p)    // v − a
	VSUBPS(v, zero, m) // −v
	VSUBPS(a, m, m)
	VMAXPS(zero, p, p)
	VMAXPS(zero, m, m)
	VADDPS(at(pos), p, p)
	VADDPS(at(neg), m, m)
	VMOVUPS(p, at(pos))
	VMOVUPS(m, at(neg))
	ADDQ(operand.Imm(8), i)
	CMPQ(i, n)
	JNE(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()

	Generate()
}

// neon writes the function addThreshold for arm64.
func neon() {
	const s = ng.S4
	file := ng.New("vision")
	f := file.Func("addThresholdNEON", "func(n int, pos, neg, z *float32, a float32)", "is addThreshold; n is a positive multiple of 8.")
	n, pos, neg, z, a := f.Arg("n"), f.Arg("pos"), f.Arg("neg"), f.Arg("z"), f.FloatArg(s, "a")
	zero := f.V()
	f.Zero(zero)
	f.Splat(s, a, a, 0)
	f.Label("eight")
	for at := 0; at < 32; at += 16 {
		v, minus := f.V(), f.V()
		f.Load(16, v, ng.At(z, at))
		f.FNeg(s, minus, v)
		for _, part := range []struct {
			sum ng.X
			v   ng.V
		}{{pos, v}, {neg, minus}} {
			old := f.V()
			f.FSub(s, part.v, part.v, a)
			f.FMax(s, part.v, part.v, zero)
			f.Load(16, old, ng.At(part.sum, at))
			f.FAdd(s, old, old, part.v)
			f.Store(16, old, ng.At(part.sum, at))
		}
	}
	for _, x := range []ng.X{pos, neg, z} {
		f.AddN(x, x, 32)
	}
	f.SubsN(n, n, 8)
	f.Br("NE", "eight")
	f.Ret()
	file.Generate()
}
