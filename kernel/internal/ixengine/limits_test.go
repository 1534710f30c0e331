package ixengine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goplus/ixgo"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestMethodsRunOut declares methods until there are no entry points left, which must be an error of the cell
// and not end the process. Normally it does so in only one of three ways (see patience.LeftOut).
func TestMethodsRunOut(t *testing.T) {
	patience.SkipShort(t, "it declares methods until there is no room for more")
	if !alone(t) {
		return
	}
	methods := func(declare string) string {
		var src strings.Builder
		fmt.Fprint(&src, declare)
		for j := range 400 {
			fmt.Fprintf(&src, "func (t T) M%d() int { return %d }\n", j, j)
		}
		return src.String()
	}
	for name, source := range map[string]func(i int) string{
		"types": func(i int) string {
			return strings.ReplaceAll(methods("type T struct{ A int }\n"), "T", fmt.Sprint("T", i))
		},
		"types of a function": func(i int) string {
			var src strings.Builder // the function that declares the types is freed when the cell has run
			for j := range 4 * i {
				fmt.Fprintf(&src, "func() any { type U%d struct{ T; A int }; return U%d{} }()\n", j, j)
			}
			return src.String()
		},
		"types without a name": func(i int) string { return fmt.Sprintf("struct{ *T; A%d int }{}", i) },
	} {
		if patience.LeftOut("no room for " + name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			ixgo.ResetAllIcall()          // frees entry points used by other tests; in a browser there are few
			t.Cleanup(ixgo.ResetAllIcall) // frees the entry points used here, for other tests
			s := fresh(t, Options{})
			run(t, s, methods("type T struct{ A int }\n"))
			for i := range 30 {
				_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: source(i)})
				if err == nil {
					continue
				}
				if !strings.Contains(err.Error(), "restart the kernel") {
					t.Fatal(err)
				}
				if got := run(t, s, "1 + 1")[0].Value; got != 2 {
					t.Errorf("after that 1 + 1 is %v", got)
				}
				return
			}
			t.Error("there is always room")
		})
	}
}
