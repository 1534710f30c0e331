package jupyterlite

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"overcomplete/kernel/live"
)

// Live returns a Kernel function that writes the files of k.
func Live(ctx context.Context, k *live.Kernel) Kernel {
	return func(folder string) (Start, error) {
		// live.Write creates its own folder, with a fixed name, in the site's folder.
		site := filepath.Dir(folder)
		f, err := live.Write(ctx, site, k, live.Options{BrotliOnly: true})
		if err != nil {
			return Start{}, err
		}
		// Remove the scripts and the service worker of live pages, which JupyterLite does not use.
		for _, name := range []string{f.Script, f.Purify, f.Measure, f.SW} {
			if err := os.Remove(filepath.Join(site, filepath.FromSlash(name))); err != nil {
				return Start{}, err
			}
		}
		check := map[string]fileCheck{"br": part(f.BrotliSum)}
		return Start{Worker: path.Base(f.Worker), Kernel: path.Base(f.Kernel), Brotli: path.Base(f.Brotli), Check: check}, nil
	}
}

// fileCheck is the size and checksum with which the worker compares a downloaded file.
type fileCheck struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// part parses a size and a checksum, separated by a space.
func part(text string) (c fileCheck) {
	fmt.Sscanf(text, "%d %s", &c.Size, &c.SHA256) // the form written by live
	return c
}
