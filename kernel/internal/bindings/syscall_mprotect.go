//go:build linux || darwin

package bindings

import (
	"syscall"

	"overcomplete/kernel/bind"
)

func init() { bind.Extend(&syscallTable, &syscallMprotect) }

// syscallMprotect has what Linux and macOS have in common: what Go's own test programs use of it.
var syscallMprotect = bind.Package{
	Funcs: []bind.Object{
		{Name: "Mprotect", Value: syscall.Mprotect},
	},
}
