package neongen

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
)

// A File is an assembly file together with the Go declarations of its functions.
type File struct {
	pkg       string
	funcs     []*Func
	constants []constant
}

type constant struct {
	name  string
	words []uint64
}

// New returns an empty file for the package named pkg.
func New(pkg string) *File { return &File{pkg: pkg} }

// A Func is an assembly function. Its methods append instructions.
type Func struct {
	file      *File
	name, doc string
	signature *gotypes.Signature
	frame     int
	xs, vs    int
	labels    int
	code      []instruction
}

// An instruction is a line of assembly, or a label.
type instruction struct {
	uses   []use
	text   func(c allocation) string
	label  string // the label's name, if the instruction is a label
	target string // the label to which it branches
	copies bool   // whether it copies the first vector register to the second
}

// Func adds a function without instructions to the file, and returns it. The signature is written as in Go, including
// the word func. doc is the function's doc comment without the name.
func (file *File) Func(name, signature, doc string) *Func {
	s, err := gotypes.ParseSignature(signature)
	if err != nil {
		panic(fmt.Sprintf("neongen: %s: %v", name, err))
	}
	f := &Func{file: file, name: name, doc: doc, signature: s}
	file.funcs = append(file.funcs, f)
	return f
}

// Constant adds a constant to the file, and returns the constant's name. The constant has 16 bytes, with the number v
// in all lanes of shape s.
func (file *File) Constant(name string, s Shape, v float64) string {
	return file.Words(name, s.Bits(v), s.Bits(v))
}

// Words adds 64-bit numbers to the file as a constant with the given name, and returns the name. If the file already
// has a constant of that name, it must hold the same numbers.
func (file *File) Words(name string, words ...uint64) string {
	for _, c := range file.constants {
		if c.name == name {
			if fmt.Sprint(c.words) != fmt.Sprint(words) {
				panic("neongen: two constants " + name)
			}
			return name
		}
	}
	file.constants = append(file.constants, constant{name, words})
	return name
}

// Bits returns 64 bits that hold v in the shape's precision: two copies of a float32 for S4, one float64 for D2.
func (s Shape) Bits(v float64) uint64 {
	if s == D2 {
		return math.Float64bits(v)
	}
	return s.Repeat(uint64(math.Float32bits(float32(v))))
}

// Repeat returns 64 bits: for S4, two copies of the low 32 bits of the argument bits, and for D2, all 64 bits of the
// argument.
func (s Shape) Repeat(bits uint64) uint64 {
	if s == D2 {
		return bits
	}
	return bits<<32 | bits&(1<<32-1)
}

// Frame reserves n bytes on the stack. Local returns a register with their address.
func (f *Func) Frame(n int) { f.frame = n }

// Local loads the address of the bytes reserved by Frame into a new register, and returns this register.
func (f *Func) Local() X {
	d := f.X()
	f.general("MOVD $local-%d(SP), %s", []any{f.frame, to(d)})
	return d
}

// Address loads the address of the constant with the given name into a new register, and returns this register.
func (f *Func) Address(name string) X {
	d := f.X()
	f.general("MOVD $%s<>(SB), %s", []any{name, to(d)})
	return d
}

// component returns the argument or result with the given name. For a slice x, x_base is its address and x_len its
// length. The name of an unnamed result is ret.
func (f *Func) component(name string) *gotypes.Basic {
	base, part, _ := strings.Cut(name, "_")
	c := f.signature.Params().Lookup(base)
	if _, err := c.Resolve(); err != nil && part == "" {
		c = f.signature.Results().Lookup(base)
	}
	if name == "ret" {
		c = f.signature.Results().At(0)
	}
	switch part {
	case "base":
		c = c.Base()
	case "len":
		c = c.Len()
	}
	b, err := c.Resolve()
	if err != nil {
		panic(fmt.Sprintf("neongen: %s: %s: %v", f.name, name, err))
	}
	return b
}

// place returns the address of the argument or result with the given name, as written in Go's assembly.
func (f *Func) place(name string) string { return f.component(name).Addr.Asm() }

// Arg loads the argument with the given name into a new register, and returns this register.
func (f *Func) Arg(name string) X {
	d := f.X()
	f.general("MOVD %s, %s", []any{f.place(name), to(d)})
	return d
}

// FloatArg loads an argument of the shape's floating-point type into the first lane of a new register, and returns this
// register.
func (f *Func) FloatArg(s Shape, name string) V {
	d := f.V()
	f.general("%s %s, %s", []any{s.move(), f.place(name), toV(d)})
	return d
}

// Return stores the first lane of v as the result with the given name.
func (f *Func) Return(s Shape, name string, v V) {
	f.general("%s %s, %s", []any{s.move(), fromV(v), f.place(name)})
}

func (s Shape) move() string {
	if s == D2 {
		return "FMOVD"
	}
	return "FMOVS"
}

// littleEndian returns the bytes of words in little-endian order.
func littleEndian(words []uint64) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// Flags defines the flags that Generate reads. Programs that import avo must not call Flags, because avo already
// defines these flags.
func Flags() {
	flag.String("out", "", "file for the assembly")
	flag.String("stubs", "", "file for the declarations")
	flag.String("pkg", "", "package of both (the program knows it)")
}

// Generate writes the assembly and the Go declarations to the paths in the flags -out and -stubs, as avo does. If
// there is an error, it prints the error and exits the program.
func (file *File) Generate() {
	text, stubs, err := file.Write()
	for name, text := range map[string][]byte{"out": text, "stubs": stubs} {
		if err == nil {
			err = os.WriteFile(flag.Lookup(name).Value.String(), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Write returns the assembly, and a Go source file that declares its functions. It returns an error if a function
// needs too many registers, or reads a register that was never written.
func (file *File) Write() (text, stubs []byte, err error) {
	var asm, decl strings.Builder
	const head = "// Code generated by gen. DO NOT EDIT.\n\n//go:build !noasm\n\n"
	fmt.Fprintf(&asm, "%s#include \"textflag.h\"\n", head)
	fmt.Fprintf(&decl, "%spackage %s\n", head, file.pkg)
	for _, c := range file.constants {
		fmt.Fprintln(&asm)
		b := littleEndian(c.words)
		for i := 0; i < len(b); i += 8 {
			fmt.Fprintf(&asm, "DATA %s<>+%d(SB)/8, $%#016x\n", c.name, i, binary.LittleEndian.Uint64(b[i:]))
		}
		fmt.Fprintf(&asm, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", c.name, len(b))
	}
	for _, f := range file.funcs {
		c, e := f.choose()
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		signature := strings.TrimPrefix(f.signature.String(), "func")
		fmt.Fprintf(&decl, "\n// %s %s\n//\n//go:noescape\nfunc %s%s\n", f.name, f.doc, f.name, signature)
		said := map[string]bool{} // the instructions whose disassembly the function shows
		fmt.Fprintf(&asm, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", f.name, signature, f.name, f.frame, f.signature.Bytes())
		for _, in := range f.code {
			switch {
			case in.label != "":
				fmt.Fprintf(&asm, "%s:\n", in.label)
			case !in.isSuperfluous(c):
				code, text, isWord := strings.Cut(in.text(c), " // ")
				if isWord && !said[code] {
					said[code] = true
					code += " // " + text
				}
				fmt.Fprintf(&asm, "\t%s\n", code)
			}
		}
	}
	stubs, e := format.Source([]byte(decl.String()))
	return []byte(asm.String()), stubs, errors.Join(err, e)
}
