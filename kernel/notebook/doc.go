// Package notebook reads and writes Jupyter notebooks (nbformat 4).
//
// Parse takes any 4.x notebook and upgrades it to 4.5, the version that gives
// each cell an id; older major versions are refused. Bytes writes what
// Jupyter's own library would: indented by one blank, keys sorted, text as
// lists of lines, no escapes that JSON does not ask for, and a newline at the
// end. A 4.5 notebook that Jupyter wrote comes back byte for byte, which keeps
// the differences that version control shows to what has changed.
//
// # Invariants
//
// Fields and metadata that this package knows nothing of are kept. Numbers
// keep the digits that they were written with. After Parse each cell has a
// valid id, different from those of the other cells; an id that is missing is
// derived from the cell's place and source, so that reading the same file
// twice gives the same ids. No input makes Parse panic.
//
// What this project itself keeps in the metadata stands under overcomplete;
// Changed is the part of it that both the runner and pages need.
//
// # Traps
//
// As in Jupyter's library, four things are not kept: the notebook's metadata
// signature, orig_nbformat and orig_nbformat_minor, and a cell's metadata
// trusted. NaN and Infinity, which Python writes but JSON does not have, are
// refused.
//
// The format is described at https://nbformat.readthedocs.io.
package notebook
