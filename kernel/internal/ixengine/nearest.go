package ixengine

import (
	"slices"
	"strings"

	"overcomplete/internal/spelling"
)

// nearest is spelling.Near without the names of our own.
func nearest(name string, names []string) []string {
	return spelling.Near(name, slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == "_" || strings.Contains(n, "__")
	}))
}
