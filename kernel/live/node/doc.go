// Package node runs notebooks in the kernel for browsers under node, which has the same WebAssembly and event
// loop as a worker of a page. This is used to test that kernel, and to compare its results with the results of
// the native kernel.
package node
