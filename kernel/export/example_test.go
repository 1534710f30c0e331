package export_test

import (
	"fmt"
	"strings"

	"overcomplete/kernel/export"
)

// The example prints a listing with numbered lines.
func ExampleGoHTML() {
	for i, line := range strings.Split(export.GoHTML("x := f(1) /* a\nb */"), "\n") {
		fmt.Println(i+1, line)
	}
	// Output:
	// 1 x := <span class="f">f</span>(<span class="n">1</span>) <span class="c">/* a</span>
	// 2 <span class="c">b */</span>
}
