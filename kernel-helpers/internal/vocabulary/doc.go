// Package vocabulary tests that the library's packages use the same names for the same things: the names in
// the table of docs/library.md.
package vocabulary
