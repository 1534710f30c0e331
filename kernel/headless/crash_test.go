package headless

import (
	"testing"

	"overcomplete/internal/module"
)

// TestCause reads crash messages that the Go runtime has written in kernels. The messages are shortened, and
// their paths are made up.
func TestCause(t *testing.T) {
	const others = "\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/a/main.go:1 +0x1\n"
	own := module.Package("")
	for _, c := range []struct{ name, text, want string }{
		{"the engine's own map", "goroutine 2312 [running]:\ninternal/runtime/maps.fatal({0x2a4460?, 0x446eb0?})\n\t/go/src/runtime/panic.go:1181 +0x18\nruntime.mapaccess2(0x1, 0x2)\n\t/go/src/runtime/map.go:1 +0x1\n" +
			own + "kernel/internal/ixengine.shapes.get(0xc00, {0x1, 0x2})\n\t/a/fast_shape.go:33 +0x45\n" + own + "kernel/internal/ixengine.(*fastFunc).passagesOf(0xc00)\n\t/a/fast_site.go:170 +0x1" + others,
			"this is a fault of the kernel, not of the cell: two goroutines used a map at the same time in " + own + "kernel/internal/ixengine.shapes.get; please report it, with the cell and this text"},
		{"a map that compiled code was given", "goroutine 40 [running]:\ninternal/runtime/maps.fatal({0x1, 0x2})\n\t/go/src/runtime/panic.go:1181 +0x18\ninternal/runtime/maps.(*Map).PutSlotSmall(0x1)\n\t/a.go:1 +0x1\nreflect.mapassign_faststr0(0x1)\n\t/a.go:1 +0x1\nreflect.Value.SetMapIndex({0x1, 0x2, 0x3})\n\t/a.go:1 +0x1\nencoding/json.(*decodeState).object(0x1)\n\t/a.go:1 +0x1" + others,
			"two goroutines used a map at the same time, in encoding/json.(*decodeState).object"},
		{"a map of a cell, used by the cell", "goroutine 41 [running]:\ninternal/runtime/maps.fatal({0x1, 0x2})\n\t/go/src/runtime/panic.go:1181 +0x18\nreflect.Value.SetMapIndex({0x1, 0x2, 0x3})\n\t/a.go:1 +0x1\ngithub.com/goplus/ixgo.makeInstr.func32(0x1)\n\t/a.go:1 +0x1" + others,
			"two goroutines used a map at the same time, one of them in code of a cell"},
		{"a fault while a cell is built", "fatal error: index out of range\n\ngoroutine 9 [running]:\nruntime.throw({0x1, 0x2})\n\t/a.go:1 +0x1\ngo/types.(*Checker).expr(0x1)\n\t/a.go:1 +0x1" + others,
			"this is a fault of the kernel, not of the cell: index out of range in go/types.(*Checker).expr; please report it, with the cell and this text"},
		{"no stack", "fatal error: all goroutines are asleep - deadlock!\n", "all goroutines are asleep - deadlock!"},
		{"memory", "fatal error: runtime: out of memory\n\ngoroutine 9 [running]:\nruntime.throw({0x1, 0x2})\n", "out of memory"},
		{"nothing", "some words\n", ""},
	} {
		if got := causeOf(c.text); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
