package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// execute runs a cell as a front end would see it.
func execute(t *testing.T, k *Kernel, src string) (string, error) {
	t.Helper()
	out := &transcript{}
	err := k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: src}, out)
	return out.String(), err
}

func TestExecute(t *testing.T) {
	k := open(t)
	for _, test := range []struct{ src, want string }{
		{`import "fmt"; fmt.Println("a"); 6 * 7`, "a\n[display ] 42\n"},
		{`display.Display(display.HTML("<b>x</b>")); fmt.Println("after")`, "[display text/html] <b>x</b>\nafter\n"},
		{`type loud struct{}; func (loud) String() string { fmt.Println("(printed)"); return "text" }; loud{}`, "[display ] text\n(printed)\n"},
		{`display.Clear(true)`, "[clear wait=true]\n"},
		{`x := 3`, ""},
	} {
		got, err := execute(t, k, test.src)
		if err != nil {
			t.Fatalf("%s: %v", test.src, err)
		}
		// Text printed by a method during rendering may come before or after the value.
		if got != test.want && !strings.Contains(test.src, "loud") {
			t.Errorf("%s\n got %q\nwant %q", test.src, got, test.want)
		}
	}
	_, err := execute(t, k, "panic(1)")
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.Panic {
		t.Errorf("a panic gives %v", err)
	}
}

// Values are shown by their own methods. These methods must be stoppable, like cells.
func TestShowEndless(t *testing.T) {
	k := open(t)
	if _, err := execute(t, k, `import "fmt"
type loop struct{}
func (loop) String() string { for {} }
type itself struct{}
func (i itself) String() string { return fmt.Sprint(i) }`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ src, want string }{
		{"loop{}", "Interrupted"},
		{"[]any{1, loop{}}", "Interrupted"},
		{"itself{}", "endless recursion in itself.String"},
		{"map[string]any{\"a\": []itself{{}}}", "endless recursion in itself.String"},
		{"1", ""},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		if c.want == "Interrupted" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
		err := k.Execute(ctx, engine.Cell{Name: "In[2]", Source: c.src}, &transcript{})
		cancel()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.src, err, c.want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	k := open(t)
	if _, err := execute(t, k, "x := 20"); err != nil {
		t.Fatal(err)
	}
	d, err := k.Evaluate(context.Background(), "x + 1")
	if err != nil || d.Data["text/plain"] != "21" {
		t.Errorf("x + 1 is %v, %v", d.Data, err)
	}
	if _, err := k.Evaluate(context.Background(), "nothing"); err == nil {
		t.Error("an undefined name is no error")
	}
}

func TestOneAtATime(t *testing.T) {
	k := open(t)
	if _, err := New(Options{}); err == nil {
		t.Error("a second kernel opened")
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t)
	if got, err := execute(t, again, "1"); err != nil || got != "[display ] 1\n" {
		t.Errorf("%q, %v", got, err)
	}
}

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
