//go:build unix

package main

import "syscall"

// become replaces this program with another. It returns only on failure.
func become(program string, argv []string) (code int, err error) {
	return 0, syscall.Exec(program, argv, syscall.Environ())
}
