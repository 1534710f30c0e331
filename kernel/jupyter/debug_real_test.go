package jupyter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/wire"
)

// A debugClient is a session of a real kernel with a front end that debugs.
type debugClient struct {
	*session
	slowest time.Duration // duration of the slowest request
}

func startReal(t *testing.T) *debugClient {
	t.Helper()
	k, err := kernel.New(kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	d := &debugClient{session: startDebug(t, k)}
	d.ask("initialize", nil)
	d.ask("attach", nil)
	return d
}

type object = map[string]any

// ask sends a request that must succeed and returns the body of the reply.
func (d *debugClient) ask(command string, arguments object) object {
	d.t.Helper()
	begin := time.Now()
	r := d.debug(wire.Control, command, arguments)
	d.slowest = max(d.slowest, time.Since(begin))
	if r["success"] != true {
		d.t.Fatalf("%s %v: %v", command, arguments, r["message"])
	}
	body, _ := r["body"].(object)
	return body
}

// breakpoints sets the breakpoints of a cell and returns the results.
func (d *debugClient) breakpoints(source string, list ...object) []any {
	d.t.Helper()
	path := d.ask("dumpCell", object{"code": source})["sourcePath"]
	return d.ask("setBreakpoints", object{"source": object{"path": path}, "breakpoints": list})["breakpoints"].([]any)
}

// begin starts a cell.
func (d *debugClient) begin(source string) string {
	return d.send(wire.Shell, "execute_request", code(source))
}

// end waits for the reply to a cell.
func (d *debugClient) end(id, status string) object {
	d.t.Helper()
	r := d.reply(wire.Shell, id, "execute_reply")
	if r["status"] != status {
		d.t.Errorf("the cell: %v %v, want %s", r["status"], r["evalue"], status)
	}
	return r
}

func (d *debugClient) run(source string) {
	d.t.Helper()
	d.end(d.begin(source), "ok")
}

// stop waits until execution pauses, and returns the stack frames.
func (d *debugClient) stop(reason string) []object {
	d.t.Helper()
	for {
		m, c := d.recv(wire.IOPub)
		if m.Header.MsgType != "debug_event" || c["event"] != "stopped" {
			continue
		}
		body := c["body"].(object)
		if body["reason"] != reason {
			d.t.Errorf("stopped by %v, want %s", body["reason"], reason)
		}
		return objects(d.ask("stackTrace", object{"threadId": body["threadId"]})["stackFrames"])
	}
}

func objects(list any) (all []object) {
	for _, x := range list.([]any) {
		all = append(all, x.(object))
	}
	return all
}

// variables returns the variables in a frame's scope, by name.
func (d *debugClient) variables(frame object, scope string) map[string]object {
	d.t.Helper()
	all := map[string]object{}
	for _, s := range objects(d.ask("scopes", object{"frameId": frame["id"]})["scopes"]) {
		if s["name"] == scope {
			for _, v := range objects(d.ask("variables", object{"variablesReference": s["variablesReference"]})["variables"]) {
				all[v["name"].(string)] = v
			}
		}
	}
	return all
}

const normCell = `func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return s
}`

const loopCell = `%env DEBUGGED=1
W := [][]float64{{1, 2}, {3, 4}}
total := 0.0
for i, w := range W {
	n := norm(w)
	total += n
	_ = i
}
total`

// TestRealDebugger debugs cells in the engine.
func TestRealDebugger(t *testing.T) {
	// The limit for a request that waits for an endless expression. On an idle machine it takes 20 ms.
	const limit = 300 * time.Millisecond
	patience.Try(t, func() (fault string) {
		t.Run("session", func(t *testing.T) {
			if took := debugReal(t); took > limit && !patience.RaceDetector && !testing.Short() {
				fault = fmt.Sprintf("a request took %v, more than %v", took, limit)
			}
		})
		return fault
	})
}

// debugReal debugs cells in the engine and returns the duration of the slowest request.
func debugReal(t *testing.T) time.Duration {
	d := startReal(t)
	d.run(normCell)
	want(t, "in a function of an earlier cell", d.breakpoints(normCell, object{"line": 4, "condition": "x == 3"})[0].(object)["verified"], true)
	set := d.breakpoints(loopCell, object{"line": 6}, object{"line": 1}, object{"line": 99})
	want(t, "in a cell with a command", []any{set[0].(object)["verified"], set[1].(object)["line"], set[2].(object)["verified"]}, "[true 2 false]")
	d.breakpoints(loopCell, object{"line": 6})

	cell := d.begin(loopCell)
	frames := d.stop("breakpoint")
	want(t, "frames", []any{len(frames), frames[0]["line"], frames[0]["name"]}, "[1 6 In[2]]")
	n := d.variables(frames[0], "Locals")["n"]
	want(t, "n", []any{n["value"], n["type"]}, "[5 float64]")
	d.ask("continue", nil)
	frames = d.stop("breakpoint")
	want(t, "frames", []any{len(frames), frames[0]["name"], frames[0]["line"], frames[1]["line"]}, "[2 norm 4 5]")
	vars := d.variables(frames[0], "Locals")
	want(t, "locals", []any{vars["x"]["value"], vars["s"]["value"], vars["v"]["value"]}, "[3 0 [3 4]]")
	want(t, "globals", d.variables(frames[0], "Globals")["total"]["value"], "5")
	want(t, "evaluate", d.ask("evaluate", object{"expression": "s + 100*x", "frameId": frames[0]["id"]})["result"], "300")
	want(t, "in the caller", d.ask("evaluate", object{"expression": "i", "frameId": frames[1]["id"]})["result"], "1")
	want(t, "a function of a cell", d.ask("evaluate", object{"expression": "norm(v)", "frameId": frames[0]["id"]})["result"], "25")
	d.ask("setExpression", object{"expression": "x", "value": "30", "frameId": frames[0]["id"]})
	d.ask("next", nil)
	d.stop("step")
	d.ask("stepOut", nil)
	frames = d.stop("step")
	want(t, "after stepOut", []any{len(frames), frames[0]["line"]}, "[1 5]")
	d.ask("continue", nil)
	frames = d.stop("breakpoint")
	want(t, "n", d.variables(frames[0], "Locals")["n"]["value"], "916")
	d.ask("continue", nil)
	d.end(cell, "ok")

	// While an endless expression is being evaluated, other requests are answered. The first interrupt ends the
	// expression, the second ends the cell.
	cell = d.begin(loopCell)
	d.stop("breakpoint")
	id := d.send(wire.Control, "debug_request", object{"type": "request", "seq": 1, "command": "evaluate", "arguments": object{"expression": "func() int { for {} }()"}})
	d.ask("threads", nil)
	d.reply(wire.Control, d.send(wire.Control, "interrupt_request", nil), "interrupt_reply")
	want(t, "endless", d.reply(wire.Control, id, "debug_reply")["success"], false)
	d.reply(wire.Control, d.send(wire.Control, "interrupt_request", nil), "interrupt_reply")
	want(t, "interrupted", d.end(cell, "error")["ename"], "Interrupted")

	// A disconnect makes the cell continue, and removes all breakpoints.
	cell = d.begin(loopCell)
	d.stop("breakpoint")
	d.ask("disconnect", nil)
	d.end(cell, "ok")
	d.run(loopCell)
	d.ask("attach", nil)

	d.ask("setExceptionBreakpoints", object{"filters": []string{"uncaught panics"}})
	cell = d.begin("func fails(i int) int { var none []int; return none[i] }\nfails(len(W))")
	frames = d.stop("exception")
	want(t, "panic", frames[0]["name"], "fails")
	want(t, "what", strings.Contains(d.ask("exceptionInfo", object{"threadId": d.ask("debugInfo", nil)["stoppedThreads"].([]any)[0]})["description"].(string), "index out of range"), true)
	d.ask("continue", nil)
	want(t, "panic", d.end(cell, "error")["ename"], "Panic")

	cell = d.begin("print(\"runs\")\nfor {}")
	for running := false; !running; {
		m, c := d.recv(wire.IOPub)
		text, _ := c["text"].(string)
		running = m.Parent().MsgID == cell && strings.Contains(text, "runs")
	}
	want(t, "while it runs", len(objects(d.ask("inspectVariables", nil)["variables"])) >= 0, true)
	d.ask("pause", nil)
	d.stop("pause")
	d.reply(wire.Control, d.send(wire.Control, "interrupt_request", nil), "interrupt_reply")
	d.end(cell, "error")
	d.run("1 + 1")
	return d.slowest
}

// TestRealHugeVariables inspects large, cyclic and deep values while a cell is held.
func TestRealHugeVariables(t *testing.T) {
	d := startReal(t)
	cell := `type node struct { next *node; any any }
func (*node) String() string { for {} }
big := make([]int, 10_000_000)
table := map[int]string{}
for i := range 100_000 { table[i] = "x" }
ring := &node{}
ring.next, ring.any = ring, ring
var deep any = 1
for range 10_000 { inner := deep; deep = &inner }
list := []any{nil}
list[0] = list
big[9_999_999] = 7`
	d.breakpoints(cell, object{"line": 12})
	id := d.begin(cell)
	frames := d.stop("breakpoint")
	vars := d.variables(frames[0], "Globals")
	for _, name := range []string{"big", "table", "ring", "deep", "list"} {
		v := vars[name]
		if v == nil {
			t.Fatalf("no %s among %d variables", name, len(vars))
		}
		for range 50 {
			if v["variablesReference"] == 0.0 {
				break
			}
			inside := objects(d.ask("variables", object{"variablesReference": v["variablesReference"]})["variables"])
			if len(inside) == 0 || len(inside) > 100 {
				t.Fatalf("%s: %d variables inside", name, len(inside))
			}
			v = inside[len(inside)-1]
		}
		d.ask("richInspectVariables", object{"variableName": name, "frameId": frames[0]["id"]})
	}
	d.ask("continue", nil)
	d.end(id, "ok")
	r := d.ask("evaluate", object{"expression": "big[9_999_999]"})
	want(t, "the session", r["result"], "7")
	d.run("big = nil") // a session that has declared methods is never freed, and other tests measure the heap
}

// TestStopsOfGoroutines: two goroutines stop, one after the other or at the same time, and each stop is
// reported.
func TestStopsOfGoroutines(t *testing.T) {
	d := startReal(t)
	cell := `import "sync"
var group sync.WaitGroup
for g := range 2 {
	group.Go(func() {
		x := g * 10
		_ = x
	})
}
group.Wait()`
	d.breakpoints(cell, object{"line": 6})
	id := d.begin(cell)
	for range 2 {
		frames := d.stop("breakpoint")
		want(t, "line", frames[0]["line"], 6)
		threads := objects(d.ask("threads", nil)["threads"])
		if len(threads) < 1 {
			t.Errorf("threads: %v", threads)
		}
		d.ask("continue", nil)
	}
	d.end(id, "ok")
	d.run("1")
}

// TestLewickiInTheDebugger runs Lewicki and Sejnowski's learning rule for a complete basis. It pauses the cell
// at the step at which the norm of the basis's first column has halved, reads the matrix, changes the step
// size, and continues.
func TestLewickiInTheDebugger(t *testing.T) {
	d := startReal(t)
	rule := `import (
	"math"
	"math/rand"
	"gonum.org/v1/gonum/mat"
)

func learn(A, X *mat.Dense, eta float64) {
	n, samples := X.Dims()
	for t := range samples {
		var s mat.VecDense
		s.SolveVec(A, X.ColView(t))
		G := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				G.Set(i, j, math.Copysign(1, s.AtVec(i))*s.AtVec(j))
			}
			G.Set(i, i, G.At(i, i)-1)
		}
		var D mat.Dense
		D.Mul(A, G)
		D.Scale(eta, &D)
		A.Add(A, &D)
	}
}`
	d.run(rule)
	line := 1 + strings.Count(rule[:strings.Index(rule, "var s mat")], "\n")
	set := d.breakpoints(rule, object{"line": line, "condition": "mat.Norm(A.ColView(0), 2) <= 10"})
	want(t, "set", set[0].(object)["verified"], true)
	id := d.begin(`rng := rand.New(rand.NewSource(1))
X := mat.NewDense(2, 300, nil)
for t := range 300 {
	a, b := rng.ExpFloat64()-rng.ExpFloat64(), rng.ExpFloat64()-rng.ExpFloat64()
	X.Set(0, t, 2*a+b)
	X.Set(1, t, a-b)
}
A := mat.NewDense(2, 2, []float64{20, 0, 0, 20})
learn(A, X, 0.01)`)
	frames := d.stop("breakpoint")
	vars := d.variables(frames[0], "Locals")
	want(t, "the matrix", []any{vars["A"]["type"], strings.HasPrefix(vars["A"]["value"].(string), "2×2 [9.9")}, "[*mat.Dense true]")
	rows := objects(d.ask("variables", object{"variablesReference": vars["A"]["variablesReference"]})["variables"])
	first := objects(d.ask("variables", object{"variablesReference": rows[0]["variablesReference"]})["variables"])
	want(t, "its first row", []any{len(rows), len(first), first[0]["evaluateName"]}, "[2 2 A.At(0, 0)]")
	want(t, "a new element", d.ask("setVariable", object{"variablesReference": rows[0]["variablesReference"], "name": "[1]", "value": "math.Sqrt(25)"})["value"], "5")
	d.ask("evaluate", object{"expression": "eta = 0", "frameId": frames[0]["id"], "context": "repl"})
	d.breakpoints(rule)
	d.ask("continue", nil)
	d.end(id, "ok")
	// With a step size of 0 the matrix stays at its initial value.
	want(t, "afterwards", d.ask("evaluate", object{"expression": "A.At(0, 1)"})["result"], "5")
	want(t, "afterwards", d.ask("evaluate", object{"expression": "A.At(0, 0)"})["result"], first[0]["value"])
}
