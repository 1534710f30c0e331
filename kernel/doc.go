// Package kernel runs the cells of a notebook. It joins the interpreter (package
// engine), commands such as %time (package magic), the capture of what cells
// print (package capture) and the rendering of values (package render) into one
// Kernel. Package jupyter drives a Kernel over the Jupyter protocol, and package
// headless without Jupyter.
package kernel
