// Package tablegen writes the tables by which compiled packages become importable from cells
// (see package bind), and the archives from which completion and inspection know them (see
// package apidoc). The generator in kernel/bind/gen uses it for the packages that come with
// the kernel, package modules for those of other modules that are compiled in later.
package tablegen
