//go:build tools

package gophernotes

// This module exists for this dependency: its go.mod fixes the version.
import _ "github.com/gopherdata/gophernotes"
