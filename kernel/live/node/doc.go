// Package node runs notebooks in the kernel for browsers under node, which has the same WebAssembly and
// the same event loop as a worker of a page, and no page: for tests of that kernel, and to compare
// its results with those of the kernel for this machine.
package node
