//go:build tools

package gophernotes

// This module exists only for this dependency. The module's go.mod fixes the dependency's version.
import _ "github.com/gopherdata/gophernotes"
