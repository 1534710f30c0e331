package randprog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// rowLen is how many elements each row of a slice of slices has at least.
const rowLen = 3

// A variable of the program.
type variable struct {
	name   string
	typ    *typ
	fixed  bool // nothing may be assigned to it: a loop counts with it
	frozen bool // and what it holds may not be changed either
	global bool
	grows  bool // a slice whose capacity nobody knows: append may move it
	min    int  // how many elements a slice has at least
	bound  int  // 0 <= an integer < bound, if bound > 0
	below  string
	pure   bool // a function that changes nothing
	cost   int  // of a call, if it is a function
	depth  int  // of function literals around its declaration
	shared bool // a function literal or a pointer may reach it
}

// A fn is a function or method that the program declares.
type fn struct {
	name    string
	recv    *typ // of methods: the struct, the pointer to it, or the named number
	params  []*variable
	results []*typ
	pure    bool // it changes nothing, prints nothing, and does not panic
	panics  bool // it may
	cost    int
}

// A loop that break and continue can leave.
type loop struct {
	label *string // it gets one when somebody asks
	// bound is for switches: break leaves them, continue does not.
	isSwitch bool
	// barred is where a function literal begins: nothing outside can be left.
	barred bool
}

// A body is the function or function literal that is being written.
type body struct {
	fn      *fn
	results []*typ
	named   []string
	loops   []*loop
	depth   int  // of function literals around this
	scope   int  // where its parameters are
	returns bool // a return statement may stand here
	defers  bool // a deferred call is one of this function
	guarded bool // what panics here is recovered somewhere
	panics  bool // something here may panic
	pure    int  // the depth of the code around that changes nothing outside itself; -1: none
}

// gen writes one program.
type gen struct {
	r      *rand.Rand
	opt    Options
	byName map[string]*typ

	structs, namedInts, ifaces []*typ
	funcs                      []*fn
	imports                    map[string]bool
	dumps                      map[*typ]string // the functions that hash values
	iterator                   string          // a function that returns one to range over
	iteratorChanges            bool            // it changes a global variable
	decls                      []string

	out    *strings.Builder // of the declaration that is being written
	scopes [][]*variable
	names  int
	labels int
	marks  int // of lines that are printed

	suffix string // of the names of an idiom

	body    *body
	times   int // how often what is being written runs at most
	cost    int // of the function so far, in statements
	limit   int // that cost must not exceed
	indices int // around what is being written
	risk    int // how many operations of the statement may still panic
}

func (g *gen) chance(n, of int) bool { return g.r.IntN(of) < n }

func pick[T any](g *gen, list []T) T { return list[g.r.IntN(len(list))] }

// use imports a package, and returns its name.
func (g *gen) use(path string) string {
	g.imports[path] = true
	return packageName(path)
}

func packageName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// line writes a line of the declaration.
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

// name returns a new name, now and then that of a variable outside, which it then hides.
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

// holds reports whether some visible slice bounds a counter, or name is such a counter: they
// belong together and are not hidden.
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

// visible returns the variables in scope, the innermost first, without those that are hidden.
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

// spend reports whether something of this cost can still be run here, and counts it.
func (g *gen) spend(cost int) bool {
	if g.cost+g.times*cost > g.limit {
		return false
	}
	g.cost += g.times * cost
	return true
}

// may reports whether the statement has an operation left that may panic.
func (g *gen) may() bool {
	if g.risk == 0 || !g.chance(1, 4) {
		return false
	}
	g.risk--
	g.body.panics = true
	return true
}
