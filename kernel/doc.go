// Package kernel runs the cells of a notebook: it joins the interpreter
// (package engine), commands such as %time (package magic), the capture of what
// cells print (package capture) and the rendering of values (package render)
// into one Kernel, which is driven over the Jupyter protocol by package jupyter,
// and without Jupyter by package headless.
package kernel
