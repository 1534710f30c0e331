package live

import (
	"embed"
	"io/fs"
	"path"
)

// The scripts of a live page; 'make live-page' bundles live.js, brotli.js, purify.js and measure.js
// from the folder page.
//
//go:embed assets
var assets embed.FS

// workerParts are the parts of the worker's script, in order. The first part must come before Go's glue code,
// which looks for a file system when it starts.
var (
	workerBefore = []string{"memfs.js"}
	workerAfter  = []string{"simd.js", "worker.js"}
)

// asset returns the script with the given name, or nil.
func asset(name string) []byte {
	text, err := fs.ReadFile(assets, path.Join("assets", name))
	if err != nil {
		return nil
	}
	return text
}
