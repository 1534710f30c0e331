package main

import ng "overcomplete/kernel-helpers/internal/neongen"

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
