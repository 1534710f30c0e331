package randprog

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Expressions have no side effects, and at most one operation of a statement may panic. Go does not define
// the order in which the operands of an expression are evaluated. So it would be undefined whether
// operands see each other's changes, and which of two panics comes first. Constants are not used as
// operands if the compiler would reject an overflowing result.

// expr returns an expression of type t; a larger d allows a deeper expression.
func (g *gen) expr(t *goType, d int) string {
	switch t.kind {
	case boolean:
		return g.boolExpr(d)
	case integer, floating, complexes, text:
		if d <= 0 || g.chance(1, 6) {
			if s := g.read(t); s != "" && g.chance(3, 4) {
				return s
			}
			return g.constant(t)
		}
		return g.nonConst(t, d)
	case slice:
		return g.sliceExpr(t, 0)
	case array, structure:
		return g.aggregate(t, d)
	case pointer:
		return g.pointerExpr(t, d)
	case mapping:
		return g.mapExpr(t, d)
	case iface:
		return g.ifaceExpr(t, d)
	}
	return g.literal(t, true)
}

// nonConst returns an expression of the basic type t. The expression is not a constant.
func (g *gen) nonConst(t *goType, d int) string {
	if d <= 0 || g.chance(1, 8) {
		if s := g.read(t); s != "" {
			return s
		}
		d = 0
	}
	if d > 0 && g.chance(1, 7) {
		if s := g.pureCall(t, d); s != "" {
			return s
		}
	}
	switch t.kind {
	case boolean:
		return g.boolExpr(max(d, 1))
	case integer:
		return g.intExpr(t, d)
	case floating:
		return g.floatExpr(t, d)
	case complexes:
		return g.complexExpr(d)
	}
	return g.textExpr(d)
}

// constant returns the source of a constant of a basic type.
func (g *gen) constant(t *goType) string {
	switch t.kind {
	case boolean:
		return pick(g, []string{"true", "false"})
	case integer:
		return fmt.Sprintf("%s(%s)", t.name, g.integer(t))
	case floating:
		return fmt.Sprintf("%s(%s)", t.name, pick(g, []string{"0.5", "-1.5", "2", "1e-3", "3.25", "-7", "100", "0.1", "1e18", "-0.3"}))
	case complexes:
		return pick(g, []string{"complex(1, 2)", "complex(0.5, -1)", "complex(-3, 0.25)"})
	}
	return pick(g, []string{`"a"`, `"go"`, `""`, `"xyz"`, `"éa"`, `"世"`, `"01234567"`})
}

// integer returns the digits of an integer in the range of t, often at its limits.
func (g *gen) integer(t *goType) string {
	low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	if t.signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	var x *big.Int
	switch g.r.IntN(12) {
	case 0:
		x = low
	case 1:
		x = high
	case 2:
		x = new(big.Int).Lsh(big.NewInt(1), uint(g.r.IntN(t.bits-1)))
	case 3:
		x = new(big.Int).SetUint64(g.r.Uint64() >> (65 - t.bits))
	case 4:
		if t.signed {
			x = big.NewInt(-1 - int64(g.r.IntN(9)))
			break
		}
		fallthrough
	default:
		x = big.NewInt(int64(g.r.IntN(12)))
	}
	return x.String()
}

func (g *gen) intExpr(t *goType, d int) string {
	a := func() string { return g.nonConst(t, d-1) }
	b := func() string { return g.expr(t, d-1) }
	if d <= 0 {
		from := pick(g, integers)
		if s := g.read(from); s != "" {
			return fmt.Sprintf("%s(%s)", t.name, s)
		}
		return fmt.Sprintf("%s(G%d)", t.name, g.r.IntN(seeds))
	}
	switch g.r.IntN(20) {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf("(%s %s %s)", a(), pick(g, []string{"+", "-", "*"}), b())
	case 5, 6:
		return fmt.Sprintf("(%s %s %s)", a(), pick(g, []string{"&", "|", "^", "&^"}), b())
	case 7:
		op := pick(g, []string{"/", "%"})
		if g.mayPanic() {
			return fmt.Sprintf("(%s %s %s)", a(), op, a())
		}
		return fmt.Sprintf("(%s %s (%s | 1))", a(), op, a())
	case 8:
		n := 2 + g.r.IntN(99)
		if t.signed && g.chance(1, 4) {
			n = -1 - g.r.IntN(3)
		}
		return fmt.Sprintf("(%s %s %d)", a(), pick(g, []string{"/", "%"}), n)
	case 9, 10:
		return fmt.Sprintf("(%s %s %s)", a(), pick(g, []string{"<<", ">>"}), g.count(t, d))
	case 11:
		return fmt.Sprintf("(%s%s)", pick(g, []string{"-", "^", "+"}), a())
	case 12, 13, 14:
		from := g.pickInteger()
		return fmt.Sprintf("%s(%s)", t.name, g.nonConst(from, d-1))
	case 15:
		return g.fromFloat(t, d)
	case 16:
		if t == intType {
			if s := g.length(); s != "" {
				return s
			}
		}
	case 17:
		return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), a(), b())
	case 18:
		if s := g.charOf(); s != "" {
			return fmt.Sprintf("%s(%s)", t.name, s)
		}
	case 19:
		if g.chance(1, 3) {
			return fmt.Sprintf("%s(%s.%s)", t.name, g.use("math/bits"), fmt.Sprintf(pick(g, []string{
				"OnesCount64(uint64(%s))", "LeadingZeros32(uint32(%s))", "TrailingZeros16(uint16(%s))", "Len(uint(%s))",
				"RotateLeft32(uint32(%s), 7)", "ReverseBytes64(uint64(%s))", "RotateLeft8(uint8(%s), -3)"}), g.nonConst(intType, d-1)))
		}
	}
	return fmt.Sprintf("(%s + %s)", a(), b())
}

// count returns an expression for the number of bits by which to shift a value of type t. The number is sometimes
// larger than the width of t.
func (g *gen) count(t *goType, d int) string {
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprint(g.r.IntN(t.bits + 3))
	case 1:
		return fmt.Sprintf("(%s & %d)", g.nonConst(pick(g, integers), d-1), pick(g, []int{7, 15, 31, 63, 127}))
	case 2:
		return g.nonConst(pick(g, []*goType{byteType, uintType, uint64Type}), d-1)
	case 3:
		if g.mayPanic() {
			return g.nonConst(intType, d-1)
		}
	}
	return fmt.Sprintf("(%s %% %d)", g.nonConst(pick(g, []*goType{byteType, uintType, uint64Type}), d-1), t.bits+6)
}

// fromFloat returns an expression that converts a float to an integer. The float fits in t, because otherwise
// the result depends on the processor.
func (g *gen) fromFloat(t *goType, d int) string {
	low, high := 0.0, math.Ldexp(1, t.bits)
	if t.signed {
		high /= 2
		low = -high
	}
	if g.chance(1, 2) {
		low, high = max(low, -100), min(high, 100)
	} else {
		low, high = low*0.75, high*0.75
	}
	from := float64Type
	x := g.nonConst(from, d-1)
	return fmt.Sprintf("%s(Clamp(%s, %v, %v))", t.name, x, low, high)
}

// length returns an expression for the length of a slice, string or map, or "" if there is no such variable.
func (g *gen) length() string {
	var names []string
	for _, v := range g.visible() {
		switch v.typ.kind {
		case slice, text, mapping:
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "len(" + pick(g, names) + ")"
}

// charOf returns an expression for a byte of a string, or "" if there is no string.
func (g *gen) charOf() string {
	for _, v := range g.visible() {
		if v.typ == stringType && g.counter(v) != "" {
			return v.name + "[" + g.counter(v) + "]"
		}
	}
	s := g.read(stringType)
	if s == "" {
		return ""
	}
	if g.mayPanic() {
		return fmt.Sprintf("%s[%s]", s, g.nonConst(intType, 1))
	}
	return fmt.Sprintf("(%s + \"#\")[uint(%s)%%uint(len(%s)+1)]", s, g.nonConst(g.pickInteger(), 1), s)
}

// product returns the product of a and b, two floats of type t. If Options.NoFuse is set, an explicit conversion keeps
// the compiler from fusing the product with an addition.
func (g *gen) product(t *goType, a, b string) string {
	if g.opt.NoFuse {
		return fmt.Sprintf("%s(%s * %s)", t.name, a, b)
	}
	return fmt.Sprintf("(%s * %s)", a, b)
}

func (g *gen) floatExpr(t *goType, d int) string {
	a := func() string { return g.nonConst(t, d-1) }
	b := func() string { return g.expr(t, d-1) }
	if d <= 0 {
		other := float64Type
		if t == float64Type {
			other = float32Type
		}
		if s := g.read(other); s != "" && g.chance(1, 3) {
			return fmt.Sprintf("%s(%s)", t.name, s)
		}
		return fmt.Sprintf("%s(G%d)", t.name, g.r.IntN(seeds))
	}
	switch g.r.IntN(16) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", a(), pick(g, []string{"+", "-"}), b())
	case 4, 5, 6:
		return g.product(t, a(), b())
	case 7:
		return fmt.Sprintf("(%s / %s)", a(), a())
	case 8:
		return fmt.Sprintf("(-%s)", a())
	case 9, 10:
		return fmt.Sprintf("%s(%s)", t.name, g.nonConst(g.pickInteger(), d-1))
	case 11:
		return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), a(), b())
	case 12, 13, 14:
		return fmt.Sprintf("%s(%s)", t.name, g.mathCall(d))
	}
	if s := g.read(complexType); s != "" {
		return fmt.Sprintf("%s(%s(%s))", t.name, pick(g, []string{"real", "imag"}), s)
	}
	return fmt.Sprintf("(%s + %s)", a(), b())
}

// mathCall returns a call to a function of package math. Functions that reveal the sign of a NaN are omitted, because
// processors differ in which NaN an operation returns.
func (g *gen) mathCall(d int) string {
	x := func() string { return g.nonConst(float64Type, d-1) }
	m := g.use("math")
	if g.chance(1, 4) {
		f := pick(g, []string{"Max", "Min", "Hypot", "Mod", "Pow", "Atan2", "Dim"})
		return fmt.Sprintf("%s.%s(%s, %s)", m, f, x(), x())
	}
	f := pick(g, []string{"Sqrt", "Abs", "Floor", "Ceil", "Trunc", "Round", "RoundToEven", "Sin", "Cos", "Exp", "Log", "Log1p", "Tanh", "Cbrt", "Sqrt", "Abs", "Floor"})
	return fmt.Sprintf("%s.%s(%s)", m, f, x())
}

func (g *gen) complexExpr(d int) string {
	if d <= 0 {
		return fmt.Sprintf("complex(float64(G%d), 0.5)", g.r.IntN(seeds))
	}
	a := func() string { return g.nonConst(complexType, d-1) }
	switch g.r.IntN(4) {
	case 0:
		return fmt.Sprintf("complex(%s, %s)", g.nonConst(float64Type, d-1), g.nonConst(float64Type, d-1))
	case 1:
		return fmt.Sprintf("(-%s)", a())
	}
	return fmt.Sprintf("(%s %s %s)", a(), pick(g, []string{"+", "-"}), g.expr(complexType, d-1))
}

func (g *gen) textExpr(d int) string {
	short := func() string {
		s := g.read(stringType)
		if s == "" {
			s = fmt.Sprintf("%s.Itoa(G%d)", g.use("strconv"), g.r.IntN(seeds))
		}
		return fmt.Sprintf("%s[:min(len(%s), %d)]", s, s, 1+g.r.IntN(6))
	}
	switch g.r.IntN(6) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", short(), g.expr(stringType, 0))
	case 2:
		return fmt.Sprintf("%s.Itoa(%s)", g.use("strconv"), g.nonConst(intType, d-1))
	case 3:
		return fmt.Sprintf("string(rune(%s&1023))", g.nonConst(runeType, d-1))
	case 4:
		if s := g.read(g.sliceOf(byteType)); s != "" {
			return fmt.Sprintf("string(%s)", s)
		}
	}
	return fmt.Sprintf("(%s + string(rune('a'+%s&7)))", short(), g.nonConst(runeType, d-1))
}

func (g *gen) boolExpr(d int) string {
	if d <= 0 {
		if s := g.read(boolType); s != "" && g.chance(1, 2) {
			return s
		}
		d = 1
	}
	switch g.r.IntN(10) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.boolExpr(d-1), pick(g, []string{"&&", "||"}), g.boolExpr(d-1))
	case 1:
		return "!" + g.paren(g.boolExpr(d-1))
	case 2:
		t := pick(g, []*goType{stringType, boolType, complexType})
		return fmt.Sprintf("(%s %s %s)", g.nonConst(t, d-1), pick(g, []string{"==", "!="}), g.expr(t, d-1))
	case 3:
		return fmt.Sprintf("(%s %s %s)", g.nonConst(stringType, d-1), pick(g, []string{"<", "<=", ">", ">="}), g.expr(stringType, d-1))
	case 4:
		if len(g.structs) > 0 && g.chance(1, 2) {
			t := pick(g, g.structs)
			if a := g.read(t); a != "" {
				return fmt.Sprintf("(%s == %s)", a, g.paren(g.aggregate(t, d-1)))
			}
		}
	case 5:
		if d > 1 {
			if s := g.pureCall(boolType, d); s != "" {
				return s
			}
		}
	}
	t := g.pickNumber()
	return fmt.Sprintf("(%s %s %s)", g.nonConst(t, d-1), pick(g, []string{"==", "!=", "<", "<=", ">", ">="}), g.expr(t, d-1))
}

func (g *gen) paren(s string) string {
	if strings.HasPrefix(s, "(") {
		return s
	}
	return "(" + s + ")"
}
