package neongen

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"overcomplete/internal/panics"
)

// text returns the assembly of the function that write emits.
func text(t *testing.T, write func(f *Func)) string {
	t.Helper()
	file := New("p")
	f := file.Func("f", "func(n int, x *float64)", "is a test.")
	write(f)
	f.Ret()
	asm, _, err := file.Write()
	if err != nil {
		t.Fatal(err)
	}
	return string(asm)
}

// mistake returns the error of Write for the function that write emits.
func mistake(t *testing.T, write func(f *Func)) string {
	t.Helper()
	file := New("p")
	write(file.Func("f", "func(n int, x *float64)", "is a test."))
	_, _, err := file.Write()
	if err == nil {
		t.Fatal("no mistake was found")
	}
	return err.Error()
}

// If a virtual register is used before a loop and in it, it keeps its physical register for the whole loop, even after
// its last use in the loop.
func TestLoopKeeps(t *testing.T) {
	var before, within V
	asm := text(t, func(f *Func) {
		x := f.Arg("x")
		before, within = f.V(), f.V()
		f.Zero(before)
		f.Label("turn")
		f.Store(16, before, At(x, 0))
		f.Zero(within) // before is used again, not later in the text but in the next iteration
		f.Store(16, within, At(x, 16))
		f.SubsN(x, x, 1)
		f.Br("NE", "turn")
	})
	if !strings.Contains(asm, "movi v0.2d") || !strings.Contains(asm, "movi v1.2d") {
		t.Errorf("both values have one register:\n%s", asm)
	}
}

// Without a loop, a second value reuses the register of the first, and a result reuses the register of an operand. No
// instruction is emitted for a copy of a register that is not used again.
func TestReuse(t *testing.T) {
	asm := text(t, func(f *Func) {
		x, a, b, c := f.Arg("x"), f.V(), f.V(), f.V()
		f.Zero(a)
		f.FAdd(D2, b, a, a)
		f.Copy(c, b)
		f.FMla(D2, c, c, c)
		f.Store(16, c, At(x, 0))
	})
	for _, want := range []string{"fadd v0.2d, v0.2d, v0.2d", "fmla v0.2d, v0.2d, v0.2d", "str q0, [x0]"} {
		if !strings.Contains(asm, want) {
			t.Errorf("no %q:\n%s", want, asm)
		}
	}
	if strings.Contains(asm, "mov v") {
		t.Errorf("a copy that is not needed:\n%s", asm)
	}
	asm = text(t, func(f *Func) {
		x, a, b := f.Arg("x"), f.V(), f.V()
		f.Zero(a)
		f.Copy(b, a)
		f.FMla(D2, b, a, a)
		f.Store(16, b, At(x, 0))
	})
	if !strings.Contains(asm, "mov v1.16b, v0.16b") {
		t.Errorf("a copy of what is used again is missing:\n%s", asm)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		want  string
		write func(f *Func)
	}{
		{"more registers than there are", func(f *Func) {
			var all []V
			for range 33 {
				v := f.V()
				f.Zero(v)
				all = append(all, v)
			}
			for _, v := range all {
				f.Store(16, v, At(f.Arg("x"), 0))
			}
		}},
		{"nothing was written to", func(f *Func) { f.Store(16, f.V(), At(f.Arg("x"), 0)) }},
		{"nothing was written to", func(f *Func) { v := f.V(); f.FMla(D2, v, v, v) }},
		{"nobody made", func(f *Func) { f.Store(16, 0, At(f.Arg("x"), 0)) }},
	} {
		if got := mistake(t, c.write); !strings.Contains(got, c.want) || !strings.HasPrefix(got, "f: ") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, write := range []func(f *Func){
		func(f *Func) { f.Arg("y") },
		func(f *Func) { f.Load(16, f.V(), At(f.Arg("x"), 8)) },
		func(f *Func) { f.Load(3, f.V(), At(f.Arg("x"), 0)) },
		func(f *Func) { f.Load(8, f.V(), Step(f.Arg("x"), 256)) },
		func(f *Func) { f.LoadPair(16, f.V(), f.V(), At(f.Arg("x"), 1024)) },
		func(f *Func) { f.file.Words("c", 1); f.file.Words("c", 2) },
	} {
		if panics.Value(func() { text(t, write) }) == nil {
			t.Error("a mistake was not found")
		}
	}
}

// All available registers are used, and reserved registers are not.
func TestRegisters(t *testing.T) {
	asm := text(t, func(f *Func) {
		x := f.Arg("x")
		var gs []X
		for range len(generals) - 1 {
			gs = append(gs, f.Arg("n"))
		}
		var vs []V
		for range len(vectors) {
			v := f.V()
			f.Zero(v)
			vs = append(vs, v)
		}
		for _, g := range gs {
			f.StoreByte(g, x, 0)
		}
		for _, v := range vs {
			f.Store(16, v, At(x, 0))
		}
	})
	seen := map[int]bool{}
	for _, m := range regexp.MustCompile(`\bR(\d+)\b`).FindAllStringSubmatch(asm, -1) {
		n, _ := strconv.Atoi(m[1])
		seen[n] = true
	}
	for n := range 32 {
		if free := n <= 15 || n >= 19 && n <= 26; seen[n] != free {
			t.Errorf("R%d is used: %t", n, seen[n])
		}
	}
}
