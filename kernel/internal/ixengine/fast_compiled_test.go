package ixengine

import "testing"

func TestFastCompiledCalls(t *testing.T) {
	sameFast(t, `import ("strings"; "strconv"; "bytes"; "errors"; "fmt"; "math/bits"; "unicode"; "math/rand"; "sort"; "bufio")
func f() (out []any) {
	var b strings.Builder
	for i := range 20 { b.WriteString(strconv.Itoa(i)); b.WriteByte(','); b.WriteRune('é') }
	n, err := b.WriteString("end")
	out = append(out, b.String(), b.Len(), n, err)
	for _, s := range []string{"12", "x", ""} { v, err := strconv.Atoi(s); out = append(out, v, err != nil, fmt.Sprint(err)) }
	v, err := strconv.ParseFloat("2.5e3", 64)
	before, after, ok := strings.Cut("a=b", "=")
	out = append(out, v, err, before, after, ok, strings.Fields(" a b "), strings.Repeat("ab", 3), strings.Contains("abc", "bc"))
	out = append(out, bytes.Equal([]byte("a"), []byte("a")), unicode.IsUpper('Ä'), unicode.ToLower('Ä'), strconv.FormatFloat(0.1, 'g', -1, 64))
	hi, lo := bits.Mul64(1<<63, 6)
	e := errors.New("e")
	w := fmt.Errorf("w: %w", e)
	out = append(out, hi, lo, errors.Is(w, e), errors.Is(w, nil), w.Error(), fmt.Sprintf("%d %v", 3, "x"))
	r := rand.New(rand.NewSource(1))
	xs := []int{3, 1, 2}
	sort.Ints(xs)
	out = append(out, r.Intn(100), r.Float64(), xs)
	sc := bufio.NewScanner(strings.NewReader("one\ntwo\n"))
	for sc.Scan() { out = append(out, sc.Text(), sc.Err()) }
	return
}
f()`, "f()")
	// Panics of compiled functions are reported at the call.
	sameFast(t, "import \"strings\"\nfunc f(n int) string {\n\ts := \"\"\n\tfor i := n; ; i-- { s += strings.Repeat(\"x\", i) }\n}\nf(2)")
	sameFast(t, `import "strings"
func f(n int) (s string, err any) { defer func() { err = recover() }(); return g(n), nil }
func g(n int) string { return strings.Repeat("x", n) + h(n) }
func h(n int) string { return strings.Repeat("y", n-1) }
f(0)`, "f(2)", "f(-1)")
	sameFast(t, "import \"strings\"\nvar b *strings.Builder\nfunc f() { b.WriteString(\"x\") }\nf()")
	// Compiled functions that call back into cells.
	sameFast(t, `import ("fmt"; "sort")
type p struct{ x int }
func (v p) String() string { if v.x < 0 { panic("negative") }; return fmt.Sprint("p", v.x) }
type list []p
func (l list) Len() int { return len(l) }
func (l list) Less(i, j int) bool { return l[i].x < l[j].x }
func (l list) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func f(x int) string { l := list{{3}, {x}, {2}}; sort.Sort(l); return fmt.Sprintln(l[0], l) }
f(1)`, "f(-1)")
}
