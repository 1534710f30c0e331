//go:build linux || darwin

package bindings

import (
	"syscall"

	"overcomplete/kernel/bind"
)

func init() { bind.Extend(&syscallTable, &syscallMprotect) }

// syscallMprotect has names that Linux and macOS have in common: those that Go's own test programs use.
var syscallMprotect = bind.Package{
	Funcs: []bind.Object{
		{Name: "Mprotect", Value: syscall.Mprotect},
	},
}
