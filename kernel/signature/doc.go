// Package signature records which outputs were made on this computer, so that a page runs only the scripts of
// these.
//
// Jupyter does so for whole notebooks. Here each output has its own signature. The kernel sees outputs, not the
// file that a front end writes, and a notebook of unknown origin does not become harmless because one of its
// cells ran here. A signature is the HMAC-SHA256 of one representation of an output, with a key that only this
// user can read; nobody can make one without the key. Signatures are stored next to the key, not in the
// notebook.
//
// Only active content is signed: HTML, Markdown (which may contain HTML) and JavaScript.
//
// The output of a cell is signed no matter who wrote the cell: running the cell already trusted it with more
// than a page. If that does not hold, for example when submissions are graded in a sandbox, make pages without
// this package (overcomplete export --clean).
package signature
