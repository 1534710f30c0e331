//go:build tools

package gophernotes

// This module exists only for this dependency. The module's go.mod pins the dependency's version.
import _ "github.com/gopherdata/gophernotes"
