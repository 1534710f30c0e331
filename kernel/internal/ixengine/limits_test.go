package ixengine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/engine"
)

// TestMethodsRunOut declares methods until there is no room for more, which
// must be an error of the cell and not the end of the process.
func TestMethodsRunOut(t *testing.T) {
	t.Cleanup(ixgo.ResetAllIcall) // what it used up is free for other tests
	s := fresh(t, Options{})
	for i := range 30 {
		var src strings.Builder
		fmt.Fprintf(&src, "type T%d struct{ A int }\n", i)
		for j := range 400 {
			fmt.Fprintf(&src, "func (t T%d) M%d() int { return %d }\n", i, j, j)
		}
		_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: src.String()})
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
}
