// Package tablegen writes the tables that make compiled packages importable from cells (see package bind),
// and the archives that describe these packages for completion and inspection (see package apidoc). The
// generator in kernel/bind/gen uses tablegen for the packages that come with the kernel. Package modules uses
// it for packages of other modules that are compiled in later.
package tablegen
