// Package must turns errors of libraries into panics, which is how the experiments of papers report
// them. It is not part of package lab: cells can import lab, and packages that cells import have no
// generic functions.
package must

import "overcomplete/kernel-helpers/ended"

// Get returns v, or panics with err if it is not nil.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Accept is like Get, but accepts a result that has not met its tolerance: it does not panic if err wraps
// ended.ErrNotConverged.
func Accept[T any](v T, err error) T { return Get(v, ended.Accept(err)) }
