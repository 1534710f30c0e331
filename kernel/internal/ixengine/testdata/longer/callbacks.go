package main

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/template"
)

// Methods that the standard library calls, with receivers of many kinds.

type byLength []string

func (x byLength) Len() int           { return len(x) }
func (x byLength) Less(i, j int) bool { return len(x[i]) < len(x[j]) }
func (x byLength) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }

type job struct {
	priority int
	name     string
}

type queue struct {
	jobs  []job
	moves int
}

func (q *queue) Len() int           { return len(q.jobs) }
func (q *queue) Less(i, j int) bool { return q.jobs[i].priority > q.jobs[j].priority }
func (q *queue) Swap(i, j int)      { q.moves++; q.jobs[i], q.jobs[j] = q.jobs[j], q.jobs[i] }
func (q *queue) Push(x any)         { q.jobs = append(q.jobs, x.(job)) }
func (q *queue) Pop() any {
	last := q.jobs[len(q.jobs)-1]
	q.jobs = q.jobs[:len(q.jobs)-1]
	return last
}

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }
func (c *celsius) Set(s string) error {
	_, err := fmt.Sscanf(s, "%f", (*float64)(c))
	return err
}

type point struct{ X, Y int8 }

func (p point) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%d/%d"`, p.X, p.Y), nil }
func (p *point) UnmarshalJSON(b []byte) error {
	if n, err := fmt.Sscanf(string(b), `"%d/%d"`, &p.X, &p.Y); n != 2 {
		return fmt.Errorf("point %s: %w", b, err)
	}
	return nil
}

type set map[string]bool

func (s set) String() string {
	keys := slices.Collect(func(yield func(string) bool) {
		for k := range s {
			if !yield(k) {
				return
			}
		}
	})
	slices.Sort(keys)
	return "{" + strings.Join(keys, " ") + "}"
}

type action func(int) int

func (f action) Format(st fmt.State, verb rune) {
	w, ok := st.Width()
	fmt.Fprint(st, string(verb), w, ok, f(3))
}

type holder struct{ *point }

func (h holder) GoString() string { return fmt.Sprint("holder of ", h.X) }

type failure struct {
	op    string
	cause error
}

func (f failure) Error() string        { return f.op + ": " + f.cause.Error() }
func (f failure) Unwrap() error        { return f.cause }
func (f failure) Is(target error) bool { return target == io.ErrShortWrite }

type missing string

func (m missing) Error() string { return "missing " + string(m) }

type upper struct{ from io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.from.Read(p[:min(len(p), 5)])
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type counter struct{ lines, bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.lines, c.bytes = c.lines+bytes.Count(p, []byte("\n")), c.bytes+len(p)
	if c.bytes > 40 {
		return 1, errors.New("full")
	}
	return len(p), nil
}

type gray struct{ pixels [9]uint8 }

func (g *gray) ColorModel() color.Model { return color.GrayModel }
func (g *gray) Bounds() image.Rectangle { return image.Rect(0, 0, 3, 3) }
func (g *gray) At(x, y int) color.Color { return color.Gray{g.pixels[3*y+x]} }
func (g *gray) Set(x, y int, c color.Color) {
	g.pixels[3*y+x] = color.GrayModel.Convert(c).(color.Gray).Y
}

type fixed struct{ state int64 }

func (f *fixed) Int63() int64    { f.state = f.state*25214903917 + 11; return f.state & (1<<63 - 1) }
func (f *fixed) Seed(seed int64) { f.state = seed }

type lock struct{ locked, n int }

func (l *lock) Lock()   { l.locked++; l.n++ }
func (l *lock) Unlock() { l.locked-- }

type pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p pair[K, V]) String() string { return fmt.Sprintf("%v→%v", p.Key, p.Val) }

type pairs[V any] []pair[string, V]

func (x pairs[V]) Len() int           { return len(x) }
func (x pairs[V]) Less(i, j int) bool { return x[i].Key < x[j].Key }
func (x pairs[V]) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }

type big struct{ values [40]float64 }

func (b big) String() string { return fmt.Sprint(b.values[39]) }

type wrong []int

func (w wrong) Len() int           { return len(w) }
func (w wrong) Less(i, j int) bool { return w[i+100] < w[j] }
func (w wrong) Swap(i, j int)      {}

type panicky struct{ why any }

func (p panicky) String() string { panic(p.why) }

func main() {
	words := byLength{"three", "a", "seventeen", "of", "", "nine"}
	sort.Sort(sort.Reverse(words))
	fmt.Printf("%q %v\n", words, sort.IsSorted(words))
	sort.Stable(words)
	fmt.Printf("%q %v\n", words, sort.IsSorted(words))

	q := &queue{}
	heap.Init(q)
	for i, name := range strings.Fields("write test review commit rest") {
		heap.Push(q, job{i * 7 % 5, name})
	}
	for q.Len() > 0 {
		fmt.Print(heap.Pop(q).(job).name, " ")
	}
	fmt.Println(q.moves > 0)

	var c celsius = 21.55
	fmt.Println(c, &c != nil, []celsius{1, 2}, map[string]celsius{"a": 3})
	flags := flag.NewFlagSet("oven", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(&c, "t", "temperature")
	fmt.Println(flags.Parse([]string{"-t", "180.25"}), c, flags.Lookup("t").DefValue)
	fmt.Println(flags.Parse([]string{"-t", "hot"}) != nil, c)

	b, err := json.Marshal(map[string]any{"p": point{1, -2}, "ps": []*point{{3, 4}, nil}})
	fmt.Println(string(b), err)
	var back struct{ P, Q point }
	fmt.Println(json.Unmarshal([]byte(`{"P": "5/6", "Q": "-7/8"}`), &back), back.P.X, back.Q.X, back.Q.Y)
	fmt.Println(json.Unmarshal([]byte(`{"P": "5"}`), &back) != nil)

	fmt.Println(set{"b": true, "a": true}, set(nil))
	fmt.Printf("%7d %v\n", action(func(n int) int { return n * n }), action(func(n int) int { return -n }))
	fmt.Printf("%#v\n", holder{&point{9, 9}})

	fail := fmt.Errorf("outer: %w", failure{"copy", missing("file")})
	var m missing
	fmt.Println(fail, errors.Is(fail, io.ErrShortWrite), errors.Is(fail, io.EOF), errors.As(fail, &m), m)

	text, err := io.ReadAll(bufio.NewReader(upper{strings.NewReader("the quick brown fox\n")}))
	fmt.Printf("%s %v\n", text, err)
	var n counter
	for range 4 {
		k, err := fmt.Fprintln(&n, "a line of text")
		fmt.Println(k, err, n)
	}
	copied, err := io.Copy(io.MultiWriter(&counter{}, io.Discard), upper{strings.NewReader("x\ny\n")})
	fmt.Println(copied, err)

	g := &gray{}
	draw.Draw(g, g.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(g, image.Rect(1, 1, 9, 2), image.NewUniform(color.Gray{100}), image.Point{}, draw.Over)
	fmt.Println(g.pixels)

	r := rand.New(&fixed{1})
	fmt.Println(r.Intn(100), r.Perm(5), r.Float64() < 1)

	l := &lock{}
	cond := sync.NewCond(l)
	cond.L.Lock()
	fmt.Println(l.n, l.locked)
	cond.L.Unlock()
	fmt.Println(l.n, l.locked)

	ps := pairs[int]{{"z", 1}, {"b", 2}, {"m", 3}}
	sort.Sort(ps)
	fmt.Println(ps, ps[0], pair[int, []string]{1, []string{"x"}})
	fmt.Println(big{[40]float64{39: 2.5}})

	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		sort.Sort(wrong{1, 2, 3})
	}()
	fmt.Println(panicky{"no text"}, panicky{fmt.Errorf("an error")})
	var none *panicky
	fmt.Println(none, (*set)(nil) == nil)
	t := template.Must(template.New("").Parse("{{range .}}{{.}} {{.Key}};{{end}}\n"))
	var out strings.Builder
	fmt.Println(t.Execute(&out, ps), out.String())
	for range 50 { // often enough for every method to get register code
		sort.Sort(words)
		fmt.Fprint(io.Discard, c, set{"a": true}, ps, panicky{"again"}, fail, holder{&point{}}, big{})
		json.Marshal(point{1, 2})
	}
	fmt.Println(words, c, fmt.Sprint(set{"x": true}), fail, panicky{nil})
}
