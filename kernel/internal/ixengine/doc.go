// Package ixengine runs cells on ixgo, an interpreter of the SSA form that golang.org/x/tools/go/ssa makes
// from type-checked Go.
//
// # How a cell runs
//
// A session keeps the current declarations by name: imports, constants, types with their methods, functions,
// and variables. A cell is parsed, and its declarations replace earlier declarations of the same names. Then
// one small program, package main, is composed of the cell's statements (the body of a function cell__) and
// all declarations that they reach; it is type-checked, built and run. A cell takes milliseconds, and the
// language is all of Go, because the type checker is go/types and the SSA builder is the Go team's.
//
// # What persists between cells
//
//   - Variables keep their address. x := ... at the top level of a cell becomes
//     a package variable with the type that go/types finds; every program that
//     mentions x gets the same address. Declaring x again with the same type
//     assigns to it; with another type it makes a new variable. A new variable is
//     also made if x contains a lock that goroutines of earlier cells may be using
//     (variables.go).
//   - Types keep their identity. A named type of package main whose declaration,
//     methods' signatures and reachable types have not changed is always the
//     same reflect.Type (see loader), so that assertions, type switches, errors.As
//     and maps of any work across cells.
//     A type that is redeclared with different text is a different type: values of the
//     older type are lost, and so are its methods.
//   - Old code sees new functions. Each function begins with a test of a hook
//     variable, nil at first; when a function is declared again with the same
//     signature, the hooks of its older versions are set to the new one. So a
//     closure or a String method of an earlier cell calls what the user sees.
//   - The var declarations at the beginning of a cell, before its first other statement, are initialized in
//     Go's order for package variables: each variable after the variables that its value needs, directly or
//     through functions. So a file that is pasted into a cell runs as in Go. Everything else runs in source
//     order; a var declaration after a statement keeps its place, because it may need the statement's
//     effects. Where Go's order has a cycle, as in var x = x + 1 with an x from an earlier cell, source order
//     holds. The init functions run as soon as the cell's variables that they mention are initialized. main runs
//     at the end of a cell that declares main and has a package clause, or nothing but declarations (order.go).
//   - Any loop, any function and any wait can be stopped (stop.go, wait.go). Compiled code
//     can be stopped if it heeds its context (context.go).
//
// # Files in reading order
//
//	session.go, run.go    a session; a cell from its text to its values
//	order.go              the order of its statements
//	program.go, decl.go   which declarations make up a cell's program
//	check.go              type-checking, also of cells that do not run; what %%cache keeps
//	imports.go            compiled packages, reduced to what cells mention
//	buildssa.go           the program, reduced to what it mentions
//	hints.go, hints_*.go  hints about faults
//	instrument.go, mend.go, callsfirst.go
//	                      what is added to the syntax of cells, and what is rewritten
//	host.go, typeexpr.go, sametypes.go
//	                      types and variables that programs share
//	overrides.go, logging.go, registered.go, servers.go
//	                      functions of compiled packages that are replaced
//	instructions.go       what is replaced in the interpreter's own code
//	minmax.go, runtimeerrors.go, maps.go, deferred.go, recover.go
//	                      some of these replacements; maps.go also detects concurrent uses of a map
//	level.go              the ways to run code, for tests that compare them
//	fast_func.go          functions as register code; it lists the other files fast_*.go
//	goroutines.go, stop.go, wait.go, pull.go, context.go, goexit.go, deadlock.go, memory.go
//	                      stopping, and endless work of a cell
//	recursion.go          endless recursion, for which Go ends the process
//	trace.go, callbacks.go
//	                      the places of panics in cells, and whose fault they are
//	callers.go            the call stack, for code that looks at it
//	introspect.go         what names mean, for queries while cells run
//	testing.go, testing_placed.go
//	                      functions of cells called by package testing, and tests handed to compiled code
//	profile.go, profile*.go
//	                      which lines take the time or the memory
//	debug.go, debug_*.go  stopping at breakpoints, and inspecting variables
//	methodtables.go, promoted.go, embedded.go
//	                      methods and fields of the types that the interpreter makes
//	variables.go          removing variables; variables with locks that are declared again; variables of failed cells
//	modules.go, modules_*.go
//	                      packages that are run from source
//	declarations.go       the session's declarations as cells
//	unexported.go, linkname.s
//	                      unexported parts of the interpreter that are used
//
// # Stopping
//
// A cell that is asked to stop ends at its next loop, call or wait, together with all goroutines that it has started.
// Goroutines of earlier cells continue until StopGoroutine or StopGoroutines is called. Deferred functions run.
// Compiled functions are stopped by their context. Where a cell passes context.Background() or a nil context, they get
// the running cell's context. The same holds for a nil field Context of an options struct, which occurs in other
// modules but not in the library. A function that takes no context may ask for the cell's context (package cell). If
// the function has no error result, it panics with the context's error, which stops the cell like any other stop. A
// compiled function that does not heed a context continues until it returns. Meanwhile Goroutines lists it. Its result
// is dropped, and after it returns only deferred functions of the cell run.
//
// # What would end the process
//
// Endless recursion through compiled code (a String method that prints its receiver), uses of one map by
// several goroutines if one of them writes, and printing a map or slice that contains itself are fatal in Go:
// no code can recover from them. Here they are errors of the cell: see recursion.go, maps.go and package cycle.
// Faults inside compiled code, such as maps.Keys of a map that is being written to, still end the process.
//
// # Register code
//
// A function of a cell gets register code (package regcode) when it is called for the first time. Register code is some
// ten times as fast as the interpreter, and holds all kinds of values in registers; see fast_func.go. It also makes
// channels, sends to them, selects among them, starts goroutines, defers calls, and calls compiled functions. Some
// things it cannot do, for example defer in the body of a loop over a function, or print with println. There the
// interpreter's own instruction runs, in a frame that is made for the call if there is none yet. The interpreter also
// runs deferred calls during a panic, and what follows a recovered panic. Its frames serve tracebacks and stops.
//
// Hot loops with the calls in them, and functions that only compute, become WebAssembly (package native) on
// processors that have a compiler for it; OVERCOMPLETE_NATIVE=off turns this off. Code in debug form, and code in a
// heap profile, runs in the interpreter alone.
//
// # Packages
//
// If the type checker got all exports of the imported packages, a cell with ten imports would take 30 ms; if
// the program were built from all exports, each later cell that uses them would take 15 ms. So the type
// checker and the builder get only the names that cells mention: see imports.go and buildssa.go. ixgo's own
// importer and builder are still used for packages that are run from source, for programs that cannot be
// built from the mentioned parts, and as the oracle for the tests.
//
// # Packages from source
//
// Packages that are not compiled in are loaded into the session: type-checked in its universe, built and
// initialized once, and from then on used as if they were compiled, except for generic code, which each
// program builds for itself. Their code is instrumented and run like that of cells, so everything said here
// about cells applies to it too: stopping, tracebacks, limits. A package that fails to load leaves nothing
// behind if none of its code has run; otherwise its goroutines are stopped, and the entry points of its
// types' methods stay in use. Packages with cgo, assembly or linkname directives to unreachable targets are
// refused. Package unsafe works; access to a bad address panics.
//
// # Debugging
//
// Session implements engine.Debugger. Code that must be able to stop at its statements is built in a debug form. In
// debug form a place precedes each statement: a call into the host package with the addresses of the variables in
// scope. The session replaces this call with a test of a flag (debug_form.go, debug_site.go). Only the code concerned
// is built in debug form (debug_concern.go): functions with a breakpoint, functions that mention them, functions that a
// step may enter, and the statements of cells that mention one of these functions and run while a debugger is attached.
// While a debugger stops at panics, all code is built in debug form. Code built earlier reaches the debug forms through
// the hooks, which are restored when they are no longer needed. Functions in debug form have no register code: a loop
// over numbers is then some 25 times as slow, and a breakpoint's condition costs a few microseconds each time. All
// other code runs as usual, except that it reads one more flag at the beginning of each function, when compiled code
// calls it, and when it waits.
//
// The goroutine that hits a breakpoint waits in debug_hold.go. The other goroutines wait at their next stop
// check. A debugger's expression runs in a goroutine that is not held, as a separate program that accesses
// the frame's variables by their addresses (debug_eval.go). A condition works on copies of the variables: an
// assignment in it changes only the copy.
//
// Known limits. A function that is already running continues in the form in which it was called. Generic
// functions have no hook: older code calls them in their plain form. Function literals made in debug form
// stay in debug form after the debugger is detached, until their cell runs again; functions and methods do
// not. Frames in plain form show no variables. A step out to a caller in plain form ends at the next place of
// another caller. A panic counts as caught if a deferred function calls recover, even if that call would not
// be reached for this panic. A deferred func variable is assumed not to recover.
//
// # Concurrency
//
// Goroutines of this and of earlier cells run while a cell is built and while others query the session. So
// each piece of state has an owner or a lock; the race detector checks this in tests (TestManyBegin,
// TestMeanwhile, and random programs with goroutines).
//
//	the goroutine of Run, Load or Call, one at a time (introspection.running is locked):
//	    Session.hooks                  the hooks are words that code reads atomically: hook.set, loadHook
//	    lastID, hidden, results, builtin, nested, modules.order and byPath while they are built
//	    a program while it is built    immutable when its code runs, except as listed below
//	immutable once others see it:
//	    env, decl, and a variable except its address (introspection.mu guards which env is the session's)
//	    shape, callForm, passage, a fastFunc's values, inFrame, sites, params and results (from state hasCode on)
//	    an interpreter's context: its overrides and numbers of nested types (newInterp); its functions and instructions
//	    layout, regcode.Hot, NativeCompiler, Breathe, fast: set before anything runs, or by tests
//	a lock:
//	    code while it is compiled      fastProgram.mu: known, small, a fastFunc's maps, form
//	    shapes                         shapes.mu
//	    methods by type                fastProgram.methodsMu; methodSets are replaced whole (introduce, setsOf)
//	    types of programs              loader.mu; the interpreter's own typesMutex
//	    promoted methods               promotions.mu, and a sync.Map of the interpreter's
//	    types with methods as code     mendedDirect, a sync.Map
//	    counters of functions          functionPCs.mu
//	    texts of cells                 sources.mu
//	    methods of types just made     madeMethods.mu
//	    goroutines, runs, contexts     stopper.mu, for the fields with a comment that says so
//	    uses of maps                   mapUses.mu: each map instruction calls enter and leave
//	    panics between programs        crossings.mu
//	    the profile                    activeProfile.mu, node.mu; cpuProfiler, which all sessions share
//	    the debugger                   debugger.mu, places.mu, breakpoint.mu; debugState.building while a form is built
//	    syntax of declarations         debugState.building: held by all code that checks or builds a program
//	    packages from source           modules.mu for writes and for queries; they are not loaded while a cell runs
//	    native code being compiled     one at a time (compiling); wazeroEngine.compiling
//	atomic:
//	    fastFunc.state and Code; fastSite.passed; Methods.found; a loop's Run and Refused, a call's run
//	    stopper.told, alive, others and bubbles, timers, handedOut, profiled, debugState.now, alert and panics, modules.any,
//	    tests.running
//	one goroutine at a time, which gets it from a pool:
//	    Machine (sync.Pool, regcode.Parking), a native program's entry (program.free): not used after it has been put back
//	read without a lock on purpose, by functions hidden from the race detector (go:norace):
//	    host.stop                      a flag that changes a few times in a session: a loop sees it a moment later
//	    an Op's code (program.replace) one of two opcodes that are both right
//	    counts of turns and gains      nothing depends on the exact numbers
//
// Completion and inspection (Names, Peek, TypesOf), Goroutines, StopGoroutine, Context, Start, the debugger
// and interrupts (the end of Run's ctx) may come at any time, from any goroutine. Only the caller of Run may
// call Vars, Set, Parse, Load, Profile and Test, between cells or from within one.
//
// # What a session holds
//
// A session holds the text of each cell and the positions of its lines (0.3 kB and more, for tracebacks of functions
// that stay alive), the address of the hook of each version of a function, and everything that the session's variables,
// types and functions refer to. Programs and interpreters of earlier cells are garbage unless a closure or a goroutine
// still runs in them, or they created a type with methods: the entry points of methods are never freed. A type with
// methods costs some 200 kB each time its fields or its methods' signatures change, and a new body of a method costs
// 1.4 kB.
//
// # Traps
//
// All programs that include a declaration share its syntax trees. They must not be changed after instrument, with one
// exception: callsfirst.go changes them while a program is built, and then restores them.
//
// A panic of a cell's function in a goroutine that compiled code has started ends the process unless that code recovers
// it, as this project's own library does. If nothing on the goroutine's stack can recover, because only functions of the
// standard library and gonum are on it, the engine reports the panic and ends only the goroutine (see endsProcess). Code
// that waits for the goroutine then waits forever.
//
// Before the memory watch (memory.go) notices, a single operation of compiled code may allocate more memory than is
// left. Checks precede make, append, concatenation, and the functions that allocations replaces.
package ixengine
