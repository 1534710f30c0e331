package headless

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/notebook"
	"overcomplete/ui/cell"
	"overcomplete/ui/display"
)

func TestDirect(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stdout, stderr := os.Stdout, os.Stderr
	outputs, cost, err := Direct(ctx, func() any {
		fmt.Println("printed")
		fmt.Fprintln(os.Stderr, "complained")
		time.Sleep(time.Millisecond)
		if cell.Context() != ctx {
			t.Error("the context is another")
		}
		if err := display.DisplayID("a", "shown"); err != nil {
			t.Error(err)
		}
		if err := display.UpdateDisplay("a", display.Markdown("**updated**")); err != nil {
			t.Error(err)
		}
		return []int{1, 2}
	})
	if err != nil || cost.Wall < time.Millisecond || os.Stdout != stdout || os.Stderr != stderr || display.Attached() {
		t.Errorf("%+v, %v", cost, err)
	}
	got := map[string]string{}
	for _, o := range outputs {
		key := o.Type()
		if key == notebook.Stream {
			key = o["name"].(string)
		}
		got[key] += o.Text()
	}
	for key, want := range map[string]string{"stdout": "printed\n", "stderr": "complained\n", notebook.DisplayData: "**updated**", notebook.ExecuteResult: "[1 2]"} {
		if !strings.Contains(got[key], want) {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if outputs[len(outputs)-1].Type() != notebook.ExecuteResult {
		t.Errorf("the value is not the last of %v", outputs)
	}

	_, _, err = Direct(ctx, func() any { panic(fmt.Errorf("wrapped: %w", os.ErrNotExist)) })
	var p *Panic
	if !errors.As(err, &p) || !errors.Is(err, os.ErrNotExist) || len(p.Stack) == 0 || !strings.Contains(p.Stack[0], "direct_test.go") {
		t.Errorf("%v %+v", err, p)
	}

	// A function that respects its context ends with a panic here. A function that ignores its context is abandoned.
	if _, _, err := Direct(ctx, func() any { cancel(); <-ctx.Done(); panic(ctx.Err()) }); !errors.As(err, &p) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	release := make(chan bool)
	if _, _, err := Direct(ctx, func() any { <-release; return nil }); err != ctx.Err() || os.Stdout != stdout {
		t.Errorf("%v", err)
	}
	close(release)
}
