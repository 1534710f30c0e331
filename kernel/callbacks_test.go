package kernel

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// TestCall: a callback writes to the given output, and can be stopped like a cell.
func TestCall(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	ctx := context.Background()
	cell, callback := &person{}, &person{}
	source := "import \"fmt\"\nn := 0\nf := func() { n++; fmt.Print(\"n = \", n); for n == 3 {}; if n == 2 { panic(\"two\") } }\n&f"
	if err := k.Execute(ctx, engine.Cell{Name: "In[1]", Source: source}, cell); err != nil {
		t.Fatal(err)
	}
	var f func()
	for _, v := range k.Session().Vars() {
		if v.Name == "f" {
			f = *v.Addr.(*func())
		}
	}
	cell.text.Reset()
	if err := k.Call(ctx, f, callback); err != nil || callback.text.String() != "n = 1" || cell.text.Len() > 0 {
		t.Errorf("%v; callback %q, cell %q", err, callback.text.String(), cell.text.String())
	}
	var e *engine.Error
	if err := k.Call(ctx, f, callback); !errors.As(err, &e) || e.Kind != engine.Panic || !strings.Contains(e.Message, "two") {
		t.Errorf("a panic: %v", err)
	}
	if patience.RaceDetector {
		return
	}
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := k.Call(stop, f, interrupter{&transcript{}, cancel}); !errors.As(err, &e) || e.Kind != engine.Interrupted {
		t.Errorf("an endless callback: %v", err)
	}
	if err := k.Execute(ctx, engine.Cell{Name: "In[2]", Source: "n"}, cell); err != nil || cell.text.String() != "3\n" {
		t.Errorf("afterwards: %v, %q", err, cell.text.String())
	}
}

// A place is an Output that can be redirected to an area.
type place struct {
	person
	area display.Area
}

// An onlyText is an area that collects text.
type onlyText struct {
	display.Area
	said person
}

// TestRedirect: text printed between the calls of redirect and back goes to the area. All other text goes to
// the Output, although all text passes through pipes.
func TestRedirect(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	out, area := &place{}, &onlyText{}
	for range 20 {
		err := k.Call(context.Background(), func() {
			os.Stdout.WriteString("before ")
			back := display.Redirect(area)
			os.Stdout.WriteString("there ")
			back()
			os.Stdout.WriteString("after ")
		}, out)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := out.text.String(), area.said.text.String(); a != "before after " || b != "there " {
			t.Fatalf("outside %q, in the area %q", a, b)
		}
		out.text.Reset()
		area.said.text.Reset()
	}
	// An Output that does not support areas shows all output.
	plain := &person{}
	k.Call(context.Background(), func() { defer display.Redirect(area)(); os.Stdout.WriteString("here") }, plain)
	if a, b := plain.text.String(), area.said.text.String(); a != "here" || b != "" {
		t.Errorf("outside %q, in the area %q", a, b)
	}
}
