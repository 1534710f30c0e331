// Package refusals has a test that calls all functions and methods that the library exports, with invalid arguments.
// The called package itself must report the error, not a package that it calls.
package refusals
