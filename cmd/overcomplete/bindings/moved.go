package bindings

import (
	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
)

// moved maps the former folders of packages that cells import to the present ones. Older notebooks
// still use them, so do not remove any.
var moved = map[string]string{
	"kernel-helpers/backprop": "kernel-helpers/taskdict",
	"kernel-helpers/cell":     "ui/cell",
	"kernel-helpers/coding":   "kernel-helpers/codecost",
	"kernel-helpers/display":  "ui/display",
	"kernel-helpers/progress": "ui/progress",
	"kernel-helpers/slider":   "ui/slider",
	"kernel-helpers/sparse":   "kernel-helpers/pursuit",
	"kernel-helpers/widget":   "ui/widget",
}

// formerly lists the paths that the module had before it was renamed. The command that renames it
// (internal/module/rename) adds to them.
var formerly = []string{}

func init() {
	for from, to := range moved {
		bind.Moved(module.Package(from), module.Package(to))
	}
	for _, path := range formerly {
		bind.Renamed(path, module.Path)
	}
}
