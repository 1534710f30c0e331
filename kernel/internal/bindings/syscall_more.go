//go:build !js

//lint:file-ignore SA1019 what a package exports is bound, deprecated or not

package bindings

import (
	"syscall"

	"overcomplete/kernel/bind"
)

func init() { bind.Extend(&syscallTable, &syscallMore) }

// syscallMore has the names that all systems with signals, including Windows, have in common.
var syscallMore = bind.Package{
	Vars: []bind.Object{
		{Name: "Stderr", Value: &syscall.Stderr},
		{Name: "Stdin", Value: &syscall.Stdin},
		{Name: "Stdout", Value: &syscall.Stdout},
	},
	Funcs: []bind.Object{
		{Name: "Utimes", Value: syscall.Utimes},
	},
	Consts: []bind.Const{
		{Name: "ENOTBLK", Type: (*syscall.Errno)(nil), Value: uint64(syscall.ENOTBLK)},
		{Name: "ETXTBSY", Type: (*syscall.Errno)(nil), Value: uint64(syscall.ETXTBSY)},
		{Name: "O_ASYNC", Untyped: "untyped int", Value: int64(syscall.O_ASYNC)},
		{Name: "O_NOCTTY", Untyped: "untyped int", Value: int64(syscall.O_NOCTTY)},
		{Name: "O_NONBLOCK", Untyped: "untyped int", Value: int64(syscall.O_NONBLOCK)},
		{Name: "SIGABRT", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGABRT)},
		{Name: "SIGALRM", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGALRM)},
		{Name: "SIGBUS", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGBUS)},
		{Name: "SIGFPE", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGFPE)},
		{Name: "SIGHUP", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGHUP)},
		{Name: "SIGILL", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGILL)},
		{Name: "SIGPIPE", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGPIPE)},
		{Name: "SIGSEGV", Type: (*syscall.Signal)(nil), Value: int64(syscall.SIGSEGV)},
	},
}
