package kernel

import (
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// rewritten is an Output of a front end that can replace a cell's text.
type rewritten struct {
	transcript
	cell string
}

func (r *rewritten) Rewrite(source string) { r.cell = source }

// TestFmt: %fmt replaces the cell's text or prints it, and runs nothing.
func TestFmt(t *testing.T) {
	k := open(t)
	for i, test := range []struct{ src, want string }{
		{"%fmt\nnosuch . f( )\n$ exit 1", "nosuch.f()\n$ exit 1\n"},
		{"\n%fmt \n%%time\nx:=1", "%%time\nx := 1\n"},
		{"%fmt\nimport \"nowhere.example/no/such\"\nx:=1", "import \"nowhere.example/no/such\"\nx := 1\n"},
		{"%fmt\nx:=1\ny:=", "SyntaxError: In[4] line 3: expected operand, found the end of the cell\n    y:=\n       ^\n"},
		{"%fmt\n%nosuch", "SyntaxError: In[5] line 2: unknown command %nosuch (%help lists the commands)\n    %nosuch\n    ^\n"},
		{"%fmt", "SyntaxError: In[6] line 1: %fmt must stand above the code to format\n    %fmt\n    ^\n"},
		{"%fmt -w\nx", "SyntaxError: In[7] line 1: usage: %fmt, with nothing else on the line\n    %fmt -w\n    ^\n"},
		{"x := 1\n%fmt", "SyntaxError: In[8] line 2: %fmt formats the cell instead of running it: put it in the cell's first line\n    %fmt\n    ^\n"},
	} {
		if got := command(t, k, i+1, test.src); got != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.src, got, test.want)
		}
	}
	out := &rewritten{}
	if err := k.Execute(t.Context(), engine.Cell{Name: "In[9]", Source: "%fmt\nx:=1"}, out); err != nil || out.cell != "x := 1" || strings.TrimSpace(out.String()) != "" {
		t.Errorf("%v, rewritten to %q, shown %q", err, out.cell, out.String())
	}
}
