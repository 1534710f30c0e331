//go:build tools

package gophernotes

// This module exists only for this dependency, whose version its go.mod fixes.
import _ "github.com/gopherdata/gophernotes"
