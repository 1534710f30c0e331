package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// shown records the output of cells.
type shown struct{ out, errs, result string }

func (s *shown) Stream(name, text string) {
	if name == "stderr" {
		s.errs += text
		return
	}
	s.out += text
}
func (s *shown) Display(display.Data, bool) {}
func (s *shown) Clear(bool)                 {}
func (s *shown) Result(d display.Data)      { s.result, _ = d.Data["text/plain"].(string) }

// TestDeclared: declarations of an earlier program run before the first cell. Their output is not shown, and
// failures are reported once.
func TestDeclared(t *testing.T) {
	k, err := kernel.New(kernel.Options{Declared: []engine.Cell{
		{Name: "In[1]", Source: "import \"fmt\"\ntype pair struct{ a, b int }\nconst two = 2"},
		{Name: "In[2]", Source: "func (p pair) sum() int { return p.a + p.b }\nfunc noted() int { fmt.Print(\"no\"); return 1 }"},
		{Name: "In[3]", Source: "func broken() { missing() }"},
		{Name: "In[4]", Source: "noted()"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	var first, second shown
	if err := k.Execute(context.Background(), engine.Cell{Name: "In[5]", Source: "fmt.Print(\"yes\")\npair{two, 3}.sum()"}, &first); err != nil {
		t.Fatal(err)
	}
	if first.out != "yes" || first.result != "5" {
		t.Errorf("shown: %+v", first)
	}
	if !strings.HasPrefix(first.errs, "In[3]: its declarations are not there any more: ") || !strings.Contains(first.errs, "undefined: missing") ||
		strings.Count(first.errs, "\n") != 1 {
		t.Errorf("stderr %q", first.errs)
	}
	if err := k.Execute(context.Background(), engine.Cell{Name: "In[6]", Source: "two"}, &second); err != nil || second.errs != "" || second.result != "2" {
		t.Errorf("%+v, %v", second, err)
	}
}

func TestStay(t *testing.T) {
	why := errors.New("because")
	if kernel.Staying(context.Background()) != nil {
		t.Error("every cell stays")
	}
	ctx, cancel := context.WithCancel(kernel.Stay(context.Background(), why))
	defer cancel()
	if kernel.Staying(ctx) != why {
		t.Error("the reason is lost")
	}
	r := &kernel.Replace{Program: "/p"}
	if !strings.Contains(r.Error(), "restart the kernel") {
		t.Errorf("%q does not say what to do", r)
	}
}

// TestDeclaredStale: cells that an earlier program has run are recognized by their ids.
func TestDeclaredStale(t *testing.T) {
	k, err := kernel.New(kernel.Options{Declared: []engine.Cell{{Name: "In[1]", ID: "a", Source: "func f() int { return 1 }"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for i, c := range []struct{ id, source, stale string }{
		{"b", "f()", ""}, {"a", "func f() int { return 1 }", ""}, {"a", "func f() int { return 2 }", "b"}, {"b", "f()", ""},
	} {
		if err := k.Execute(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", i+2), ID: c.id, Source: c.source}, &shown{}); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range k.Stale() {
			got += s.ID
		}
		if got != c.stale {
			t.Errorf("after %s: %q is stale, not %q", c.source, got, c.stale)
		}
	}
}
