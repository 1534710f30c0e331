package cell_test

import (
	"context"
	"testing"

	"overcomplete/ui/cell"
)

func TestContext(t *testing.T) {
	if cell.Context() != context.Background() {
		t.Error("outside a kernel it is not Background")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if old := cell.SetContext(func() context.Context { return ctx }); old != nil {
		t.Error("something was set before")
	}
	if cell.Context() != ctx {
		t.Error("it is not what was set")
	}
	if old := cell.SetContext(nil); old == nil || old() != ctx {
		t.Error("SetContext does not give what was set before")
	}
	if cell.Context() != context.Background() {
		t.Error("nil does not restore Background")
	}
}

func TestPanicked(t *testing.T) {
	if cell.Panicked("x") {
		t.Error("outside a kernel a panic is reported")
	}
	if old := cell.SetPanicked(func(v any) bool { return v == "x" }); old != nil {
		t.Error("something was set before")
	}
	if !cell.Panicked("x") || cell.Panicked("y") {
		t.Error("the function that was set does not decide")
	}
	if cell.SetPanicked(nil) == nil || cell.Panicked("x") {
		t.Error("nil does not restore what was before")
	}
}

func TestStart(t *testing.T) {
	ran := make(chan string, 1)
	cell.Start(func() { ran <- "here" })()
	if got := <-ran; got != "here" {
		t.Error(got)
	}
	stopped := false
	if old := cell.SetStart(func(f func()) func() { f(); return func() { stopped = true } }); old != nil {
		t.Error("something was set before")
	}
	cell.Start(func() { ran <- "by the kernel" })()
	if got := <-ran; got != "by the kernel" || !stopped {
		t.Error(got, stopped)
	}
	if cell.SetStart(nil) == nil {
		t.Error("SetStart does not give what was set before")
	}
}
