package kernel

import (
	"context"
	"os"
	"testing"

	"overcomplete/ui/display"
)

// A place is an Output that can be redirected to an area.
type place struct {
	person
	area display.Area
}

func (p *place) Redirect(a display.Area) (before display.Area) {
	before, p.area = p.area, a
	return before
}

func (p *place) Stream(name, text string) {
	if p.area != nil {
		p.area.Stream(name, text)
		return
	}
	p.person.Stream(name, text)
}

// An onlyText is an area that collects text.
type onlyText struct {
	display.Area
	said person
}

func (o *onlyText) Stream(name, text string) { o.said.Stream(name, text) }

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
