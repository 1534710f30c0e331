// Package apidoc describes the packages that cells can import: their types, as go/types represents them (including the
// names of parameters), and their doc comments. It needs neither a source tree nor a toolchain.
//
// The descriptions are in embedded archives written by kernel/bind/gen: api.zip for the oldest version of Go with which
// this project was tried, and an archive such as api_go127.zip for each later version. The archive for a later version
// has only the members that differ from api.zip, and most of these store only their differences (see Delta). The
// members of an archive are:
//
//	index.json    for each import path the package's name and synopsis
//	types         export data of all packages and of the types that they mention
//	docs.json     for each import path the package's doc comments by symbol
//
// Data is read only when it is needed. The types of all packages are read together (some 100 ms, 8 MB). The doc
// comments of all packages are unpacked together (some 30 ms, 3 MB), because a file for each package would be a fifth
// larger, and are decoded package by package.
//
// The symbols of a package are "" for the package itself, "Dense" for a top-level declaration, and "Dense.At" for a
// method or field, including methods of interfaces. Package "builtin" has the doc comments of Go's predeclared names,
// and no types.
package apidoc
