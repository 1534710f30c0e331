package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// An experiment of a paper takes no context, but must end when the cell that calls it ends. The Lab may come
// from an earlier cell, and can be used in the next cell.
func TestStopLab(t *testing.T) {
	patience.SkipShort(t, "it stops experiments")
	t.Setenv("OVERCOMPLETE_DATA", "")
	t.Chdir(t.TempDir()) // a Lab creates a folder for its results
	k := open(t)
	if _, err := execute(t, k, "import \"overcomplete/paper/iconframework\"\nlab, err := iconframework.New(\"lecture\", 1)\nif err != nil { panic(err) }"); err != nil {
		t.Fatal(err)
	}
	// Stop the experiment twice, because the first cell has no part in the second cell's context. Also stop it in a
	// function of the cell, and in a goroutine for which the cell waits.
	for _, src := range []string{
		"lab.Embeddings()",
		"lab.Embeddings()",
		"func f() any { defer func() { _ = 1 }(); return lab.Contrast() }\nf()",
		"done := make(chan bool)\ngo func() { defer close(done); lab.Scale() }()\n<-done",
	} {
		after := 350 * time.Millisecond
		patience.Try(t, func() string {
			after *= 2 // on a busy machine the experiment may not have started
			ctx, cancel := context.WithTimeout(t.Context(), after)
			begin := time.Now()
			err := k.Execute(ctx, engine.Cell{Name: "In[2]", Source: src}, &transcript{})
			took := time.Since(begin) - after
			cancel()
			if !patience.Wait(func() bool { return len(k.Session().Goroutines()) == 0 }) {
				t.Fatalf("%s\nleft %+v", src, k.Session().Goroutines())
			}
			var e *engine.Error
			if !errors.As(err, &e) || e.Kind != engine.Interrupted || e.Message != engine.Stopped {
				return fmt.Sprintf("%s\nended with %v", src, err)
			} else if len(e.Frames) == 0 || e.Frames[0].Cell != "In[2]" {
				return fmt.Sprintf("%s\nstopped at %v, which is not in the cell", src, e.Frames)
			}
			if took > time.Second {
				return fmt.Sprintf("%s\nended %v after the interrupt", src, took)
			}
			return ""
		})
	}
	got, err := execute(t, k, "lab.Loss()\nlen(lab.Rows())")
	if err != nil || !strings.Contains(got, "[display ] 5") {
		t.Errorf("after the interrupts: %q, %v", got, err)
	}
}
