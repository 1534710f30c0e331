//go:build tools

package gophernotes

// The dependency that this module exists for: its go.mod fixes the version.
import _ "github.com/gopherdata/gophernotes"
