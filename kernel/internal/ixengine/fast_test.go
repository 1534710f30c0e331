package ixengine

import (
	"strings"
	"testing"

	"overcomplete/kernel/internal/regcode"
)

// sameFast checks that cells give the same results with the interpreter alone, with register code alone, and
// with native code for all loops and calls that can have it.
func sameFast(t *testing.T, cells ...string) {
	t.Helper()
	defer func() { fast = true }()
	fast = false
	alone := outcome(t, cells)
	fast = true
	if got := outcome(t, cells); got != alone {
		t.Errorf("%s\ngives %s\nthe interpreter alone %s", strings.Join(cells, "\n---\n"), got, alone)
	}
	defer func(hot int) { regcode.Hot = hot }(regcode.Hot)
	regcode.Hot = 0
	if got := outcome(t, cells); got != alone {
		t.Errorf("%s\nnatively gives %s\nthe interpreter alone %s", strings.Join(cells, "\n---\n"), got, alone)
	}
}

func TestFastMaps(t *testing.T) {
	sameFast(t, `type key struct{ a int; b string }
func f() (out []any) {
	m := map[string]int{}
	for i, w := range []string{"a", "b", "a", "c", "b", "a"} { m[w] += i; if v, ok := m["c"]; ok { out = append(out, v, len(m)) } }
	delete(m, "b")
	k := map[key]float64{}
	k[key{1, "x"}] = 2.5
	k[key{1, "x"}]++
	out = append(out, m["a"], m["b"], k[key{1, "x"}], k[key{2, "x"}], len(m), len(k))
	e := map[error][]int{}
	e[error(nil)] = nil
	out = append(out, len(e))
	u := map[uint8]int32{}
	for i := range 1000 { u[uint8(i)]-- }
	s := int32(0)
	for k, v := range u { s += int32(k) * v }
	for k := range u { if k > 3 { delete(u, k) } }
	out = append(out, s, len(u))
	for i, r := range "aé\xff世" { out = append(out, i, r) }
	for i := range "éa" { out = append(out, i) }
	var none map[int]string
	for range none { out = append(out, "never") }
	out = append(out, none[3])
	return
}
f()`, "f()")
	sameFast(t, "func g(m map[string]int) { m[\"a\"] = 1 }\ng(nil)")
	sameFast(t, "type bad struct{ f any }\nfunc g(m map[bad]int) int { return m[bad{func() {}}] }\ng(map[bad]int{})")
}

func TestFastMapUpdates(t *testing.T) {
	sameFast(t, `import "math"
func f() (out []any) {
	counts, sums, bits, nans := map[string]int{}, map[int]float64{}, map[uint8]uint16{}, map[float64]int{}
	for i, w := range []string{"a", "b", "a", "", "c", "a"} {
		counts[w]++
		counts["n"] -= i
		sums[i%2] += float64(i) / 3
		sums[-1] = 1 - sums[-1]
		sums[9] /= float64(i)
		bits[uint8(i*100)] |= 1 << i
		bits[3] += 40000
		bits[3] <<= 1
		nans[math.NaN()]++
		old := counts[w]
		counts[w] = old * 2
		counts[w] = counts["a"] + 1
		counts[w] %= 7
	}
	return append(out, counts, sums[0], sums[1], sums[-1], bits, len(nans))
}
f()`, "f()")
	sameFast(t, "func g(m map[string]int) int {\n\tfor i := 0; ; i++ {\n\t\tm[\"a\"]++\n\t}\n}\ng(nil)")
	sameFast(t, "m := map[int]int{}\nfunc g(n int) {\n\tm[n] /= n\n}\ng(2)\ng(0)", "m")
	// The same while other goroutines run.
	sameFast(t, "m := map[int]int{}\ndone, stop := make(chan bool), make(chan bool)\ngo func() { <-stop; close(done) }()\nfunc f() { for i := range 100 { m[i%7]++ } }\nf()\nclose(stop)\n<-done\nf()\nm")
}

func TestFastConstantText(t *testing.T) {
	sameFast(t, "func f(n int) (out []any) { for i := range n { s := \"\"; for j := range 9 { s += \"abcdefgh\"[(i+j)%8 : (i+j)%8+1] }; out = append(out, s, \"xyz\"[i%3], \"abc\"[i%4:], len(\"ab\"[:i%3])) }; return }\nf(8)", "f(1)")
	sameFast(t, "func f(n int) string { return \"abc\"[n:] }\nf(4)")
}

func TestFastConstantTextElement(t *testing.T) {
	sameFast(t, "func f(n int) byte {\n\treturn \"abc\"[n]\n}\nf(1)", "f(3)")
}
