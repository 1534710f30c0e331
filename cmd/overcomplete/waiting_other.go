//go:build !unix

package main

// become runs another program, and returns its exit code.
func become(program string, argv []string) (code int, err error) { return runChild(program, argv) }
