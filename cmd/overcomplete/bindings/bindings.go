// Package bindings lets cells import this module's packages: the library, the data sets and
// the papers. Importing it is all that is needed. The kernel does not, so that it builds
// without the papers, and a paper does not change the kernel.
//
// All files whose names end in _bind.go are generated, and so are the archives, from which
// completion and inspection have the types and doc comments; see [overcomplete/kernel/bind].
// The generator finds the packages by itself. After a change of what one exports run
//
//	go run ./kernel/bind/gen
package bindings

import (
	"embed"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel/bind"
)

//go:embed api*.zip
var archives embed.FS

func init() {
	bind.Describe(archives)
	gemm.Use() // gonum's matrices in cells are as fast as they can be
}
