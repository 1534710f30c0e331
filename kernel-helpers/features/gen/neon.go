package main

import ng "overcomplete/kernel-helpers/internal/neongen"

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
