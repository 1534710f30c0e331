//go:build tools

package gophernotes

// What this module is for: its build fixes the versions.
import _ "github.com/gopherdata/gophernotes"
