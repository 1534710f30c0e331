package dap

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	waiting "overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestHostile: every message gets one reply, and the debugger still works afterward.
func TestHostile(t *testing.T) {
	f := session()
	c := newClient(t, f)
	c.attach()
	f.hold("breakpoint", "")
	c.event("stopped")
	for _, content := range []string{
		``, `null`, `7`, `"x"`, `[]`, `{`, `{}`, `{"command":7}`, `{"command":""}`, `{"command":null,"seq":1}`,
		`{"command":"threads","seq":"one"}`, `{"command":"threads","seq":-5}`, `{"command":"threads","seq":1e300}`,
		`{"command":"threads","type":"response"}`, `{"command":"threads","type":7}`,
		`{"command":"launch"}`, `{"command":"goto","arguments":{"threadId":1,"targetId":2}}`, `{"command":"stepBack"}`,
		`{"command":"` + strings.Repeat("x", 100_000) + `"}`,
		`{"command":"setBreakpoints"}`, `{"command":"setBreakpoints","arguments":null}`, `{"command":"setBreakpoints","arguments":[]}`,
		`{"command":"setBreakpoints","arguments":{"source":7}}`, `{"command":"setBreakpoints","arguments":{"source":{"path":"x"},"breakpoints":[{"line":"1"}]}}`,
		`{"command":"setBreakpoints","arguments":{"source":{"path":"/nowhere"},"breakpoints":[{"line":-1},{},{"line":1,"hitCondition":"often"}]}}`,
		`{"command":"setExceptionBreakpoints","arguments":{"filters":["no such"]}}`, `{"command":"setExceptionBreakpoints","arguments":{"filters":"all"}}`,
		`{"command":"dumpCell"}`, `{"command":"dumpCell","arguments":{"code":7}}`, `{"command":"dumpCell","arguments":{"code":"` + strings.Repeat("x", maxText+1) + `"}}`,
		`{"command":"stackTrace"}`, `{"command":"stackTrace","arguments":{"threadId":-1}}`, `{"command":"stackTrace","arguments":{"threadId":7,"startFrame":-5,"levels":-5}}`,
		`{"command":"stackTrace","arguments":{"threadId":7,"startFrame":1000000}}`, `{"command":"stackTrace","arguments":{"threadId":1e40}}`,
		`{"command":"scopes","arguments":{"frameId":999}}`, `{"command":"scopes","arguments":{"frameId":"1"}}`,
		`{"command":"variables"}`, `{"command":"variables","arguments":{"variablesReference":99999}}`, `{"command":"variables","arguments":{"variablesReference":-1}}`,
		`{"command":"evaluate"}`, `{"command":"evaluate","arguments":{"expression":""}}`, `{"command":"evaluate","arguments":{"expression":"panic"}}`,
		`{"command":"evaluate","arguments":{"expression":"1","frameId":12345}}`,
		`{"command":"setVariable"}`, `{"command":"setVariable","arguments":{"variablesReference":1,"name":"x","value":"; os.Exit(1)"}}`,
		`{"command":"setExpression","arguments":{"expression":"a;b","value":"1"}}`,
		`{"command":"richInspectVariables"}`, `{"command":"richInspectVariables","arguments":{"variableName":"a b"}}`,
		`{"command":"copyToGlobals"}`, `{"command":"copyToGlobals","arguments":{"srcVariableName":"n","dstVariableName":"nowhere"}}`,
		`{"command":"source"}`, `{"command":"source","arguments":{"source":{"path":"/etc/passwd"}}}`,
		`{"command":"exceptionInfo"}`, `{"command":"completions","arguments":{"text":"x"}}`,
	} {
		m := c.raw(content)
		if m["type"] != "response" || m["success"] == nil {
			t.Errorf("%.80s: %v", content, m)
		}
		if m["success"] == false && m["message"] == "" {
			t.Errorf("%.80s: no reason", content)
		}
		if e, _ := m["message"].(string); len(e) > 1000 {
			t.Errorf("%.80s: a reason of %d bytes", content, len(e))
		}
	}
	// Two requests with the same number count as two requests.
	for range 2 {
		want(t, "number", c.raw(`{"seq":5,"type":"request","command":"threads"}`)["request_seq"], 5)
	}
	// A stop while another is pending is a separate stop.
	f.hold("breakpoint", "")
	c.event("stopped")
	want(t, "stopped threads", c.body("debugInfo", "")["stoppedThreads"], "[7]")
	want(t, "the session", c.body("evaluate", `{"expression":"n"}`)["result"], "42")
	c.body("continue", "")
}

// node refers to itself.
type node struct {
	next *node
	Any  any
	m    map[string]any
	f    func(int) string
	_    int
	c    chan int
	err  error
}

// String must not be called; a call would be noticed.
func (*node) String() string { panic("called") }

// TestHuge: large, cyclic and deep values are shown without delay, and every part of them is accessible.
func TestHuge(t *testing.T) {
	waiting.Try(t, func() string {
		took := hostileValues(t)
		t.Logf("the slowest request took %v", took)
		if took > 3*time.Second { // 0.03 s on an idle machine; 2.5 s with the race detector on a busy machine
			return fmt.Sprintf("a request took %v", took)
		}
		return ""
	})
}

// hostileValues requests the values and returns the time of the slowest request.
func hostileValues(t *testing.T) time.Duration {
	slice := make([]int32, 10_000_000)
	for i := range slice {
		slice[i] = int32(i)
	}
	table := map[int]string{}
	for i := range 100_000 {
		table[i] = "x"
	}
	cyclic := &node{m: map[string]any{}, c: make(chan int, 3), f: func(int) string { return "" }, err: fmt.Errorf("no")}
	cyclic.next, cyclic.Any, cyclic.m["self"] = cyclic, &cyclic, cyclic.m
	var deep any = 1
	for range 100_000 {
		inner := deep
		deep = &inner
	}
	list := []any{nil}
	list[0] = list
	text := strings.Repeat("ä", 5_000_000)
	big := mat.NewDense(1000, 1000, nil)
	big.Set(999, 998, 7)
	broken := &mat.Dense{}
	var none *mat.Dense
	var array [1 << 20]float64
	nan := map[float64]int{math.NaN(): 1, math.Inf(1): 2}
	f := &fake{globals: variables(map[string]any{"slice": &slice, "table": &table, "cyclic": &cyclic, "deep": &deep, "list": &list,
		"text": &text, "big": &big, "broken": &broken, "none": &none, "array": &array, "nan": &nan})}
	f.globals = append(f.globals, engine.DebugVariable{Name: "gone", Type: "int", Note: "not in this version of the function"})
	c := newClient(t, f)
	c.attach()
	start := time.Now()
	vars := lines(c.body("inspectVariables", ""), "variables")
	took := time.Since(start)
	byName := map[string]object{}
	for _, v := range vars {
		byName[v["name"].(string)] = v
		if len(v["value"].(string)) > 1000 {
			t.Errorf("%s has a line of %d bytes", v["name"], len(v["value"].(string)))
		}
	}
	want(t, "slice", byName["slice"]["indexedVariables"], "1e+07")
	want(t, "gone", byName["gone"]["value"], "(not in this version of the function)")
	want(t, "none", []any{byName["none"]["value"], byName["none"]["variablesReference"]}, "[nil 0]")
	inside := func(v object, arguments string) []object {
		t.Helper()
		begin := time.Now()
		list := lines(c.body("variables", fmt.Sprintf(`{"variablesReference":%v%s}`, v["variablesReference"], arguments)), "variables")
		took = max(took, time.Since(begin))
		if len(list) > pageSize && arguments == "" {
			t.Errorf("%s: %d variables in a reply", v["name"], len(list))
		}
		return list
	}
	// Reach the last element of the slice through ranges.
	v := byName["slice"]
	depth := 0
	for v["variablesReference"] != 0.0 {
		list := inside(v, "")
		v = list[len(list)-1]
		depth++
	}
	want(t, "the last element", []any{v["name"], v["value"], depth}, "[[9999999] 9999999 4]")
	page := inside(byName["slice"], `,"filter":"indexed","start":9999990,"count":100`)
	want(t, "a page", []any{len(page), page[0]["name"]}, "[10 [9999990]]")
	want(t, "a greedy page", len(inside(byName["slice"], `,"count":100000000`)), maxPage)
	entries := inside(byName["table"], `,"start":99998,"count":10`)
	want(t, "entries", []any{len(entries), entries[1]["name"], entries[1]["evaluateName"]}, "[2 99999 table[int(99999)]]")
	for range 200 { // follow the cycle
		fields := inside(byName["cyclic"], "")
		want(t, "fields", len(fields), 6)
		byName["cyclic"] = fields[0]
	}
	for range 1000 {
		byName["deep"] = inside(byName["deep"], "")[0]
	}
	byName["list"] = inside(byName["list"], "")[0]
	inside(byName["list"], "")
	rows := inside(byName["big"], "")
	want(t, "ranges of rows", []any{len(rows), rows[9]["name"]}, "[10 [900…999]]")
	rows = inside(rows[9], "")
	cols := inside(rows[99], "")
	want(t, "an element", inside(cols[9], "")[98]["value"], "7")
	nans := inside(byName["nan"], "")
	want(t, "NaN", []any{nans[0]["name"], nans[0]["evaluateName"], nans[1]["name"]}, "[NaN <nil> +Inf]")
	return took
}

// TestDescribe: descriptions of values look much like Go source.
func TestDescribe(t *testing.T) {
	type point struct{ X, y float64 }
	type celsius float64
	var nilErr error
	var nilMap map[string]int
	x := 3
	for _, test := range []struct {
		v    any
		want string
	}{
		{1.5, "1.5"}, {float32(0.1), "0.1"}, {math.Inf(-1), "-Inf"}, {math.NaN(), "NaN"}, {true, "true"}, {'x', "120"}, {3 + 4i, "(3+4i)"},
		{"a\"b\xff", `"a\"b\xff"`}, {point{1, 2}, "{X: 1, y: 2}"}, {&point{1, 2}, "&{X: 1, y: 2}"}, {&x, "&3"}, {celsius(3), "3"},
		{[]string{"a", ""}, `["a" ""]`}, {[2]int{1, 2}, "[1 2]"}, {map[string]int{"b": 2, "a": 1}, `map["a":1 "b":2]`}, {nilMap, "nil"},
		{&nilErr, "&nil"}, {[]any{1, int8(2), celsius(3), "x", nil}, `[1 int8(2) dap.celsius(3) "x" nil]`},
		{time.Second, "1s"}, {fmt.Errorf("no %w", fmt.Errorf("such")), "no such"}, {make(chan int, 2), "0 of 2"}, {strings.ToUpper, "func(string) string"},
		{mat.NewVecDense(2, []float64{1, 2}), "2×1 [1; 2]"}, {mat.NewDense(5, 4, nil), "5×4"}, {mat.Dense{}, "{…"},
		{make([]byte, 1000), "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 …] (len 1000)"}, {[]int{}, "[]"}, {make(map[int]int, 3), "map[]"},
		{reflect.ValueOf(1), "{…"}, {[][]int{{1}, nil}, "[[1] nil]"},
	} {
		got := describe(reflect.ValueOf(test.v))
		if !strings.HasPrefix(got, strings.TrimSuffix(test.want, "…")) {
			t.Errorf("%T: got %s, want %s", test.v, got, test.want)
		}
	}
	want(t, "nothing", describe(reflect.Value{}), "nil")
}

// FuzzRequest: no request makes the adapter fail or leaves it without a reply.
func FuzzRequest(f *testing.F) {
	for _, command := range sortedNames(commands) {
		f.Add(fmt.Sprintf(`{"type":"request","seq":1,"command":%q,"arguments":{"variablesReference":1,"frameId":1,"threadId":7}}`, command))
	}
	for _, command := range sortedNames(evaluations) {
		f.Add(fmt.Sprintf(`{"type":"request","seq":1,"command":%q,"arguments":{"variablesReference":1,"name":"n","value":"1","expression":"n","variableName":"n"}}`, command))
	}
	e := session()
	c := newClient(f, e)
	go func() {
		for range c.events {
		}
	}()
	c.body("attach", "")
	e.hold("breakpoint", "")
	f.Fuzz(func(t *testing.T, content string) {
		if strings.Contains(content, "endless") {
			return
		}
		got := make(chan object, 1)
		c.a.Handle([]byte(content), func(m any) { got <- asJSON(t, m) })
		m := <-got
		if m["type"] != "response" || m["seq"] == nil || m["request_seq"] == nil {
			t.Errorf("%q: %v", content, m)
		}
		if s, _ := m["message"].(string); strings.Contains(s, "fault of the kernel") && !strings.Contains(content, "panic") {
			t.Errorf("%q: %v", content, m)
		}
	})
}

// FuzzLibrary: a text is found by its path.
func FuzzLibrary(f *testing.F) {
	f.Add("x := 1", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		l := newLibrary("/p/")
		l.note(a, func(string) bool { return false })
		l.note(b, func(string) bool { return false })
		if got := l.texts[l.path(b)]; got != b {
			t.Errorf("got %q for %q", got, b)
		}
		if a == b && (len(l.order) != 1 || l.size != len(a)) {
			t.Errorf("%d texts of %d bytes", len(l.order), l.size)
		}
	})
}

// TestLibraryForgets: the total size of the stored texts is bounded; texts with breakpoints are not dropped.
func TestLibraryForgets(t *testing.T) {
	l := newLibrary("/p/")
	first := l.path(fmt.Sprint(0, strings.Repeat("x", 1<<20)))
	for i := range 100 {
		l.note(fmt.Sprint(i, strings.Repeat("x", 1<<20)), func(p string) bool { return p == first })
	}
	if l.size > libraryBytes || len(l.texts) != len(l.order) || len(l.texts) < 25 {
		t.Errorf("%d texts of %d bytes", len(l.texts), l.size)
	}
	if l.texts[first] == "" {
		t.Error("a cell with breakpoints is forgotten")
	}
}
