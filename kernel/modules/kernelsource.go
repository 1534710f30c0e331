package modules

import "overcomplete/kernel/internal/selfsource"

// kernelSource provides the kernel's source, from which extended programs are built.
var kernelSource interface {
	// Key identifies the source.
	Key() (string, error)
	// Extract writes the source into a folder.
	Extract(dir string) error
	// GoMod returns the text of the kernel's go.mod.
	GoMod() ([]byte, error)
} = ownSource{}

// ownSource is the source embedded in this program.
type ownSource struct{}

func (ownSource) Key() (string, error)     { return selfsource.Key() }
func (ownSource) Extract(dir string) error { return selfsource.Extract(dir) }
func (ownSource) GoMod() ([]byte, error)   { return selfsource.GoMod() }
