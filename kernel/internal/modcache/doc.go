// Package modcache reads what the go command has left on this machine: the downloaded modules, their packages,
// the modules that a go.mod requires, and the location of the source of compiled-in packages.
//
// It runs no command, uses no network and writes nothing. Its answers are for completion, inspection and
// hints; the versions that a cell runs with are determined by package modules.
package modcache
