package randprog

// The idioms from which NewConcurrent makes programs are templates; concurrent.fill defines the functions
// that the templates call.

// elementKinds are the types of values that goroutines send to each other. $T stands for the type's name, $N
// for another name.
var elementKinds = []struct{ typ, of, back, more string }{
	{"int", "$T(x)", "int(v)", ""},
	{"uint8", "$T(x % 200)", "int(v)", ""},
	{"int32", "$T(x % 100000)", "int(v)", ""},
	{"uint64", "$T(x)", "int(v)", ""},
	{"float64", "$T(x%1000) / 4", "int(v * 4)", ""},
	{"float32", "$T(x % 1000)", "int(v)", ""},
	{"complex128", "$T(complex(float64(x%1000), 1))", "int(real(v) + imag(v))", ""},
	{"bool", "x%2 == 0", "map[$T]int{true: 3, false: 4}[v]", ""},
	{"string", "$T(strconv.Itoa(x))", "len(v)", ""},
	{"string", "$T(strings.Repeat(\"ab\", x%5))", "strings.Count(string(v), \"a\")", ""},
	{"[3]int", "$T{x, x + 1, 7}", "v[0] + v[2]", ""},
	{"[]int", "$T{x, 2 * x, 3}", "v[0] + len(v)", ""},
	{"[]byte", "$T(strconv.Itoa(x))", "len(v) + int(v[0])", ""},
	{"map[string]int", "$T{\"x\": x, \"y\": 1}", "v[\"x\"] + len(v)", ""},
	{"struct{}", "$T{}", "1", ""},
	{"struct{ A int }", "$T{x}", "v.A", ""},
	{"struct{ A, B int; C string; D float64 }", "$T{A: x, C: \"c\", D: 1.5}", "v.A + v.B + len(v.C) + int(v.D)", ""},
	{"struct{ A []int; B *int; C map[int]string }", "$T{A: []int{x}, B: new(int), C: map[int]string{x: \"c\"}}", "v.A[0] + *v.B + len(v.C)", ""},
	{"*struct{ A int; Next *$T }", "&$T{x, &$T{A: 1}}", "v.A + v.Next.A", ""},
	{"*struct{ A int; mu sync.Mutex }", "&$T{A: x}", "v.Get()", "func (t *$T) Get() int {\n\tt.mu.Lock()\n\tdefer t.mu.Unlock()\n\treturn t.A\n}\n"},
	{"func() int", "func() int { return x }", "v()", ""},
	{"any", "x", "v.(int)", ""},
	{"error", "fmt.Errorf(\"error %d\", x)", "len(v.Error())", ""},
	{"chan int", "func() $T { c := make($T, 1); c <- x; return c }()", "<-v", ""},
	{"interface{ Get() int }", "$N(x)", "v.Get()", "type $N int\n\nfunc (t $N) Get() int { return int(t) }\n"},
	{"interface{ String() string }", "&$N{x}", "len(v.String())", "type $N struct{ a int }\n\nfunc (t *$N) String() string { return strconv.Itoa(t.a) }\n"},
}

// sequentialIdioms do work without goroutines. Each declares {{.}}, a function that takes an int n >= 0.
var sequentialIdioms = []string{`
func {{.}}(n int) int {
	s := 1
	for i := range {{size 3 60}} {
		s = (s*{{size 2 40}} + i + n) % 1009
	}
	return s
}
`, `
func {{.}}(n int) int {
	count := map[int]int{}
	for i := range {{size 3 20}} {
		count[(i*n)%{{size 2 7}}]++
	}
	most := 0
	for _, c := range count {
		most = max(most, c)
	}
	return most
}
`, `
func {{.}}(n int) int {
	if n < 2 {
		return n
	}
	return ({{.}}(n/2) + {{.}}(n/{{size 2 4}}) + 1) % 1009
}
`, `
func {{.}}(n int) int {
	var b strings.Builder
	for i := range {{size 2 12}} {
		fmt.Fprintf(&b, "%d,", n*i)
	}
	return len(strings.Split(b.String(), ","))
}
`, `
func {{.}}(n int) (sum int) {
	defer func() {
		if e := recover(); e != nil {
			sum = n + {{size 1 9}}
		}
	}()
	list := make([]int, {{size 1 9}})
	for i := range n%12 + 1 {
		list[i] = i
		sum += list[i]
	}
	return sum
}
`}

// concurrentIdioms do work with goroutines. Each declares {{.}}, a function that takes an int n >= 0 and
// returns an int.
var concurrentIdioms = []string{
	mutexSum, atomicSum, slots, pipeline, fanIn, semaphore, pingPong, cache, once, onceThatPanics, pool, cancelled, timedOut, contextValues, afterFuncs, timers, polling, nilChannels, iterators, pulled, panicking, goexit, queue, swapping, pointing, server, group, recursive, merging, ring, primes, bus, barrier, starts, syncMap, stopped, methods,
	pipeline, pipeline, starts, // repeated, so that they are more frequent
}

const mutexSum = `
func {{.}}(n int) (sum int) {
	var mu sync.{{pick "Mutex" "RWMutex"}}
	var wg sync.WaitGroup
	for i := range {{size 1 9}} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := {{work "n+i"}}
			mu.Lock()
			{{- if chance 1 2}}
			defer mu.Unlock()
			sum += w
			{{- else}}
			sum += w
			mu.Unlock()
			{{- end}}
		}()
	}
	wg.Wait()
	return sum % 1000003
}
`

const atomicSum = `
{{- $type := pick "Int64" "Int32" "Uint32" "Uint64"}}{{$method := chance 1 2}}
func {{.}}(n int) int {
	var wg sync.WaitGroup
	{{- if $method}}
	var sum atomic.{{$type}}
	add := func(x int) { sum.Add({{lower $type}}(x % 1000)) }
	{{- else}}
	var sum {{lower $type}}
	add := func(x int) { atomic.Add{{$type}}(&sum, {{lower $type}}(x%1000)) }
	{{- end}}
	for i := range {{size 1 9}} {
		wg.Go(func() {
			for j := range {{size 1 20}} {
				add(i*j + n)
			}
			add({{work "n+i"}})
		})
	}
	wg.Wait()
	return int({{if $method}}sum.Load(){{else}}atomic.Load{{$type}}(&sum){{end}})
}
`

// slots: each goroutine has its own element of a slice or an array.
const slots = `
{{- $e := elem}}{{$k := size 1 12}}
func {{.}}(n int) (sum int) {
	{{- if chance 1 2}}
	var out [{{$k}}]{{$e.T}}
	{{- else}}
	out := make([]{{$e.T}}, {{$k}})
	{{- end}}
	done := make(chan struct{})
	for i := 0; i < {{$k}}; i++ {
		go func(at *{{$e.T}}) {
			defer func() { done <- struct{}{} }()
			*at = {{$e.Of (work "n+i")}}
		}(&out[i])
	}
	for range out {
		<-done
	}
	for _, v := range out {
		sum += {{$e.Back "v"}}
	}
	return sum % 1000003
}
`

// pipeline: many functions begin at once, each in its own goroutine and with its own types.
const pipeline = `
{{- $stages := stages 1 24}}{{$k := size 0 7}}
{{- range $stages}}
{{- $quit := chance 1 3}}{{$form := size 0 4}}
func {{.F}}(in <-chan {{.In.T}}, out chan<- {{.Out.T}}, quit <-chan struct{}) {
	{{- if chance 1 4}}
	defer func() { close(out) }()
	{{- else}}
	defer close(out)
	{{- end}}
	{{- if eq $form 0}}
	for v := range in {
		out <- {{.Out.Of (work (.In.Back "v"))}}
	}
	{{- else if eq $form 1}}
	for v := range in {
		select {
		case out <- {{.Out.Of (work (.In.Back "v"))}}:
		case <-quit:
			return
		}
	}
	{{- else if eq $form 2}}
	for {
		select {
		case v, ok := <-in:
			if !ok {
				return
			}
			out <- {{.Out.Of (work (.In.Back "v"))}}
		case <-time.After(time.Hour):
			return
		case <-quit:
			return
		}
	}
	{{- else if eq $form 3}}
	var held []{{.Out.T}}
	from, ok := in, true
	for from != nil || len(held) > 0 {
		var to chan<- {{.Out.T}}
		var next {{.Out.T}}
		if len(held) > 0 {
			to, next = out, held[0]
		}
		var v {{.In.T}}
		select {
		case v, ok = <-from:
			if ok {
				held = append(held, {{.Out.Of (work (.In.Back "v"))}})
			} else {
				from = nil
			}
		case to <- next:
			held = held[1:]
		}
	}
	{{- else}}
loop:
	for {
		select {
		case v, ok := <-in:
			switch {
			case !ok:
				break loop
			default:
				out <- {{.Out.Of (.In.Back "v")}}
			}
		default:
			runtime.Gosched()
		}
	}
	{{- end}}
}
{{end}}
func {{.}}(n int) (sum int) {
	quit := make(chan struct{})
	defer close(quit)
	{{- range $i, $s := $stages}}
	c{{$i}} := {{chan $s.In}}
	{{- end}}
	{{- range $i, $s := $stages}}
	{{- if $s.Last}}
	last := {{chan $s.Out}}
	go {{$s.F}}(c{{$i}}, last, quit)
	{{- else}}
	go {{$s.F}}(c{{$i}}, c{{inc $i}}, quit)
	{{- end}}
	{{- end}}
	go func() {
		for i := range {{$k}} {
			c0 <- {{(index $stages 0).In.Of "n+i"}}
		}
		close(c0)
	}()
	for v := range last {
		sum += {{(last $stages).Out.Back "v"}}
	}
	return sum % 1000003
}
`

// fanIn: the values sent by several goroutines are sorted.
const fanIn = `
{{- $e := elem}}{{$k := size 1 9}}{{$t := name "T"}}
type {{$t}} struct {
	v   {{$e.T}}
	key int
	ok  bool
}

func {{.}}(n int) (sum int) {
	tasks, results := make(chan int, {{$k}}), make(chan {{$t}})
	for range {{size 1 5}} {
		go func() {
			for i := range tasks {
				results <- {{$t}}{ {{- $e.Of (work "n+i")}}, i, i > 1}
			}
		}()
	}
	for i := range {{$k}} {
		tasks <- i
	}
	close(tasks)
	var all []{{$t}}
	for len(all) < {{$k}} {
		all = append(all, <-results)
	}
	{{- if chance 1 2}}
	slices.SortFunc(all, func(a, b {{$t}}) int { return a.key - b.key })
	{{- else}}
	sort.Slice(all, func(i, j int) bool { return all[i].key < all[j].key })
	{{- end}}
	for i, r := range all {
		sum = (sum*3 + {{$e.Back "r.v"}}) % 1000003
		if r.key != i || r.ok != (i > 1) {
			return -1
		}
	}
	return sum
}
`

// semaphore: a buffered channel limits the number of workers.
const semaphore = `
func {{.}}(n int) int {
	tokens := make(chan struct{}, {{size 1 4}})
	var now, most, sum atomic.Int32
	var wg sync.WaitGroup
	for i := range {{size 2 12}} {
		tokens <- struct{}{}
		wg.Go(func() {
			defer func() { <-tokens }()
			for m := now.Add(1); m > most.Load(); {
				most.Store(m)
			}
			sum.Add(int32({{work "n+i"}}))
			now.Add(-1)
		})
	}
	wg.Wait()
	if int(most.Load()) > cap(tokens) || now.Load() != 0 {
		return -1
	}
	return int(sum.Load())
}
`

const pingPong = `
{{- $e := elem}}{{$f := elem}}
func {{.}}(n int) int {
	ping, pong := {{chan $e}}, {{chan $f}}
	go func() {
		defer close(pong)
		for v := range ping {
			pong <- {{$f.Of ($e.Back "v")}}
		}
	}()
	x := n
	for range {{size 1 30}} {
		ping <- {{$e.Of "x"}}
		x = ({{$f.Back "<-pong"}} + 1) % 5003
	}
	close(ping)
	_, ok := <-pong
	if ok {
		return -1
	}
	return x
}
`

// cache: a map protected by a lock.
const cache = `
{{- $e := elem}}{{$t := name "T"}}
type {{$t}}[K comparable, V any] struct {
	sync.RWMutex
	values map[K]V
	made   int
}

func (t *{{$t}}[K, V]) get(k K, make func() V) V {
	t.RLock()
	v, ok := t.values[k]
	t.RUnlock()
	if ok {
		return v
	}
	t.Lock()
	defer t.Unlock()
	if v, ok := t.values[k]; ok {
		return v
	}
	v = make()
	t.values[k] = v
	t.made++
	return v
}

func {{.}}(n int) int {
	t := &{{$t}}[{{$key := pick "int" "string"}}{{$key}}, {{$e.T}}]{values: map[{{$key}}]{{$e.T}}{}}
	var wg sync.WaitGroup
	var sum atomic.Int64
	for i := range {{size 2 12}} {
		wg.Go(func() {
			k := i % {{size 1 5}}
			v := t.get({{if eq $key "int"}}k{{else}}fmt.Sprint("key", k){{end}}, func() {{$e.T}} { return {{$e.Of (work "n+k")}} })
			_ = v
			sum.Add(int64(k))
		})
	}
	wg.Wait()
	return int(sum.Load()) + 100*t.made + len(t.values)
}
`

const once = `
{{- $e := elem}}{{$form := size 0 3}}
func {{.}}(n int) (sum int) {
	made := 0
	{{- if eq $form 0}}
	var o sync.Once
	var kept {{$e.T}}
	get := func() {{$e.T}} {
		o.Do(func() {
			made++
			kept = {{$e.Of (work "n")}}
		})
		return kept
	}
	{{- else if eq $form 1}}
	get := sync.OnceValue(func() {{$e.T}} {
		made++
		return {{$e.Of (work "n")}}
	})
	{{- else if eq $form 2}}
	both := sync.OnceValues(func() ({{$e.T}}, error) {
		made++
		return {{$e.Of (work "n")}}, errors.New("one")
	})
	get := func() {{$e.T}} {
		v, err := both()
		if err == nil {
			panic("no error")
		}
		return v
	}
	{{- else}}
	var kept {{$e.T}}
	first := sync.OnceFunc(func() {
		made++
		kept = {{$e.Of (work "n")}}
	})
	get := func() {{$e.T}} { first(); return kept }
	{{- end}}
	var wg sync.WaitGroup
	for range {{size 1 12}} {
		wg.Go(func() { get() })
	}
	wg.Wait()
	v := get()
	return made*1000 + {{$e.Back "v"}}%1000
}
`

const onceThatPanics = `
func {{.}}(n int) int {
	f := sync.OnceFunc(func() { panic(fmt.Sprint("once ", n)) })
	texts := make([]string, {{size 1 6}})
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			defer func() { texts[i] = fmt.Sprint(recover()) }()
			f()
		})
	}
	wg.Wait()
	return len(strings.Join(texts, ","))
}
`

const pool = `
{{- $e := elem}}
func {{.}}(n int) int {
	type item struct {
		list []{{$e.T}}
		used int
	}
	p := sync.Pool{New: func() any { return &item{} }}
	var sum atomic.Int64
	var wg sync.WaitGroup
	for i := range {{size 1 9}} {
		wg.Go(func() {
			t := p.Get().(*item)
			defer p.Put(t)
			t.list = append(t.list[:0], {{$e.Of "n"}}, {{$e.Of (work "n+i")}})
			t.used++
			v := t.list[1]
			sum.Add(int64({{$e.Back "v"}} + len(t.list)))
		})
	}
	wg.Wait()
	return int(sum.Load() % 1000003)
}
`

// cancelled: workers continue until their context is done.
const cancelled = `
{{- $e := elem}}
func {{.}}(n int) (sum int) {
	{{- if chance 1 2}}
	ctx, cancel := context.WithCancel(context.Background())
	stop := func() { cancel() }
	{{- else}}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := func() { cancel(fmt.Errorf("stop: %w", cause)) }
	defer func() {
		if !errors.Is(context.Cause(ctx), cause) {
			sum = -1
		}
	}()
	{{- end}}
	out := {{chan $e}}
	var wg sync.WaitGroup
	for range {{size 1 6}} {
		wg.Go(func() {
			for {
				select {
				case out <- {{$e.Of (work "n")}}:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	for range {{size 1 20}} {
		v := <-out
		sum += {{$e.Back "v"}}
	}
	stop()
	wg.Wait()
	if !errors.Is(ctx.Err(), context.Canceled) {
		return -1
	}
	return sum % 1000003
}
`

const timedOut = `
func {{.}}(n int) int {
	parent, cancel := context.WithTimeout(context.Background(), time.{{pick "Millisecond" "Microsecond" "Nanosecond"}})
	defer cancel()
	ctx, cancelChild := context.{{pick "WithCancel(parent)" "WithTimeout(parent, time.Hour)" "WithDeadline(parent, time.Now().Add(time.Hour))"}}
	defer cancelChild()
	errs := make(chan error)
	k := {{size 1 6}}
	for range k {
		go func() {
			{{- if chance 1 2}}
			<-ctx.Done()
			{{- else}}
			for ctx.Err() == nil {
				time.Sleep(50 * time.Microsecond)
			}
			{{- end}}
			errs <- fmt.Errorf("%d: %w", n, ctx.Err())
		}()
	}
	sum := 0
	for range k {
		if err := <-errs; errors.Is(err, context.DeadlineExceeded) {
			sum += len(err.Error())
		}
	}
	return sum
}
`

const contextValues = `
{{- $e := elem}}
func {{.}}(n int) int {
	type key struct{ n int }
	ctx := context.Background()
	for i := range {{size 1 6}} {
		ctx = context.WithValue(ctx, key{i}, {{$e.Of "n+i"}})
	}
	found := make(chan int)
	{{- $k := size 1 9}}
	for i := range {{$k}} {
		go func(ctx context.Context) {
			v, ok := ctx.Value(key{i}).({{$e.T}})
			if !ok {
				found <- 1
				return
			}
			found <- {{$e.Back "v"}}
		}({{pick "ctx" "context.WithoutCancel(ctx)"}})
	}
	sum := 0
	for range {{$k}} {
		sum += <-found
	}
	return sum % 1000003
}
`

const afterFuncs = `
func {{.}}(n int) int {
	ctx, cancel := context.WithCancel(context.Background())
	results := make(chan int, {{$k := size 1 6}}{{$k}})
	for i := range {{$k}} {
		{{- if chance 1 2}}
		context.AfterFunc(ctx, func() { results <- {{work "n+i"}} })
		{{- else}}
		time.AfterFunc(time.Duration(i)*{{pick "0" "time.Microsecond" "time.Millisecond"}}, func() {
			<-ctx.Done()
			results <- {{work "n+i"}}
		})
		{{- end}}
	}
	stop := context.AfterFunc(ctx, func() { panic("stopped") })
	if !stop() {
		return -1
	}
	if !time.AfterFunc(time.Hour, func() { panic("late") }).Stop() {
		return -2
	}
	cancel()
	sum := 0
	for range {{$k}} {
		sum += <-results
	}
	return sum % 1000003
}
`

const timers = `
func {{.}}(n int) int {
	count := 0
	tick := time.NewTicker({{size 20 900}} * time.Microsecond)
	defer tick.Stop()
	{{- if chance 1 2}}
	timer := time.NewTimer(time.Hour)
	timer.Reset(time.Millisecond)
	{{- else}}
	timer := time.NewTimer({{size 0 900}} * time.Microsecond)
	{{- end}}
	expired := timer.C
	for count < {{size 1 5}} || expired != nil {
		select {
		case <-tick.C:
			count++
		case <-expired:
			expired = nil
		case <-time.After(time.Hour):
			return -1
		}
	}
	return {{work "n"}}
}
`

// polling: a select with a default.
const polling = `
{{- $e := elem}}
func {{.}}(n int) int {
	in := {{chan $e}}
	go func() {
		{{- if chance 1 2}}
		runtime.Gosched()
		{{- end}}
		in <- {{$e.Of (work "n")}}
		close(in)
	}()
	for {
		select {
		case v, ok := <-in:
			if ok {
				return {{$e.Back "v"}}
			}
			return -1
		default:
			{{pick "runtime.Gosched()" "time.Sleep(time.Microsecond)" "continue"}}
		}
	}
}
`

const nilChannels = `
{{- $e := elem}}{{$f := elem}}
func {{.}}(n int) (sum int) {
	a, b := {{chan $e}}, {{chan $f}}
	var never chan {{$e.T}}
	go func() {
		for i := range {{size 0 6}} {
			a <- {{$e.Of "n+i"}}
		}
		close(a)
	}()
	go func() {
		for i := range {{size 0 6}} {
			b <- {{$f.Of (work "n+i")}}
		}
		close(b)
	}()
	for a != nil || b != nil {
		select {
		case v, ok := <-a:
			if !ok {
				a = nil
				continue
			}
			sum += {{$e.Back "v"}}
		case v, ok := <-b:
			if !ok {
				b = nil
				break
			}
			sum += {{$f.Back "v"}}
		case v := <-never:
			sum = -{{$e.Back "v"}}
		{{- if chance 1 3}}
		case never <- {{$e.Of "n"}}:
			sum = -2
		{{- end}}
		}
	}
	return sum % 1000003
}
`

// iterators: goroutines range over a function.
const iterators = `
{{- $e := elem}}{{$g := name "F"}}{{$h := name "F"}}
func {{$g}}(n int) iter.Seq2[int, {{$e.T}}] {
	return func(yield func(int, {{$e.T}}) bool) {
		for i := range n {
			if !yield(i, {{$e.Of "n+i"}}) {
				return
			}
		}
	}
}

func {{$h}}[T, U any](seq iter.Seq2[int, T], f func(int, T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for i, v := range seq {
			if !yield(f(i, v)) {
				return
			}
		}
	}
}

func {{.}}(n int) int {
	parts := make(chan int)
	find := func(at int) (found int) {
		defer func() { found += 2 }()
		for i, v := range {{$g}}({{size 1 12}}) {
			if i < at {
				continue
			}
			{{- if chance 1 2}}
			defer func() { found += i }()
			{{- end}}
			return {{$e.Back "v"}} + {{work "n+i"}}
		}
		return 1
	}
	for i := range {{$k := size 1 6}}{{$k}} {
		go func() { parts <- find(i) }()
		go func() {
			s := 0
			for x := range {{$h}}({{$g}}(i), func(j int, v {{$e.T}}) int { return j + {{$e.Back "v"}} }) {
				s += x
			}
			parts <- s
		}()
	}
	sum := 0
	for range 2 * {{$k}} {
		sum += <-parts
	}
	return sum % 1000003
}
`

// pulled: iter.Pull, which runs the iterator in a separate goroutine.
const pulled = `
{{- $e := elem}}
func {{.}}(n int) int {
	seq := func(end *int) iter.Seq[{{$e.T}}] {
		return func(yield func({{$e.T}}) bool) {
			defer func() { *end += 100 }()
			for i := 0; ; i++ {
				if !yield({{$e.Of (work "n+i")}}) {
					return
				}
			}
		}
	}
	out := make([]int, {{size 1 6}})
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			next, stop := iter.Pull(seq(&out[i]))
			{{- $late := chance 1 2}}
			{{- if $late}}
			defer stop()
			{{- end}}
			for range i + 1 {
				if v, ok := next(); ok {
					out[i] += {{$e.Back "v"}}
				}
			}
			{{- if not $late}}
			stop()
			if _, ok := next(); ok {
				out[i] = -1
			}
			{{- end}}
		})
	}
	wg.Wait()
	sum := 0
	for _, x := range out {
		sum += x
	}
	return sum % 1000003
}
`

// panicking: goroutines recover their own panics.
const panicking = `
{{- $t := name "T"}}{{$e := elem}}
type {{$t}} struct{ code int }

func (e *{{$t}}) Error() string { return fmt.Sprint("code ", e.code) }

func {{.}}(n int) int {
	errs := make(chan error)
	try := func(i int) (err error) {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case runtime.Error:
				err = fmt.Errorf("runtime: %w", r)
			case error:
				err = fmt.Errorf("error: %w", r)
			default:
				err = fmt.Errorf("other: %v", r)
			}
		}()
		var list []int
		var at *{{$t}}
		var f func(int) int
		var e {{$e.T}}
		switch i % 8 {
		case 0:
			panic(&{{$t}}{n})
		case 1:
			return errors.New(fmt.Sprint(list[i]))
		case 2:
			return errors.New(fmt.Sprint(at.code))
		case 3:
			panic(fmt.Sprint("text ", {{work "n+i"}}))
		case 4:
			return errors.New(fmt.Sprint(n / len(list)))
		case 5:
			f(i)
		case 6:
			var c chan int
			close(c)
		case 7:
			e = {{$e.Of "n"}}
			return fmt.Errorf("%d: %w", {{$e.Back "e"}}, &{{$t}}{i})
		}
		return nil
	}
	k := {{size 1 12}}
	for i := range k {
		go func() { errs <- try(i + {{size 0 8}}) }()
	}
	sum := 0
	for range k {
		err := <-errs
		var e *{{$t}}
		if errors.As(err, &e) {
			sum += 1000
		}
		sum += len(err.Error())
	}
	return sum
}
`

const goexit = `
func {{.}}(n int) int {
	done := make(chan int)
	k := {{size 1 9}}
	for i := range k {
		go func() {
			x := 1
			defer func() { done <- x + n }()
			defer func() {
				if recover() != nil {
					x = -1000
				}
			}()
			for j := 0; ; j++ {
				x += {{work "n+i"}} % 100
				if j == i%3 {
					func() { runtime.Goexit() }()
				}
			}
		}()
	}
	sum := 0
	for range k {
		sum += <-done
	}
	return sum
}
`

// queue: a generic type with a condition variable.
const queue = `
{{- $e := elem}}{{$t := name "T"}}{{$new := name "F"}}
type {{$t}}[T any] struct {
	mu    sync.Mutex
	some  *sync.Cond
	items []T
	ended bool
}

func {{$new}}[T any]() *{{$t}}[T] {
	q := &{{$t}}[T]{}
	q.some = sync.NewCond(&q.mu)
	return q
}

func (q *{{$t}}[T]) Put(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.some.Signal()
}

func (q *{{$t}}[T]) End() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.some.Broadcast()
}

func (q *{{$t}}[T]) Take() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.ended {
		q.some.Wait()
	}
	if len(q.items) == 0 {
		return v, false
	}
	v, q.items = q.items[0], q.items[1:]
	return v, true
}

func (q *{{$t}}[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, ok := q.Take(); ok && yield(v); v, ok = q.Take() {
		}
	}
}

func {{.}}(n int) int {
	q := {{$new}}[{{$e.T}}]()
	var made, taken sync.WaitGroup
	var sum atomic.Int64
	for range {{size 1 5}} {
		taken.Go(func() {
			{{- if chance 1 2}}
			for v := range q.All() {
				sum.Add(int64({{$e.Back "v"}}))
			}
			{{- else}}
			for {
				v, ok := q.Take()
				if !ok {
					break
				}
				sum.Add(int64({{$e.Back "v"}}))
			}
			{{- end}}
		})
	}
	for i := range {{size 1 5}} {
		made.Go(func() {
			for j := range {{size 1 5}} {
				q.Put({{$e.Of (work "n+i+j")}})
			}
		})
	}
	made.Wait()
	q.End()
	taken.Wait()
	return int(sum.Load() % 1000003)
}
`

const swapping = `
func {{.}}(n int) int {
	var x {{$plain := chance 1 2}}{{if $plain}}int64{{else}}atomic.Int64{{end}}
	var wg sync.WaitGroup
	k := {{size 1 8}}
	for i := range k {
		wg.Go(func() {
			for range {{size 1 9}} {
				for {
					{{- if $plain}}
					old := atomic.LoadInt64(&x)
					if atomic.CompareAndSwapInt64(&x, old, old+int64(i+n)) {
						break
					}
					{{- else}}
					old := x.Load()
					if x.CompareAndSwap(old, old+int64(i+n)) {
						break
					}
					{{- end}}
				}
			}
		})
	}
	wg.Wait()
	{{- if $plain}}
	return int(atomic.SwapInt64(&x, 0))
	{{- else}}
	return int(x.Swap(0))
	{{- end}}
}
`

// pointing: a list to which goroutines add without a lock.
const pointing = `
{{- $e := elem}}{{$t := name "T"}}
type {{$t}} struct {
	v    {{$e.T}}
	next *{{$t}}
}

func {{.}}(n int) (sum int) {
	var head atomic.Pointer[{{$t}}]
	var set atomic.Bool
	var last atomic.Value
	var wg sync.WaitGroup
	for i := range {{size 1 12}} {
		wg.Go(func() {
			node := &{{$t}}{v: {{$e.Of (work "n+i")}}}
			for {
				node.next = head.Load()
				if head.CompareAndSwap(node.next, node) {
					break
				}
			}
			last.Store(node)
			set.Store(true)
		})
	}
	wg.Wait()
	for p := head.Load(); p != nil; p = p.next {
		sum += {{$e.Back "p.v"}}
	}
	if !set.Load() || last.Load().(*{{$t}}) == nil {
		return -1
	}
	return sum % 1000003
}
`

// server: a goroutine owns the state that others request.
const server = `
{{- $e := elem}}{{$t := name "T"}}
type {{$t}} struct {
	key   int
	value {{$e.T}}
	reply chan<- {{$e.T}}
}

func {{.}}(n int) int {
	asked := make(chan {{$t}})
	quit := make(chan chan int)
	go func() {
		kept := map[int]{{$e.T}}{}
		for {
			select {
			case a := <-asked:
				if a.reply == nil {
					kept[a.key] = a.value
					continue
				}
				a.reply <- kept[a.key]
			case c := <-quit:
				c <- len(kept)
				return
			}
		}
	}()
	var sum atomic.Int64
	var wg sync.WaitGroup
	for i := range {{size 1 8}} {
		wg.Go(func() {
			asked <- {{$t}}{key: i, value: {{$e.Of (work "n+i")}}}
			reply := make(chan {{$e.T}}{{pick "" ", 1"}})
			asked <- {{$t}}{key: i, reply: reply}
			v := <-reply
			sum.Add(int64({{$e.Back "v"}}))
		})
	}
	wg.Wait()
	c := make(chan int)
	quit <- c
	return int(sum.Load()%1000003) + <-c
}
`

// group: the first error stops the other goroutines.
const group = `
{{- $t := name "T"}}
type {{$t}} struct {
	wg     sync.WaitGroup
	once   sync.Once
	err    error
	cancel context.CancelCauseFunc
}

func (g *{{$t}}) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err; g.cancel(err) })
		}
	}()
}

func (g *{{$t}}) Wait() error {
	g.wg.Wait()
	g.cancel(nil)
	return g.err
}

func {{.}}(n int) int {
	fault := fmt.Errorf("fault %d", {{work "n"}})
	ctx, cancel := context.WithCancelCause(context.Background())
	g := &{{$t}}{cancel: cancel}
	tasks, bad := {{size 1 9}}, {{size 0 9}}
	for i := range tasks {
		g.Go(func() error {
			if i == bad {
				return fmt.Errorf("task %d: %w", i, fault)
			}
			if bad < tasks {
				<-ctx.Done()
			}
			return nil
		})
	}
	switch err := g.Wait(); {
	case err == nil:
		return 1
	case errors.Is(err, fault) && errors.Is(context.Cause(ctx), fault):
		return len(err.Error())
	}
	return -1
}
`

const recursive = `
func {{.}}(n int) int {
	var count func(n, depth int) int
	count = func(n, depth int) int {
		if depth == 0 {
			return {{work "n"}}
		}
		left := make(chan int{{pick "" ", 1"}})
		go func() { left <- count(n+1, depth-1) }()
		right := count(n+2, depth-1)
		return (<-left + right) % 1000003
	}
	return count(n, {{size 1 4}})
}
`

const merging = `
{{- $f := name "F"}}
func {{$f}}[T cmp.Ordered](list []T) []T {
	if len(list) < 2 {
		return list
	}
	half := len(list) / 2
	var left, right []T
	var wg sync.WaitGroup
	wg.Go(func() { left = {{$f}}(list[:half]) })
	wg.Go(func() { right = {{$f}}(list[half:]) })
	wg.Wait()
	var out []T
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	return append(append(out, left...), right...)
}

func {{.}}(n int) (sum int) {
	{{- $t := pick "int" "float64" "string" "uint8"}}
	var list []{{$t}}
	for i := range {{size 0 40}} {
		x := (i*37 + n) % 101
		list = append(list, {{if eq $t "string"}}fmt.Sprint(x){{else}}{{$t}}(x){{end}})
	}
	for i, x := range {{$f}}(list) {
		sum += i * {{if eq $t "string"}}len(x){{else}}int(x){{end}}
	}
	return sum
}
`

const ring = `
func {{.}}(n int) int {
	first := make(chan int)
	in := first
	for range {{size 1 30}} {
		out := make(chan int)
		go func(in <-chan int, out chan<- int) {
			for v := range in {
				out <- v + 1
			}
			close(out)
		}(in, out)
		in = out
	}
	go func() {
		for i := range {{size 1 5}} {
			first <- n + i
		}
		close(first)
	}()
	sum := 0
	for v := range in {
		sum += v
	}
	return {{work "sum"}}
}
`

// primes: a sieve that adds goroutines as it goes.
const primes = `
{{- $f := name "F"}}{{$g := name "F"}}
func {{$g}}(ch chan<- int) {
	for i := 2; ; i++ {
		ch <- i
	}
}

func {{$f}}(in <-chan int, out chan<- int, prime int) {
	for {
		if i := <-in; i%prime != 0 {
			out <- i
		}
	}
}

func {{.}}(n int) int {
	ch := make(chan int)
	go {{$g}}(ch)
	prime := 0
	for range {{size 1 15}} {
		prime = <-ch
		next := make(chan int)
		go {{$f}}(ch, next, prime)
		ch = next
	}
	return prime + n
}
`

// bus: all subscribers get everything that is published.
const bus = `
{{- $e := elem}}{{$t := name "T"}}
type {{$t}}[E any] struct {
	mu   sync.Mutex
	subs map[int]chan E
}

func (b *{{$t}}[E]) Subscribe(id int) <-chan E {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := make(chan E, {{size 0 3}})
	b.subs[id] = c
	return c
}

func (b *{{$t}}[E]) Publish(e E) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.subs {
		c <- e
	}
}

func (b *{{$t}}[E]) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, c := range b.subs {
		delete(b.subs, id)
		close(c)
	}
}

func {{.}}(n int) int {
	b := &{{$t}}[{{$e.T}}]{subs: make(map[int]chan {{$e.T}})}
	sums := make(chan int)
	k := {{size 1 6}}
	for i := range k {
		c := b.Subscribe(i)
		go func() {
			s := 0
			for v := range c {
				s += {{if eq $e.Kind "chan int"}}len(v){{else}}{{$e.Back "v"}}{{end}}
			}
			sums <- s
		}()
	}
	for i := range {{size 1 6}} {
		b.Publish({{$e.Of (work "n+i")}})
	}
	b.Close()
	sum := 0
	for range k {
		sum += <-sums
	}
	return sum % 1000003
}
`

const barrier = `
func {{.}}(n int) int {
	const parties, rounds = {{size 1 6}}, {{size 1 5}}
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	arrived, round := 0, 0
	wait := func() {
		mu.Lock()
		defer mu.Unlock()
		now := round
		if arrived++; arrived == parties {
			arrived, round = 0, round+1
			cond.Broadcast()
			return
		}
		for now == round {
			cond.Wait()
		}
	}
	var table [rounds + 1][parties]int
	for i := range parties {
		table[0][i] = {{work "n+i"}}
	}
	var wg sync.WaitGroup
	for i := range parties {
		wg.Go(func() {
			for r := 1; r <= rounds; r++ {
				table[r][i] = (table[r-1][i] + 2*table[r-1][(i+1)%parties]) % 10007
				wait()
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, x := range table[rounds] {
		sum += x
	}
	return sum
}
`

// starts: all goroutines start at once when a channel is closed.
const starts = `
{{- range $s := stages 1 12}}
func {{$s.F}}(go_ <-chan struct{}, v {{$s.In.T}}, out chan<- int) {
	<-go_
	var w {{$s.Out.T}} = {{$s.Out.Of (work ($s.In.Back "v"))}}
	out <- {{$s.Out.Back "w"}}
}
{{end}}
func {{.}}(n int) (sum int) {
	start, out := make(chan struct{}), make(chan int)
	{{- range $s := latest}}
	go {{$s.F}}(start, {{$s.In.Of "n"}}, out)
	{{- end}}
	close(start)
	for range {{len latest}} {
		sum += <-out
	}
	return sum % 1000003
}
`

const syncMap = `
func {{.}}(n int) int {
	var m sync.Map
	var first atomic.Int32
	var wg sync.WaitGroup
	for i := range {{size 1 12}} {
		wg.Go(func() {
			if _, loaded := m.LoadOrStore(i%{{size 1 5}}, {{work "n+i%2"}}); !loaded {
				first.Add(1)
			}
			m.Store(fmt.Sprint("i", i), i)
			if i%3 == 0 {
				m.LoadAndDelete(fmt.Sprint("i", i))
			}
		})
	}
	wg.Wait()
	count := 0
	m.Range(func(k, v any) bool {
		if s, ok := k.(string); ok {
			count += len(s) + v.(int)
		}
		return true
	})
	return count*10 + int(first.Load())
}
`

// stopped: each goroutine ends at some time, but it is unknown when.
const stopped = `
{{- $e := elem}}
func {{.}}(n int) int {
	out := {{chan $e}}
	quit := make(chan struct{})
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case out <- {{$e.Of (work "n")}}:
			case <-quit:
				return
			case <-time.After({{pick "time.Hour" "time.Minute"}}):
			{{- if chance 1 2}}
			default:
				runtime.Gosched()
			{{- end}}
			}
		}
	}()
	v := <-out
	select {
	case <-ended:
		return -1
	default:
	}
	close(quit)
	<-ended
	return {{$e.Back "v"}}
}
`

// methods: go and defer with methods of all kinds.
const methods = `
{{- $t := name "T"}}{{$u := name "T"}}{{$i := name "I"}}
type {{$i}} interface{ Add(x int, to chan<- int) }

type {{$t}} struct{ by int }

func (t {{$t}}) Add(x int, to chan<- int) { to <- {{work "x"}} + t.by }

type {{$u}}[T ~int | ~int64] struct {
	{{$t}}
	more T
}

func (u *{{$u}}[T]) More(x T, to chan<- int) {
	defer u.Add(int(x), to)
	to <- int(u.more + x)
}

func {{.}}(n int) (sum int) {
	out := make(chan int{{pick "" ", 3"}})
	t := {{$t}}{3}
	u := &{{$u}}[{{pick "int" "int64"}}]{t, 4}
	var i {{$i}} = u
	go t.Add(n, out)
	go i.Add(n, out)
	go u.Add(n, out)
	go u.More(5, out)
	f := i.Add
	go f(n, out)
	go {{$t}}.Add(t, n, out)
	go {{$i}}.Add(i, n, out)
	go func(f func(int, chan<- int)) { f(n, out) }(t.Add)
	for range 9 {
		sum += <-out
	}
	return sum % 1000003
}
`

// statementIdioms are statements of the function Run. The names of their variables begin with {{.}}: the statements may
// become separate cells.
var statementIdioms = []string{`
	{{.}} := make(chan int)
	go func() {
		for i := range {{size 1 9}} {
			{{.}} <- {{work "i"}}
		}
		close({{.}})
	}()
	for v := range {{.}} {
		fmt.Println(v)
	}
`, `
	var {{.}}wg sync.WaitGroup
	{{.}} := make([]int, {{size 1 9}})
	for i := range {{.}} {
		{{.}}wg.Go(func() { {{.}}[i] = {{work "i"}} })
	}
	{{.}}wg.Wait()
	fmt.Println({{.}})
`, `
	{{.}}, {{.}}stop := context.WithCancel(context.Background())
	{{.}}done := make(chan error)
	go func() {
		<-{{.}}.Done()
		{{.}}done <- {{.}}.Err()
	}()
	{{.}}stop()
	fmt.Println(<-{{.}}done)
`, `
	{{.}} := sync.OnceValue(func() int { return {{work "3"}} })
	fmt.Println({{.}}() == {{.}}())
`, `
	{{.}}next, {{.}}stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; yield({{work "i"}}); i++ {
		}
	})
	fmt.Println({{.}}next())
	fmt.Println({{.}}next())
	{{.}}stop()
	fmt.Println({{.}}next())
`}

// allAtOnce calls all functions at once, from Run.
const allAtOnce = `
	{{.}} := make([]int, {{len funcs}})
	var {{.}}wg sync.WaitGroup
	for i, f := range []func(int) int{ {{- range funcs}}{{.Name}}, {{end -}} } {
		{{.}}wg.Go(func() { {{.}}[i] = f(i) })
	}
	{{.}}wg.Wait()
	fmt.Println({{.}})
`
