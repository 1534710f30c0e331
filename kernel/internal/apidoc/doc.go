// Package apidoc describes the packages that cells can import, with no source
// tree and no toolchain at hand: their types, as go/types knows them (names of
// parameters included), and their doc comments.
//
// All of it is in embedded archives, which kernel/bind/gen writes: api.zip for the oldest
// Go that this project was tried with, and for each later one, in api_go127.zip and the
// like, the members in which it differs. Their members:
//
//	index.json    for each import path the package's name and synopsis
//	types         export data of all packages and of what they mention
//	doc/PATH      the package's doc comments by symbol, as JSON
//
// Nothing is read before it is asked for. The types of all packages are read at
// once (some 100 ms, 8 MB); doc comments package by package.
//
// The symbols of a package are "" for itself, "Dense" for what it declares at
// the top level, and "Dense.At" for methods and fields, also of interfaces.
// Package "builtin" has the doc comments of Go's own names, and no types.
package apidoc
