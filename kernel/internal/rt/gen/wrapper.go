package main

import (
	"fmt"
	"strings"
)

// A kind says how the generated code splits values of a type into leaves, and how it composes the values from their
// leaves.
type kind struct {
	name   string   // name of the type in function names
	goType string   // Go type of the parameter
	n, p   []string // expressions for its leaves; %s stands for the parameter
	result string   // expression for the value, given its leaves in registers N0, N1, P0, P1
}

// kinds maps letters in signatures to kinds. Package rt's function letter returns the letters.
var kinds = map[rune]kind{
	'i': {"Int", "int", []string{"uint64(%s)"}, nil, "int(N0)"},
	'r': {"Rune", "rune", []string{"uint64(int64(%s))"}, nil, "rune(N0)"},
	'y': {"Byte", "byte", []string{"uint64(%s)"}, nil, "byte(N0)"},
	'f': {"Float", "float64", []string{"math.Float64bits(%s)"}, nil, "math.Float64frombits(N0)"},
	'g': {"Float32", "float32", []string{"uint64(math.Float32bits(%s))"}, nil, "math.Float32frombits(uint32(N0))"},
	'c': {"Complex", "complex128", []string{"math.Float64bits(real(%s))", "math.Float64bits(imag(%s))"}, nil,
		"complex(math.Float64frombits(N0), math.Float64frombits(N1))"},
	'b': {"Bool", "bool", []string{"ofBool(%s)"}, nil, "N0 != 0"},
	's': {"String", "string", []string{"uint64(len(%s))"}, []string{"unsafe.Pointer(unsafe.StringData(%s))"}, "String(P0, N0)"},
	'l': {"Slice", "[]byte", []string{"uint64(len(%s))", "uint64(cap(%s))"}, []string{"unsafe.Pointer(unsafe.SliceData(%s))"},
		"ofSlice(P0, N0, N1)"},
	'p': {"Ptr", "unsafe.Pointer", nil, []string{"%s"}, "P0"},
	'm': {"Iface", "error", nil, []string{"itabType(%s)", "itabData(%s)"}, "withItab(t.Result, P0, P1)"},
	'e': {"Any", "any", nil, []string{"typeWord(%s)", "dataWord(%s)"}, "Any(P0, P1)"},
}

// name returns the name of a signature's wrapper.
func name(sig string) string {
	parameters, result, _ := strings.Cut(sig, ":")
	s := "wrap"
	for _, c := range parameters {
		s += kinds[c].name
	}
	if result != "" {
		s += "To"
	}
	for _, c := range result {
		s += kinds[c].name
	}
	return s
}

// wrapper returns the source of a signature's wrapper.
func wrapper(sig string) string {
	parameters, results, _ := strings.Cut(sig, ":")
	var params, n, p []string
	for i, c := range parameters {
		k, x := kinds[c], string(rune('a'+i))
		params = append(params, x+" "+k.goType)
		for _, leaf := range k.n {
			n = append(n, fmt.Sprintf(leaf, x))
		}
		for _, leaf := range k.p {
			p = append(p, fmt.Sprintf(leaf, x))
		}
	}
	var resultTypes, values []string
	resN, resP := 0, 0
	for _, c := range results {
		k := kinds[c]
		resultTypes = append(resultTypes, k.goType)
		values = append(values, inRegisters(k.result, resN, resP))
		resN, resP = resN+len(k.n), resP+len(k.p)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(t *Target) unsafe.Pointer {\n\tfn := func(%s) (%s) {\n", name(sig), strings.Join(params, ", "), strings.Join(resultTypes, ", "))
	fmt.Fprintf(&b, "\t\tcall(t, %s, %s)\n", registers(&b, "n", "uint64", n, resN), registers(&b, "p", "unsafe.Pointer", p, resP))
	if len(values) > 0 {
		fmt.Fprintf(&b, "\t\treturn %s\n", strings.Join(values, ", "))
	}
	b.WriteString("\t}\n\treturn *(*unsafe.Pointer)(unsafe.Pointer(&fn))\n}\n")
	return b.String()
}

// registers writes to b the declaration of an array that serves as registers in a call. It returns the expression that
// passes the array to Run. The name of the array, n or p, is given by file, and the type of its elements by elem. The
// array begins with the given expressions for the leaves of the arguments. The parameter results is the number of
// leaves that the results of the call have. The array has at least this number of elements.
func registers(b *strings.Builder, file, elem string, leaves []string, results int) string {
	size := max(len(leaves), results)
	if size == 0 {
		return "nil"
	}
	fmt.Fprintf(b, "\t\t%s := [%d]%s{%s}\n", file, size, elem, strings.Join(leaves, ", "))
	return file + "[:]"
}

// inRegisters returns an expression for a value that is in registers. The parameter result is the field result of a
// kind. In it, N0 and N1 are replaced by the number registers n and n+1, and P0 and P1 by the pointer registers p and
// p+1.
func inRegisters(result string, n, p int) string {
	return strings.NewReplacer(
		"N0", fmt.Sprintf("n[%d]", n), "N1", fmt.Sprintf("n[%d]", n+1),
		"P0", fmt.Sprintf("p[%d]", p), "P1", fmt.Sprintf("p[%d]", p+1),
	).Replace(result)
}
