package ixengine

import (
	"fmt"
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// pipelineCell returns a cell with a pipeline of n stages. Each stage is a goroutine with its own function
// and its own type. All functions are called for the first time at the same moment.
func pipelineCell(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `type Item%[1]d struct {
	ID, Hops int
	Name     string
}
func (x Item%[1]d) Next() any { return Item%[2]d{x.ID, x.Hops + 1, x.Name + "+"} }
func stage%[1]d(in <-chan any, out chan<- any) {
	defer close(out)
	seen := map[int]bool{}
	for v := range in {
		x, ok := v.(Item%[1]d)
		if !ok {
			panic(fmt.Sprintf("%%T", v))
		}
		seen[x.ID] = true
		select {
		case out <- x.Next():
		}
	}
	if len(seen) != 5 {
		panic(len(seen))
	}
}
`, i, i+1)
	}
	fmt.Fprintf(&b, `type Item%[1]d struct {
	ID, Hops int
	Name     string
}
func pipeline() int {
	first := make(chan any)
	var in <-chan any = first
	for _, stage := range []func(<-chan any, chan<- any){`, n)
	for i := range n {
		fmt.Fprintf(&b, "stage%d, ", i)
	}
	fmt.Fprintf(&b, `} {
		out := make(chan any, 1)
		go stage(in, out)
		in = out
	}
	go func() {
		defer close(first)
		for i := range 5 {
			first <- Item0{ID: i}
		}
	}()
	sum := 0
	for v := range in {
		x := v.(Item%[1]d)
		sum += x.ID*x.Hops + len(x.Name)
	}
	return sum
}
pipeline()`, n)
	return b.String()
}

// beginCell returns a cell with n functions that begin at the same moment. Each function has channels and
// type assertions of its own types.
func beginCell(n int) string {
	var b strings.Builder
	b.WriteString("import \"sync\"\n")
	for i := range n {
		fmt.Fprintf(&b, `type A%[1]d struct{ X [%[2]d]int }
type B%[1]d struct {
	A%[1]d
	S []A%[1]d
	M map[string]A%[1]d
}
func (a A%[1]d) Sum() (s int) {
	for _, x := range a.X {
		s += x
	}
	return s
}
func begin%[1]d(start <-chan bool) int {
	<-start
	c, d := make(chan A%[1]d, 1), make(chan *B%[1]d, 1)
	var a A%[1]d
	a.X[0] = %[1]d
	c <- a
	d <- &B%[1]d{A%[1]d: <-c, S: []A%[1]d{a}, M: map[string]A%[1]d{"a": a}}
	var v any = <-d
	switch v := v.(type) {
	case interface{ Sum() int }:
		return v.Sum() + v.(*B%[1]d).S[0].Sum() + v.(*B%[1]d).M["a"].X[0]
	}
	return -1
}
`, i, i%5+1)
	}
	b.WriteString("func all() (sum int) {\nstart := make(chan bool)\nvar wg sync.WaitGroup\nvar mu sync.Mutex\nfor _, f := range []func(<-chan bool) int{")
	for i := range n {
		fmt.Fprintf(&b, "begin%d, ", i)
	}
	b.WriteString(`} {
	wg.Go(func() {
		x := f(start)
		mu.Lock()
		defer mu.Unlock()
		sum += x
	})
}
close(start)
wg.Wait()
return sum
}
all()`)
	return b.String()
}

// TestManyBegin: functions of a cell that begin at the same moment, each in its own goroutine, do not disturb
// one another while the engine compiles them.
func TestManyBegin(t *testing.T) {
	patience.SkipShort(t, "it begins thousands of functions at once, at each level")
	skipOnOneThread(t, "no two functions run at once")
	if !alone(t) {
		return
	}
	times := patience.Rounds(40)
	if raceEnabled || testing.Short() {
		times = 3
	}
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			pipeline, begin := "import \"fmt\"\n"+pipelineCell(24), beginCell(60)
			for range times {
				if got, want := run(t, s, pipeline)[0].Value, (0+1+2+3+4)*24+5*24; got != want {
					t.Errorf("the pipeline gives %v, not %d", got, want)
				}
				if got, want := run(t, s, begin)[0].Value, 3*59*60/2; got != want {
					t.Errorf("all functions give %v, not %d", got, want)
				}
			}
		})
	}
}

// TestLocalTypesWarm: the types that a generic function declares stay the same when the function gets
// register code, and when later cells declare such types.
func TestLocalTypesWarm(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("fmt"; "reflect")
func local[T any](x T) any { type local struct{ X T }; return local{x} }
func list[T any](x T) any { type local struct{ X T }; type list []local; return list{local{x}} }
func table[T any](x T) any { type key struct{ X int }; type table map[key]T; return table{key{1}: x} }
func point[T any](x T) any { type point struct{ X, Y T }; return &point{x, x} }
makers := []func(k int) any{
	func(k int) any { return local(k) }, func(k int) any { return local(fmt.Sprint(k)) },
	func(k int) any { return list(k) }, func(k int) any { return list(fmt.Sprint(k)) },
	func(k int) any { return table(k) }, func(k int) any { return table(fmt.Sprint(k)) },
	func(k int) any { return point(k) }, func(k int) any { return point(fmt.Sprint(k)) },
}
func all() (types []reflect.Type) { for i, f := range makers { types = append(types, reflect.TypeOf(f(i))) }; return types }
first := all()`)
	for i := range 10 {
		run(t, s, fmt.Sprintf("func f%d[T any](x T) any { type local struct{ Y, Z T }; type other struct{ local }; return other{local{x, x}} }\nf%[1]d(%[1]d)", i))
		if got := run(t, s, "now := all()\nsame := true\nfor i, t := range now { for j, u := range first { same = same && (t == u) == (i == j) } }\nsame")[0].Value; got != true {
			t.Fatalf("after %d cells the types are %v, and were %v", i+1, run(t, s, "fmt.Sprint(now)")[0].Value, run(t, s, "fmt.Sprint(first)")[0].Value)
		}
	}
}
