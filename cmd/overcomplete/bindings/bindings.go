// Package bindings makes this module's packages available to cells: the library, the data sets and the papers. A
// program that imports bindings need not call anything in it. The kernel does not import it, so that the kernel builds
// without the papers, and a new paper does not change the kernel.
//
// All files with names that end in _bind.go are generated. The archives (api*.zip) are generated too: completion and
// inspection read types and doc comments from them; see [overcomplete/kernel/bind]. The generator finds the packages
// by itself. After a change to a package's exported names or their comments, run
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
	gemm.Use() // make products of gonum matrices in cells fast
}
