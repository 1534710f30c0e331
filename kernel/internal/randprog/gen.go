package randprog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// rowLen is the minimum number of elements in each row of a slice of slices.
const rowLen = 3

// A variable is a variable of the generated program.
type variable struct {
	name   string
	typ    *goType
	fixed  bool // not assignable, because it is a loop counter
	frozen bool // the variable's contents must not be changed either
	global bool
	grows  bool // a slice of unknown capacity: append may move it
	min    int  // minimum number of elements of a slice
	bound  int  // if bound > 0, the integer is at least 0 and less than bound
	below  string
	pure   bool // the variable is a function without side effects
	cost   int  // cost of a call, if the variable is a function
	depth  int  // number of function literals that enclose its declaration
	shared bool // a function literal or a pointer may refer to the variable
}

// A fn is a function or method that the program declares.
type fn struct {
	name    string
	recv    *goType // for methods: the struct, a pointer to it, or the named number
	params  []*variable
	results []*goType
	pure    bool // no side effects, no output, no panics
	panics  bool // a call may panic
	cost    int
}

// A loop is an enclosing loop or switch. A break can leave it; a continue can refer to it if it is not a
// switch.
type loop struct {
	label *string // set when a break or continue needs a label
	// isSwitch says that this is a switch; a continue statement cannot refer to it.
	isSwitch bool
	// barred marks the beginning of a function literal: a break or continue inside it cannot refer to outer loops.
	barred bool
}

// A body is the function or function literal that is being generated.
type body struct {
	fn      *fn
	results []*goType
	named   []string
	loops   []*loop
	depth   int  // number of enclosing function literals
	scope   int  // index of the scope with its parameters
	returns bool // a return statement is allowed here
	defers  bool // a deferred call would belong to this function
	guarded bool // some enclosing function recovers panics
	panics  bool // the body may panic
	pure    int  // depth of the innermost function that must have no effects outside of itself; -1 if none
}

// A gen generates one program.
type gen struct {
	r      *rand.Rand
	opt    Options
	byName map[string]*goType

	structs, namedInts, ifaces []*goType
	funcs                      []*fn
	imports                    map[string]bool
	dumps                      map[*goType]string // functions that hash values
	iterator                   string             // name of a function that returns an iterator
	iteratorChanges            bool               // the iterator changes a global variable
	decls                      []string

	out    *strings.Builder // text of the current declaration
	scopes [][]*variable
	names  int
	labels int
	marks  int // number of printed lines

	suffix string // suffix of the names of an idiom's variables

	body    *body
	times   int // maximum number of runs of the current code
	cost    int // cost of the current function so far, in statements
	limit   int // maximum of cost
	indices int // number of index expressions that enclose the current code
	risk    int // number of operations that may still panic in the current statement
}

func (g *gen) chance(n, of int) bool { return g.r.IntN(of) < n }

func pick[T any](g *gen, list []T) T { return list[g.r.IntN(len(list))] }

// use imports a package and returns its name.
func (g *gen) use(path string) string {
	g.imports[path] = true
	return packageName(path)
}

func packageName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// line adds a line to the current declaration.
func (g *gen) line(format string, args ...any) {
	fmt.Fprintf(g.out, format+"\n", args...)
}

// Scopes.

func (g *gen) open()  { g.scopes = append(g.scopes, nil) }
func (g *gen) close() { g.scopes = g.scopes[:len(g.scopes)-1] }

func (g *gen) declare(v *variable) *variable {
	if g.body != nil {
		v.depth = g.body.depth
	}
	top := len(g.scopes) - 1
	g.scopes[top] = append(g.scopes[top], v)
	return v
}

// name returns a new name, or sometimes the name of an outer variable, which is then shadowed.
func (g *gen) name() string {
	if top := len(g.scopes) - 1; top > 1 && g.chance(1, 10) {
		outer := g.scopes[1+g.r.IntN(top-1)]
		if len(outer) > 0 {
			name := pick(g, outer).name
			for _, v := range g.scopes[top] {
				if v.name == name {
					name = ""
				}
			}
			if name != "" && !g.holds(name) {
				return name
			}
		}
	}
	g.names++
	return fmt.Sprintf("%c%d", 'a'+g.names%26, g.names)
}

// holds reports whether name belongs to a counter that is bounded by the length of a slice, or to a slice that
// bounds a counter. Neither must be shadowed while the other is in use.
func (g *gen) holds(name string) bool {
	for _, s := range g.scopes {
		for _, v := range s {
			if v.below != "" && (v.below == name || v.name == name) {
				return true
			}
		}
	}
	return false
}

// visible returns the variables in scope that are not shadowed, innermost first.
func (g *gen) visible() []*variable {
	seen := map[string]bool{}
	var list []*variable
	for i := len(g.scopes) - 1; i >= 0; i-- {
		s := g.scopes[i]
		for j := len(s) - 1; j >= 0; j-- {
			if !seen[s[j].name] {
				list = append(list, s[j])
			}
			seen[s[j].name] = true
		}
	}
	return list
}

// spend reports whether code of this cost still fits within the limit at this point. If so, it adds the cost.
func (g *gen) spend(cost int) bool {
	if g.cost+g.times*cost > g.limit {
		return false
	}
	g.cost += g.times * cost
	return true
}

// mayPanic decides at random whether the next operation of the statement may panic. If so, no other operation of the
// statement may panic.
func (g *gen) mayPanic() bool {
	if g.risk == 0 || !g.chance(1, 4) {
		return false
	}
	g.risk--
	g.body.panics = true
	return true
}
