// Package modcache reads what the go command has left on this machine: which modules are
// downloaded, what packages they have, which of them a go.mod requires, and where the source
// of a package that is compiled into this program lies.
//
// It runs no command, uses no network and writes nothing. What it says is for completion,
// inspection and hints: a cell is run by the versions that package modules finds out.
package modcache
