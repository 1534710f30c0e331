// Package kernel runs the cells of a notebook. It joins the interpreter (package internal/ixengine, behind package
// engine), commands such as %time (package magic), the capture of what cells print (package capture) and the rendering
// of values (package render) into one Kernel. Package jupyter drives a Kernel over the Jupyter protocol; package
// headless drives it without Jupyter.
//
// In reading order, kernel.go runs a cell from end to end; io.go has the output of cells, and asks the user questions;
// stale.go finds the cells that are out of date; modules.go handles packages of other modules and their versions, and
// replace.go switches to a kernel program in which these packages are compiled; callbacks.go runs callbacks, and has
// the places where they show their output.
//
// Packages that only the kernel needs are in the folder internal. Package ixengine runs Go, and package builtin runs
// commands. Packages capture and render produce output. Package bindings holds the compiled packages that cells can
// import. Package needs determines which packages a cell imports, and package provision provides packages of other
// modules.
package kernel
