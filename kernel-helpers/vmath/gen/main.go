// Command gen writes the assembly of package vmath, its declarations and the functions that choose between
// the instruction sets. It is run in the package's folder by go generate.
//
// Reading order: functions.go has the algorithms; kernel.go has the operations that they use; avx.go and
// neon.go implement these operations for amd64 and arm64; avxloops.go and neonloops.go have the loops around
// them; package coefficients has the polynomials (computed by fit); dispatch.go chooses the instruction set.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	files, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Base(name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns a map from the name of each generated file to its source.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, wide := range []bool{false, true} {
		name := "avx2_amd64"
		if wide {
			name = "avx512_amd64"
		}
		text, stubs, err := assembly(wide)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name+".s"], files[name+".go"] = text, stubs
	}
	var err error
	if files["neon_arm64.s"], files["neon_arm64.go"], err = neonAssembly(); err != nil {
		return nil, err
	}
	if files["dispatch_arm64.go"], err = dispatch("!noasm", "NEON"); err != nil {
		return nil, err
	}
	if files["dispatch_amd64.go"], err = dispatch("!noasm", "AVX512", "AVX2"); err != nil {
		return nil, err
	}
	// The functions for SIMD128 are in simd128_js.go.
	if files["dispatch_js.go"], err = dispatch("livesimd", "SIMD128"); err != nil {
		return nil, err
	}
	files["dispatch_portable.go"], err = dispatch("((!amd64 && !arm64) || noasm) && !(js && livesimd)")
	return files, err
}

// assembly returns the assembly code and the Go declarations of the functions, for AVX-512 if wide is true, otherwise
// for AVX2.
func assembly(wide bool) (text, stubs []byte, err error) {
	c := build.NewContext()
	c.ConstraintExpr("!noasm")
	constants := map[string]operand.Mem{}
	for _, single := range []bool{false, true} {
		k := newAVX(c, wide, single, constants)
		k.elementwise("exp", "stores e^x.", func() unary {
			e := k.expConstants(false)
			return func(x vector) vector { return k.exp(e, x) }
		})
		k.elementwise("log", "stores log x.", k.log)
		k.elementwise("sigmoid", "stores 1/(1+e^-x).", k.sigmoid)
		k.elementwise("softplus", "stores log(1+e^x).", k.softplus)
		k.scale()
		k.largest()
		k.sumExp(false)
		k.sumExp(true)
	}
	f, err := c.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: "gen", Pkg: "vmath"}
	if text, err = printer.NewGoAsm(cfg).Print(f); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(f)
	return text, stubs, err
}
