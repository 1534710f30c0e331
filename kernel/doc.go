// Package kernel runs the cells of a notebook. It joins the interpreter (package internal/ixengine, behind
// package engine), commands such as %time (package magic), the capture of what cells print (package capture)
// and the rendering of values (package render) into one Kernel. Package jupyter drives a Kernel over the
// Jupyter protocol; package headless drives it without Jupyter.
//
// Files in reading order: kernel.go (a cell from end to end), output.go (output of cells; area.go: where
// callbacks show their output), input.go (questions to the user), stale.go (which cells are out of date),
// modules.go (packages of other modules; replace.go: switching to a kernel program with these packages
// compiled in), call.go (callbacks). Packages that only the kernel needs are under internal: ixengine runs Go;
// builtin runs commands; capture and render produce output; bindings holds the packages that cells can import;
// needs and provision find and load packages of other modules.
package kernel
