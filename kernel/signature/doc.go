// Package signature remembers which outputs of cells were made on this computer, so that a page may run
// the scripts of those, and of no others.
//
// Jupyter does so for whole notebooks. Here each output has a signature of its own, since the kernel
// sees outputs and not the file that a front end writes, and since a notebook of unknown origin does
// not become harmless because one of its cells was run here. A signature is the HMAC-SHA256 of a form
// of an output, with a key that only this user can read; who does not know the key can not make one.
// Signatures are kept beside the key, not in the notebook.
//
// Only what can do something is signed: HTML, Markdown (which may hold HTML) and JavaScript.
//
// What a cell shows is signed whoever wrote the cell: to run it was to trust it, with more than a
// page. Where that is not so, as when submissions are run in a sandbox to be graded, pages are to be
// made without asking this package (overcomplete export --clean).
package signature
