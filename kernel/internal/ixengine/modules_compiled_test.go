package ixengine

import (
	"strings"
	"testing"

	"overcomplete/kernel/bind"
)

// TestGenericOfCompiled: there is a special error message for a generic function of a compiled package.
func TestGenericOfCompiled(t *testing.T) {
	bind.Register(&bind.Package{Path: "example.test/parquet", Name: "parquet", Generic: []string{"NewGenericWriter", "Read"},
		Funcs: []bind.Object{{Name: "NewWriter", Value: func() int { return 1 }}}})
	s := fresh(t, Options{})
	if got := run(t, s, "import \"example.test/parquet\"\nparquet.NewWriter()")[0].Value; got != 1 {
		t.Error(got)
	}
	want := "parquet.Read is generic and example.test/parquet is compiled in: cells cannot use generic functions and types of compiled packages; use those that are not generic, a cell that begins with %%native, or, in a session that has not used the package yet, %mod source example.test/parquet"
	for _, src := range []string{"parquet.Read[int](1)", "func f() { parquet.Read(1) }", "x := parquet.Read[string]"} {
		if e := fails(t, s, src); e.Message != want {
			t.Errorf("%s: %s", src, e.Message)
		}
	}
	if e := fails(t, s, "parquet.Reed(1)"); !strings.HasPrefix(e.Message, "undefined: parquet.Reed") {
		t.Error(e)
	}
}
