package live

import (
	"io/fs"
	"path"
)

// workerParts are the parts of the worker's script, in order. The first part must come before Go's glue code,
// which looks for a file system when it starts.
var (
	workerBefore = []string{"memfs.js"}
	workerAfter  = []string{"simd.js", "worker.js"}
)

// asset returns the script with the given name, or nil.
func asset(name string) []byte {
	files, err := assets()
	if err != nil {
		return nil
	}
	text, err := fs.ReadFile(files, path.Join("assets", name))
	if err != nil {
		return nil
	}
	return text
}
