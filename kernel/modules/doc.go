// Package modules brings packages of other modules into cells: it decides which versions a
// notebook uses, lists the source of packages that are to be run from source, and makes
// programs in which they are compiled in. Only the go command downloads, resolves and
// checks anything.
package modules
