package jupyterlite

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"overcomplete/kernel/live"
)

// Live gives what writes a kernel's files.
func Live(ctx context.Context, k *live.Kernel) Kernel {
	return func(folder string) (Start, error) {
		// live.Write has a folder of its own name in that of a site.
		site := filepath.Dir(folder)
		f, err := live.Write(ctx, site, k, live.Options{BrotliOnly: true})
		if err != nil {
			return Start{}, err
		}
		// Pages of live have scripts and a service worker, which JupyterLite's have not.
		for _, name := range []string{f.Script, f.Purify, f.Measure, f.SW} {
			if err := os.Remove(filepath.Join(site, filepath.FromSlash(name))); err != nil {
				return Start{}, err
			}
		}
		check := map[string]checked{"br": part(f.BrotliSum)}
		return Start{Worker: path.Base(f.Worker), Kernel: path.Base(f.Kernel), Brotli: path.Base(f.Brotli), Check: check}, nil
	}
}

// checked is what the worker compares with a file that has come.
type checked struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// part reads a size and a checksum.
func part(text string) (c checked) {
	fmt.Sscanf(text, "%d %s", &c.Size, &c.SHA256) // live writes them so
	return c
}
