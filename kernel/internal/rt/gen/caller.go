package main

import (
	"fmt"
	"strings"
)

// callerName returns the name of a signature's caller.
func callerName(sig string) string { return "call" + strings.TrimPrefix(name(sig), "wrap") + "Of" }

// caller returns the source of a signature's caller.
func caller(sig string) string {
	parameters, results, _ := strings.Cut(sig, ":")
	var params, args []string
	argN, argP, ifaces := 0, 0, 0
	for _, c := range parameters {
		k := kinds[c]
		params = append(params, k.goType)
		arg := strings.NewReplacer(
			"N0", fmt.Sprintf("n[of.ArgN[%d]]", argN), "N1", fmt.Sprintf("n[of.ArgN[%d]]", argN+1),
			"P0", fmt.Sprintf("p[of.ArgP[%d]]", argP), "P1", fmt.Sprintf("p[of.ArgP[%d]]", argP+1),
			"t.Result", fmt.Sprintf("of.ifaces[%d]", ifaces),
		).Replace(k.result)
		if c == 'm' {
			ifaces++
		}
		argN, argP = argN+len(k.n), argP+len(k.p)
		args = append(args, arg)
	}
	var resultTypes, names, sets []string
	resN, resP := 0, 0
	for i, c := range results {
		k, x := kinds[c], string(rune('a'+i))
		resultTypes, names = append(resultTypes, k.goType), append(names, x)
		for _, leaf := range k.n {
			sets = append(sets, fmt.Sprintf("n[of.ResN[%d]] = "+leaf, resN, x))
			resN++
		}
		for _, leaf := range k.p {
			leaf = strings.NewReplacer("typeWord(", "typeWordAt(&", "dataWord(", "dataWordAt(&", "itabType(", "itabTypeAt(&", "itabData(", "itabDataAt(&").Replace(leaf)
			sets = append(sets, fmt.Sprintf("p[of.ResP[%d]] = "+leaf, resP, x))
			resP++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(of *Callee, n *Numbers, p *Pointers) {\n\t", callerName(sig))
	// Results whose addresses are taken are allocated before the call. A function made by reflect.MakeFunc
	// has a pointer to the end of its stack arguments even if it has none. That address may belong to one of
	// these results, and the garbage collector follows the pointer while the function runs.
	for i, c := range results {
		fmt.Fprintf(&b, "var %s %s\n\t", names[i], kinds[c].goType)
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "%s = ", strings.Join(names, ", "))
	}
	fmt.Fprintf(&b, "(*(*func(%s) (%s))(unsafe.Pointer(&of.fn)))(%s)\n", strings.Join(params, ", "), strings.Join(resultTypes, ", "), strings.Join(args, ", "))
	for _, s := range sets {
		fmt.Fprintf(&b, "\t%s\n", s)
	}
	b.WriteString("}\n")
	return b.String()
}
