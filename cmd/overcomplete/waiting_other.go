//go:build !unix

package main

// become runs another program as a child, because this system cannot replace the running program. It returns the
// child's exit code.
func become(program string, argv []string) (code int, err error) { return runChild(program, argv) }
