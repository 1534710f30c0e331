package modules

import "overcomplete/kernel/internal/selfsource"

// kernelSource is where the source of the bigger program comes from.
var kernelSource interface {
	// Key names the source: another one has another key.
	Key() (string, error)
	// Extract writes it into a folder.
	Extract(dir string) error
	// GoMod is the text of its go.mod.
	GoMod() ([]byte, error)
} = ownSource{}

// ownSource is that of this program.
type ownSource struct{}

func (ownSource) Key() (string, error)     { return selfsource.Key() }
func (ownSource) Extract(dir string) error { return selfsource.Extract(dir) }
func (ownSource) GoMod() ([]byte, error)   { return selfsource.GoMod() }
