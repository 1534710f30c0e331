package randprog

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"go/format"
)

// NewConcurrent returns a program in which goroutines work together; equal seeds give equal programs. The program has
// no races and prints the same output in any order of execution. Each of its functions F1, F2, ... follows a
// concurrency idiom (concurrent_idioms.go) and returns a number that does not depend on the order. The goroutines of
// one function may call other functions. Run calls the functions one after another, then all at once, and prints their
// results.
func NewConcurrent(seed uint64) Program {
	c := &concurrent{r: rand.New(rand.NewPCG(seed, 21))}
	for range 1 + c.r.IntN(6) {
		c.function(concurrentIdioms)
	}
	run := c.run()
	decls := strings.Join(c.decls, "\n")
	text := "package main\n\n" + importsOf(decls+run) + decls + run
	out, err := format.Source([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("randprog: seed %d: %v\n%s", seed, err, text))
	}
	return Program{seed, string(out)}
}

// A concurrent generates one program.
type concurrent struct {
	r        *rand.Rand
	names    int
	decls    []string
	elements []*element
	funcs    []costly
	latest   []stage
	cost     int // cost of the function that is being generated
}

// A costly is a function from int to int with a cost. The cost is roughly the number of goroutines.
type costly struct {
	Name string
	cost int
}

// mostCost is the maximum cost of a function. The constant named often is the number of times that each goroutine is
// assumed to do its work.
const (
	mostCost = 4000
	often    = 12
)

// function declares a function that follows one of the idioms.
func (c *concurrent) function(idioms []string) {
	name := c.name("F")
	c.cost = 20
	text := c.fill(idioms[c.r.IntN(len(idioms))], name)
	c.decls = append(c.decls, text)
	c.funcs = append(c.funcs, costly{name, c.cost})
}

// run returns the source of the function Run.
func (c *concurrent) run() string {
	var b strings.Builder
	b.WriteString("\nfunc Run() {\n")
	for _, f := range c.funcs {
		fmt.Fprintf(&b, "\tfmt.Println(%q, %s(%d))\n", f.Name, f.Name, c.r.IntN(20))
		if c.r.IntN(3) == 0 {
			b.WriteString(c.fill(statementIdioms[c.r.IntN(len(statementIdioms))], c.name("v")))
		}
	}
	b.WriteString(c.fill(allAtOnce, c.name("v")))
	b.WriteString("}\n")
	return b.String()
}

// fill makes random choices in an idiom, which is a template, and returns the resulting source. name is the name of the
// function that the idiom declares, or the beginning of the names of the idiom's variables.
func (c *concurrent) fill(idiom, name string) string {
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"size":   func(from, to int) int { return from + c.r.IntN(to-from+1) },
		"chance": func(n, of int) bool { return c.r.IntN(of) < n },
		"pick":   func(list ...string) string { return list[c.r.IntN(len(list))] },
		"name":   c.name,
		"elem":   c.element,
		"stages": c.stages,
		"work":   c.work,
		"funcs":  func() []costly { return c.funcs },
		"chan":   c.channel,
		"latest": func() []stage { return c.latest },
		"last":   func(list []stage) stage { return list[len(list)-1] },
		"inc":    func(i int) int { return i + 1 },
		"lower":  strings.ToLower,
	}).Parse(idiom))
	var b strings.Builder
	if err := t.Execute(&b, name); err != nil {
		panic(err)
	}
	return b.String()
}

func (c *concurrent) name(kind string) string {
	c.names++
	return fmt.Sprint(kind, c.names)
}

// work returns an int expression that does some work with x. Neither x nor the expression is negative.
func (c *concurrent) work(x string) string {
	if c.r.IntN(2) == 0 {
		for range 3 {
			if len(c.funcs) == 0 {
				break
			}
			if f := c.funcs[c.r.IntN(len(c.funcs))]; c.cost+often*f.cost <= mostCost {
				c.cost += often * f.cost
				return fmt.Sprintf("%s(%s)", f.Name, x)
			}
		}
	}
	switch c.r.IntN(4) {
	case 0:
		return x
	case 1:
		return fmt.Sprintf("(%s)*%d+%d", x, 1+c.r.IntN(9), c.r.IntN(9))
	case 2:
		e := c.element()
		return e.Back(e.Of(x))
	}
	name := c.name("F")
	c.decls = append(c.decls, c.fill(sequentialIdioms[c.r.IntN(len(sequentialIdioms))], name))
	c.funcs = append(c.funcs, costly{name, 1})
	return fmt.Sprintf("%s(%s)", name, x)
}

// An element is a type of values that goroutines send to each other, with functions that convert from and to
// int.
type element struct{ T, Kind, of, back string }

func (e *element) Of(x string) string   { return fmt.Sprintf("%s(%s)", e.of, x) }
func (e *element) Back(v string) string { return fmt.Sprintf("%s(%s)", e.back, v) }

// element returns a random element of the program, or a new element.
func (c *concurrent) element() *element {
	if len(c.elements) > 0 && c.r.IntN(3) > 0 {
		return c.elements[c.r.IntN(len(c.elements))]
	}
	return c.newElement()
}

func (c *concurrent) newElement() *element {
	k := elementKinds[c.r.IntN(len(elementKinds))]
	e := &element{c.name("T"), k.typ, c.name("D"), c.name("M")}
	param := e.T
	if p, ok := strings.CutPrefix(k.typ, "*"); ok { // T itself is declared as the type without the star
		k.typ, param = p, "*"+e.T
	}
	c.decls = append(c.decls, strings.NewReplacer("$T", e.T, "$N", "N"+e.T[1:], "$P", param).Replace(fmt.Sprintf(
		"type $T %s\n\nfunc %s(x int) $P { return %s }\n\nfunc %s(v $P) int { return %s }\n\n%s", k.typ, e.of, k.of, e.back, k.back, k.more)))
	e.T = param
	c.elements = append(c.elements, e)
	return e
}

// channel returns an expression that makes a channel.
func (c *concurrent) channel(e *element) string {
	if n := c.r.IntN(6); n > 2 {
		return fmt.Sprintf("make(chan %s, %d)", e.T, n)
	}
	return fmt.Sprintf("make(chan %s)", e.T)
}

// A stage is one of the functions of a pipeline: it turns elements of type In into elements of type Out.
type stage struct {
	F       string
	In, Out *element
	Last    bool
}

// stages returns the stages of a new pipeline. Their number is random: at least lo and at most hi, but seldom more than
// 5. Each stage has its own result type.
func (c *concurrent) stages(lo, hi int) []stage {
	if c.r.IntN(4) > 0 {
		hi = min(hi, 5)
	}
	list := make([]stage, lo+c.r.IntN(hi-lo+1))
	e := c.newElement()
	for i := range list {
		list[i] = stage{F: c.name("F"), In: e, Out: c.newElement()}
		e = list[i].Out
	}
	list[len(list)-1].Last = true
	c.latest = list
	return list
}

// mentionedPackage matches a mention of a package that idioms import.
var mentionedPackage = regexp.MustCompile(`\b(atomic|cmp|context|errors|fmt|iter|maps|runtime|slices|sort|strconv|strings|sync|time)\.[A-Z]`)

// importsOf returns an import declaration for the packages that text mentions.
func importsOf(text string) string {
	var paths []string
	for _, m := range mentionedPackage.FindAllStringSubmatch(text, -1) {
		path := m[1]
		if path == "atomic" {
			path = "sync/atomic"
		}
		paths = append(paths, fmt.Sprintf("\t%q\n", path))
	}
	slices.Sort(paths)
	return "import (\n" + strings.Join(slices.Compact(paths), "") + ")\n\n"
}
