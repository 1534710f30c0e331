package bindings

import (
	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
)

// moved maps the old import paths of moved packages to the new ones. Older notebooks still use the old paths,
// so do not remove any.
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

// formerly lists the former paths of the module. internal/module/rename adds to the list when it renames the
// module.
var formerly = []string{}

func init() {
	for from, to := range moved {
		bind.Moved(module.Package(from), module.Package(to))
	}
	for _, path := range formerly {
		bind.Renamed(path, module.Path)
	}
}
