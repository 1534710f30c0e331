// Package notebook reads and writes Jupyter notebooks (nbformat 4).
//
// Parse accepts any 4.x notebook and upgrades it to 4.5, the version that gives each cell an id; older major versions
// are refused. Bytes writes the same bytes as Jupyter's own library: indented by one blank, keys sorted, text as lists
// of lines, no escapes that JSON does not require, and a newline at the end. A 4.5 notebook that Jupyter wrote is
// reproduced byte for byte, so that version control shows only real changes.
//
// # Invariants
//
// Fields and metadata that this package does not know are kept. Numbers keep their digits as written. After Parse each
// cell has a valid id, different from those of the other cells. A missing id is derived from the cell's position and
// source, so that reading the same file twice gives the same ids. No input makes Parse panic.
//
// This project's own metadata are under the key overcomplete. This package defines two parts of them, [Lock] and
// [ParameterChanges]; the runner (package headless) adds others.
//
// # Traps
//
// As in Jupyter's library, four entries are dropped: signature, orig_nbformat and orig_nbformat_minor in the
// notebook's metadata, and trusted in a cell's metadata. NaN and Infinity, which Python writes although JSON does not
// allow them, are refused.
//
// The format is described at https://nbformat.readthedocs.io.
package notebook
