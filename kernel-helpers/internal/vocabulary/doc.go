// Package vocabulary tests that the packages of the library use the same names for the
// same things, namely the names of the table in docs/library.md.
package vocabulary
