package ixengine

import (
	"slices"
	"strings"

	"overcomplete/internal/spelling"
)

// nearest is like spelling.Near, but skips the session's internal names.
func nearest(name string, names []string) []string {
	return spelling.Near(name, slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == "_" || strings.Contains(n, "__")
	}))
}
