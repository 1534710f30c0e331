package display_test

import (
	"strings"
	"testing"

	. "overcomplete/ui/display"
)

type noArea struct{ Area }

func TestRedirect(t *testing.T) {
	Redirect(noArea{})() // without a kernel it does nothing
	var calls []string
	old := SetRedirect(func(a Area) func() {
		if _, ok := a.(noArea); !ok {
			t.Errorf("the area is %T", a)
		}
		calls = append(calls, "there")
		return func() { calls = append(calls, "back") }
	})
	if old != nil {
		t.Error("something was set before")
	}
	back := Redirect(noArea{})
	back()
	if SetRedirect(nil) == nil {
		t.Error("SetRedirect does not give what was set before")
	}
	Redirect(noArea{})()
	if got := strings.Join(calls, " "); got != "there back" {
		t.Errorf("calls: %s", got)
	}
}

func TestRendered(t *testing.T) {
	if got := Rendered(bothForms{}).Data[MIMETypeHTML]; got != "<b>" {
		t.Errorf("an HTML method gives %v", got)
	}
	if got := Rendered(7).Data[MIMETypeText]; got != "7" {
		t.Errorf("a number gives %v", got)
	}
}
