// Package modcache reads what the go command has left on this machine: the downloaded modules and their
// packages, the modules that a go.mod requires, and the folders with the source of compiled-in packages.
//
// It runs no command, uses no network and writes nothing. Its results are for completion, inspection and
// hints. The versions with which a cell runs are determined by package modules.
package modcache
