// Package refusals has the test that calls everything that the library exports with what
// no function can work with, and requires the package's own message.
package refusals
