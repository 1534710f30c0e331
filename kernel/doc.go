// Package kernel runs the cells of a notebook. It joins the interpreter (package
// internal/ixengine, behind package engine), commands such as %time (package magic), the capture of what cells
// print (package capture) and the rendering of values (package render) into one
// Kernel. Package jupyter drives a Kernel over the Jupyter protocol, and package
// headless without Jupyter.
//
// Files in reading order: kernel.go (a cell from end to end), output.go (what it shows; area.go: where
// callbacks show it), input.go (what it asks), stale.go (which cells are out of date), modules.go (packages of
// other modules; replace.go: another program that has them), call.go (calls of the functions of the program
// around it). What
// only this package and its neighbours need is under internal: ixengine runs Go, builtin
// runs commands, capture and render show; bindings has what cells can import, needs and
// provision find and bring in what they import of other modules.
package kernel
