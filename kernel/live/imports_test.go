package live_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "overcomplete/cmd/overcomplete/bindings"
	"overcomplete/kernel/bind"
	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/kernel/live"
	"overcomplete/kernel/live/node"
	"overcomplete/kernel/notebook"
)

// TestBaseImports: the smallest kernel can import every package that it includes. The error for an omitted
// package says what to do.
func TestBaseImports(t *testing.T) {
	if os.Getenv("OVERCOMPLETE_LIVE") == "" {
		t.Skip("it builds a kernel for browsers, which takes a minute: OVERCOMPLETE_LIVE=1, as 'make live' sets it")
	}
	b := live.Builder{Quality: live.Fast, Say: func(s string) { t.Log(s) }}
	base := live.Sets[0]
	k, err := b.Kernel(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	site := t.TempDir()
	f, err := live.Write(t.Context(), site, k, live.Options{BrotliOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	p := node.Program{Kernel: filepath.Join(site, f.Kernel+".br"), Worker: filepath.Join(site, f.Worker)}
	var source strings.Builder
	source.WriteString("import (\n")
	n := 0
	for _, path := range bind.Packages() {
		if !base.Leaves(path) {
			source.WriteString("\t_ \"" + path + "\"\n")
			n++
		}
	}
	source.WriteString(")\n")
	_, err = node.Run(t.Context(), p, t.TempDir(), []*notebook.Cell{notebook.NewCode(source.String())})
	if errors.Is(err, node.ErrNoNode) {
		t.Skip(err)
	}
	if err != nil {
		t.Errorf("%d packages: %v", n, err)
	}
	cells, err := node.Run(t.Context(), p, t.TempDir(), []*notebook.Cell{notebook.NewCode("import \"net/http\"\nhttp.Get(\"\")")})
	if shown := fmt.Sprint(cells); err == nil || !strings.Contains(shown, "this kernel for the browser leaves out net/http") {
		t.Errorf("net/http: %v\n%s", err, shown)
	}
}
