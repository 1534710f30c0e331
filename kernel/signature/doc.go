// Package signature records which outputs were made on this computer, so that pages run scripts only in these outputs.
//
// Jupyter signs whole notebooks. This package signs each output, for two reasons: the kernel sees outputs, not
// the file that a front end writes, and a notebook of unknown origin does not become harmless because one of
// its cells has run on this computer. A signature is the HMAC-SHA256 of one representation of an output, with a
// key that only this user can read. Nobody can make a signature without the key. Signatures are stored next to
// the key, not in the notebook.
//
// Only active content is signed: HTML, Markdown (which may contain HTML) and JavaScript.
//
// The output of a cell is signed no matter who wrote the cell, because running a cell requires more trust than
// showing a page. If that is not true, for example because submissions are graded in a sandbox, make pages
// without this package (overcomplete export --clean).
package signature
