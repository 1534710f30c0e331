// Package vocabulary has a test: that the packages of the library call the same things by
// the same names, which are those of the table in kernel-helpers/README.md.
package vocabulary
