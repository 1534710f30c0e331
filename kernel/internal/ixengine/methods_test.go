package ixengine

import (
	"context"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/engine"
)

// TestMethodsOfOtherCells calls interface methods of values with types from other cells, which the calling
// cells' interpreters do not know.
func TestMethodsOfOtherCells(t *testing.T) {
	s := fresh(t, Options{})
	for _, c := range []struct{ src, want string }{
		{`import ("fmt"; "io"; "strings"; "sync"; "time")
type T struct{ n int }
func (t T) String() string { return fmt.Sprint("T", t.n) }
func (t *T) Read(p []byte) (int, error) { t.n++; return t.n, io.EOF }
func (t T) Sum(first int, more ...int) (sum, count int) {
	for _, m := range more { first += m }
	return first + t.n, len(more)
}
type In struct{ T; k [3]int }
type F func() string
func (f F) String() string { return f() }
type summer interface{ Sum(int, ...int) (int, int) }
func show(x fmt.Stringer) string { return "show " + x.String() }
later := func(x fmt.Stringer) string { return "later " + x.String() }
var st fmt.Stringer = T{3}
var rd io.Reader = &T{5}
var in fmt.Stringer = In{T: T{7}}
var sm summer = T{1}
var none io.Reader = (*T)(nil)
""`, ""},
		{"st.String()", "T3"},
		{"n, err := rd.Read(nil)\nfmt.Sprint(n, err)", "6 EOF"},
		{"in.String()", "T7"},
		{"x, y := sm.Sum(1, 2, 3)\nfmt.Sprint(x, y)", "7 2"},
		{"x, y = sm.Sum(1)\nfmt.Sprint(x, y)", "2 0"},
		{"m := st.String\nm()", "T3"},
		{"fmt.Stringer.String(in)", "T7"},
		{"func() (s string) { defer func() { s += fmt.Sprint(rd) }(); defer rd.Read(nil); return \"\" }()", "T7"},
		{"func() string { var w sync.WaitGroup; for range 4 { w.Add(1); go func() { defer w.Done(); st.String() }() }; go sm.Sum(1); w.Wait(); return \"ended\" }()", "ended"},
		{"go rd.Read(nil)\nfor i := 0; i < 6000 && fmt.Sprint(rd) == \"T7\"; i++ { time.Sleep(10 * time.Millisecond) }\nfmt.Sprint(rd)", "T8"},
		// A value of a type declared later, in code of an earlier cell.
		{"type U int\nfunc (u U) String() string { return fmt.Sprint(\"U\", int(u)) }\nshow(U(1)) + later(U(2))", "show U1later U2"},
		{"list := []fmt.Stringer{T{1}, U(2), In{T: T{3}}, &T{4}, F(func() string { return \"f\" })}\nout := []string{}\nfor _, x := range list { out = append(out, x.String()) }\nstrings.Join(out, \" \")", "T1 U2 T3 T4 f"},
		{"out = out[:0]\nfor range 2 { for _, x := range list { out = append(out, x.String()) } }\nstrings.Join(out, \" \")", "T1 U2 T3 T4 f T1 U2 T3 T4 f"},
		{"struct{ fmt.Stringer }{st}.String()", "T3"},
		// The type is redeclared: values of the old type keep their methods.
		{"type T struct{ a, b string }\nfunc (t T) String() string { return t.a + t.b }\nst.String() + T{\"x\", \"y\"}.String()", "T3xy"},
		{"st.String() + in.String() + later(T{\"p\", \"q\"})", "T3T7later pq"},
	} {
		if got := run(t, s, c.src); got[0].Value != c.want {
			t.Errorf("%s\ngives %v, want %s", c.src, got[0].Value, c.want)
		}
	}
	// These errors must not be reported as bugs of the kernel.
	for src, want := range map[string]string{
		"none.Read(nil)":                       "nil pointer dereference",
		"var zero fmt.Stringer\nzero.String()": "nil pointer dereference",
		"F(nil).String()":                      "nil",
	} {
		if _, err := s.Run(t.Context(), engine.Cell{Name: "In[2]", Source: src}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	// A method that does not return is stopped with its cell.
	run(t, s, "type L struct{}\nfunc (L) String() string { for { } }\nvar endless fmt.Stringer = L{}\n0")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Run(ctx, engine.Cell{Name: "In[3]", Source: "endless.String()"})
	if e, ok := err.(*engine.Error); !ok || e.Kind != engine.Interrupted {
		t.Error(err)
	}
}

// BenchmarkInvoke calls an interface method, of the cell's own type and of an earlier cell's type.
func BenchmarkInvoke(b *testing.B) {
	const loop = "func() (n int) { for i := 0; i < 10000; i++ { n += x.Len() }; return }()"
	const decl = "type T int\nfunc (T) Len() int { return 1 }\ntype lener interface{ Len() int }\nvar x lener = T(0)\n"
	for _, c := range []struct{ name, before, cell string }{{"own", "", decl + loop}, {"stranger", decl, loop}} {
		b.Run(c.name, func(b *testing.B) {
			s := fresh(b, Options{})
			if c.before != "" {
				run(b, s, c.before)
			}
			for b.Loop() {
				run(b, s, c.cell)
			}
		})
	}
}
