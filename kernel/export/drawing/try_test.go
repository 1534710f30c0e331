package drawing

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	list, _ := filepath.Glob("../../../figures/*/*.svg")
	var page strings.Builder
	page.WriteString("<style>:root{--paper:#fff;--ink:#111;--line:#ccc;--lift:0%}body{font-family:sans-serif;max-width:950px}</style><style>" + Style + "</style><script>" + Script + "</script>")
	for _, f := range list {
		b, _ := os.ReadFile(f)
		d, err := Parse(b)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if c, err := os.ReadFile(strings.TrimSuffix(f, "svg") + "csv"); err == nil {
			d.Values(c)
		}
		n := 0
		for _, p := range d.panels {
			if p.values != nil {
				n++
			}
		}
		h := d.HTML("")
		fmt.Printf("%s: %d -> %d, panels %d, values %d, keys %d\n", f, len(b), len(h), len(d.panels), n, len(d.keys))
		page.WriteString(h)
	}
	os.WriteFile("/tmp/looks/all.html", []byte(page.String()), 0o644)
}
