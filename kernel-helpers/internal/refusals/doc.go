// Package refusals has a test that calls everything that the library exports with invalid arguments, and
// requires an error message of the package itself.
package refusals
