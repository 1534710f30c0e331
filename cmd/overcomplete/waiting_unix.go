//go:build unix

package main

import "syscall"

// become replaces this program by another. It returns only if that fails.
func become(program string, argv []string) (code int, err error) {
	return 0, syscall.Exec(program, argv, syscall.Environ())
}
