package randprog

import "fmt"

// anyLoop writes a loop that ends, because no other code changes its counter.
func (g *gen) anyLoop() bool {
	if len(g.body.loops) > 3 {
		return false
	}
	writers := []func(*gen, *loopText) bool{
		countUp, countUp, countUp, countDown, overInt, overInt, overSlice, overSlice, overSlice, overArray,
		overString, overMap, whileLoop, whileLoop, forever, oddSteps, overFunc, byLength, byLength,
	}
	return g.looped(pick(g, writers))
}

// A loopText is the text of a loop without the statements of its body.
type loopText struct {
	before []string    // lines before the loop, in the same block
	head   string      // from after "for" up to the brace
	begin  []string    // lines at the beginning of the body
	vars   []*variable // variables visible in the body
	outer  []*variable // variables declared in before
	times  int
	frozen *variable // a variable that the loop must not change
}

// looped writes a loop. It calls plan to choose everything except the statements of the body; plan returns false if
// this fails.
func (g *gen) looped(plan func(*gen, *loopText) bool) bool {
	l := &loopText{}
	if !plan(g, l) {
		return false
	}
	body := 3
	if l.times == 0 || g.cost+g.times*l.times*body > g.limit {
		return false
	}
	outer := g.out
	whole := g.newOut()
	g.open()
	for _, v := range l.outer {
		g.declare(v)
	}
	label := ""
	g.body.loops = append(g.body.loops, &loop{label: &label})
	g.times *= l.times
	g.open()
	for _, v := range l.vars {
		g.declare(v)
	}
	if l.frozen != nil && !l.frozen.frozen {
		l.frozen.frozen = true
		defer func() { l.frozen.frozen = false }()
	}
	n := g.size()
	if g.times > 100 { // a hot loop: mostly numbers
		n = 1 + g.r.IntN(3)
	}
	g.statements(n)
	g.close()
	g.times /= l.times
	g.body.loops = g.body.loops[:len(g.body.loops)-1]
	g.close()
	g.out = outer
	block := len(l.before) > 0
	if block {
		g.line("{")
		for _, s := range l.before {
			g.line("%s", s)
		}
	}
	if label != "" {
		g.line("%s:", label)
	}
	g.line("for %s {", l.head)
	for _, s := range l.begin {
		g.line("%s", s)
	}
	for _, v := range l.vars {
		g.line("_ = %s", v.name)
	}
	g.line("%s}", whole)
	if block {
		g.line("}")
	}
	return true
}

// rounds returns the number of iterations of a loop; it is seldom very large.
func (g *gen) rounds() int {
	if g.chance(1, 12) {
		return 100 + g.r.IntN(900)
	}
	return 1 + g.r.IntN(12)
}

// countingType returns a type for a counter up to n.
func (g *gen) countingType(n int) *goType {
	if g.chance(3, 4) {
		return intType
	}
	if t := g.pickInteger(); t.bits > 8 && n < 30000 || n < 100 {
		return t
	}
	return intType
}

func countUp(g *gen, l *loopText) bool {
	l.times = g.rounds()
	t := g.countingType(l.times)
	v := &variable{name: g.name(), typ: t, fixed: true, bound: l.times}
	l.vars = []*variable{v}
	begin := fmt.Sprintf("%s(0)", t.name)
	if t == intType {
		begin = "0"
	}
	l.head = fmt.Sprintf("%s := %s; %s < %d; %s++", v.name, begin, v.name, l.times, v.name)
	if g.chance(1, 4) && t == intType { // with a bound that is not a constant
		end := g.nonConst(intType, 2)
		l.head = fmt.Sprintf("%s, end := 0, min(%s, %d); %s < end; %s++", v.name, end, l.times, v.name, v.name)
	}
	return true
}

func countDown(g *gen, l *loopText) bool {
	l.times = g.rounds()
	t := g.countingType(l.times)
	if !t.signed {
		t = intType
	}
	v := &variable{name: g.name(), typ: t, fixed: true, bound: l.times}
	l.vars = []*variable{v}
	l.head = fmt.Sprintf("%s := %s(%d); %s >= 0; %s--", v.name, t.name, l.times-1, v.name, v.name)
	return true
}

func overInt(g *gen, l *loopText) bool {
	l.times = g.rounds()
	if g.chance(1, 6) {
		l.head = fmt.Sprintf("range %d", l.times)
		return true
	}
	t := g.countingType(l.times)
	v := &variable{name: g.name(), typ: t, bound: l.times, fixed: g.chance(3, 4)}
	if !v.fixed { // the body may change a copy of the counter
		v.bound = 0
	}
	l.vars = []*variable{v}
	l.head = fmt.Sprintf("%s := range %s(%d)", v.name, t.name, l.times)
	return true
}

// slices returns the visible slices that the function ok accepts.
func (g *gen) slices(ok func(*variable) bool) []*variable {
	var list []*variable
	for _, v := range g.visible() {
		if v.typ.kind == slice && ok(v) {
			list = append(list, v)
		}
	}
	return list
}

func overSlice(g *gen, l *loopText) bool {
	list := g.slices(func(v *variable) bool { return !v.grows && v.min > 0 })
	if len(list) == 0 {
		return false
	}
	s := pick(g, list)
	l.times = s.min + 3 // the slice may have a few more elements: this is only an estimate
	i := &variable{name: g.name(), typ: intType, fixed: true, below: s.name}
	x := &variable{name: g.name(), typ: s.typ.elem, fixed: g.chance(1, 2), min: rowLen}
	x.frozen = s.typ.elem.kind == slice && !g.mayChange(s)
	switch {
	case i.name == x.name || i.name == s.name || x.name == s.name:
		return false
	case g.chance(1, 2):
		l.head = fmt.Sprintf("%s, %s := range %s", i.name, x.name, s.name)
		l.vars = []*variable{i, x}
	default:
		l.head = fmt.Sprintf("_, %s := range %s", x.name, s.name)
		l.vars = []*variable{x}
	}
	return true
}

// byLength writes a loop up to the length of a slice or string.
func byLength(g *gen, l *loopText) bool {
	list := g.slices(func(v *variable) bool { return v.min > 0 || v.grows })
	for _, v := range g.visible() {
		if v.typ == stringType && v.fixed {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return false
	}
	s := pick(g, list)
	i := &variable{name: g.name(), typ: intType, fixed: true, below: s.name}
	if i.name == s.name {
		return false
	}
	l.vars = []*variable{i}
	if s.typ.kind == text {
		l.times = 12
	} else {
		l.times = s.min + 3
	}
	switch {
	case s.grows || g.chance(1, 4) && s.typ.kind == slice:
		if s.grows {
			l.times += 40
		}
		l.head = fmt.Sprintf("%s := range %s", i.name, s.name)
		if s.typ.kind == text {
			return false
		}
	case g.chance(1, 3):
		l.head = fmt.Sprintf("%s := len(%s) - 1; %s >= 0; %s--", i.name, s.name, i.name, i.name)
	default:
		l.head = fmt.Sprintf("%s := 0; %s < len(%s); %s++", i.name, i.name, s.name, i.name)
	}
	return true
}

func overArray(g *gen, l *loopText) bool {
	var list []*variable
	for _, v := range g.visible() {
		if v.typ.kind == array {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return false
	}
	a := pick(g, list)
	l.times = a.typ.n
	i := &variable{name: g.name(), typ: intType, fixed: true, bound: a.typ.n}
	x := &variable{name: g.name(), typ: a.typ.elem}
	if i.name == x.name || i.name == a.name || x.name == a.name {
		return false
	}
	switch g.r.IntN(3) {
	case 0:
		l.head, l.vars = fmt.Sprintf("%s := range %s", i.name, a.name), []*variable{i}
	case 1:
		amp := ""
		if g.mayChange(a) && !a.global && g.chance(1, 2) {
			a.shared, amp = true, "&"
		}
		l.head, l.vars = fmt.Sprintf("%s, %s := range %s%s", i.name, x.name, amp, a.name), []*variable{i, x}
	default:
		l.head, l.vars = fmt.Sprintf("%s, %s := range %s", i.name, x.name, a.name), []*variable{i, x}
	}
	return true
}

func overString(g *gen, l *loopText) bool {
	i := &variable{name: g.name(), typ: intType, fixed: true}
	x := &variable{name: g.name(), typ: runeType}
	if i.name == x.name {
		return false
	}
	l.times = 10
	s := g.expr(stringType, 0)
	l.head = fmt.Sprintf("%s, %s := range (%s + \"né\")[:min(len(%s)+3, 10)]", i.name, x.name, s, s)
	l.vars = []*variable{i, x}
	return true
}

// overMap writes a loop over a map in key order, because the order of a range over the map is random.
func overMap(g *gen, l *loopText) bool {
	var list []*variable
	for _, v := range g.visible() {
		if v.typ.kind == mapping && (v.typ.key.kind == integer || v.typ.key.kind == text) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return false
	}
	m := pick(g, list)
	k := &variable{name: g.name(), typ: m.typ.key, fixed: true}
	x := &variable{name: g.name(), typ: m.typ.elem}
	if k.name == m.name || x.name == m.name || k.name == x.name {
		return false
	}
	l.times = 12
	l.head = fmt.Sprintf("_, %s := range %s.Sorted(%s.Keys(%s))", k.name, g.use("slices"), g.use("maps"), m.name)
	if m.typ.key == intType && g.chance(1, 3) {
		g.names++
		keys := fmt.Sprintf("keys%d", g.names)
		l.before = []string{
			fmt.Sprintf("%s := make([]int, 0, len(%s))", keys, m.name),
			fmt.Sprintf("for key := range %s {\n%s = append(%s, key)\n}", m.name, keys, keys),
			fmt.Sprintf("%s.Ints(%s)", g.use("sort"), keys),
		}
		l.head = fmt.Sprintf("_, %s := range %s", k.name, keys)
	}
	l.begin = []string{fmt.Sprintf("%s := %s[%s]", x.name, m.name, k.name)}
	l.vars = []*variable{k, x}
	l.frozen = m
	return true
}

// whileLoop writes a loop with a condition that involves more than a counter.
func whileLoop(g *gen, l *loopText) bool {
	l.times = g.rounds()
	g.names++
	v := &variable{name: fmt.Sprintf("w%d", g.names), typ: intType, fixed: true, bound: l.times + 1}
	l.outer = []*variable{v}
	g.open()
	g.declare(v)
	cond := g.boolExpr(2)
	g.close()
	l.before = []string{fmt.Sprintf("%s := 0", v.name)}
	l.head = fmt.Sprintf("%s < %d && %s", v.name, l.times, cond)
	l.begin = []string{v.name + "++"}
	return true
}

// forever writes a loop that ends with a break.
func forever(g *gen, l *loopText) bool {
	l.times = g.rounds()
	g.names++
	v := &variable{name: fmt.Sprintf("w%d", g.names), typ: intType, fixed: true}
	l.outer = []*variable{v}
	l.before = []string{fmt.Sprintf("%s := %d", v.name, l.times)}
	l.begin = []string{fmt.Sprintf("if %s--; %s < 0 {\nbreak\n}", v.name, v.name)}
	return true
}

// oddSteps writes a loop with two counters, one of which grows in steps of three.
func oddSteps(g *gen, l *loopText) bool {
	l.times = g.rounds()
	g.names++
	i := &variable{name: fmt.Sprintf("i%d", g.names), typ: intType, fixed: true, bound: l.times * 3}
	j := &variable{name: fmt.Sprintf("j%d", g.names), typ: g.pickInteger(), fixed: true}
	l.vars = []*variable{i, j}
	l.head = fmt.Sprintf("%s, %s := 0, %s(%s); %s < %d; %s, %s = %s+3, %s*%s+1", i.name, j.name, j.typ.name, g.integer(j.typ),
		i.name, l.times*3, i.name, j.name, i.name, j.name, j.name)
	return true
}

// overFunc writes a range over an iterator function.
func overFunc(g *gen, l *loopText) bool {
	if g.iterator == "" || g.iteratorChanges && g.body.pure >= 0 {
		return false
	}
	l.times = 1 + g.r.IntN(8)
	x := &variable{name: g.name(), typ: intType}
	l.vars = []*variable{x}
	l.head = fmt.Sprintf("%s := range %s(%d)", x.name, g.iterator, l.times)
	g.spend(g.times * l.times)
	return true
}
