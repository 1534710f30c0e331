// Package refusals has a test that calls everything that the library exports with invalid arguments, and
// requires that the package itself reports the error.
package refusals
