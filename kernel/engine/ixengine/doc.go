// Package ixengine runs cells on ixgo, an interpreter of the SSA form that
// golang.org/x/tools/go/ssa makes of type-checked Go.
//
// # How a cell runs
//
// A session keeps the current declarations by name: imports, constants, types
// with their methods, functions, and variables. A cell is parsed, and what it
// declares replaces what had those names. Then one small program, package
// main, is put together from the cell's statements (the body of a function
// cell__) and of all declarations that they reach; it is type-checked, built
// and run. A cell takes milliseconds, and the language is all of Go, for the
// type checker is go/types and the SSA builder is the Go team's.
//
// # What holds between cells
//
//   - Variables keep their address. x := ... at the top level of a cell becomes
//     a package variable with the type that go/types finds; every program that
//     mentions x is given the same address. Declaring x again with the same
//     type assigns to it; with another type it makes a new variable.
//   - Types keep their identity. A named type of package main whose declaration,
//     methods' signatures and reachable types have not changed is always the
//     same reflect.Type (see loader), so that assertions, type switches, errors.As
//     and maps of any work across cells.
//   - Old code sees new functions. Each function begins with a test of a hook
//     variable, nil at first; when a function is declared again with the same
//     signature, the hooks of its older versions are set to the new one. So a
//     closure or a String method of an earlier cell calls what the user sees.
//   - Any loop and any function can be stopped: each begins with a test of a
//     flag, see stop.go.
//
// # Traps
//
// The syntax trees of a declaration are shared by all programs that include
// it; nothing may change them after instrument. Interpreters of earlier cells must
// stay alive, for closures and methods of pinned types run in them.
package ixengine
