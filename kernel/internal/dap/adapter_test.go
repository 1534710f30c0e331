package dap

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	waiting "overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

const cellText = "x := 1\nfor i := range 10 {\n\tx += i\n}\nx"

// session returns a fake engine with a cell that can be stopped.
func session() *fake {
	n, w := 42, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	name, list := "é\n", []int{1, 2, 3}
	return &fake{
		locals:  variables(map[string]any{"n": &n, "W": &w}),
		globals: variables(map[string]any{"name": &name, "list": &list}),
		stack: []engine.DebugFrame{
			{ID: 1, Func: "learn", Cell: "In[2]", Source: cellText, Line: 3, Col: 2},
			{},
			{ID: 1, Cell: "In[3]", Source: "learn()", Line: 1, Col: 1},
		},
	}
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestSession sends the requests that JupyterLab sends in a session.
func TestSession(t *testing.T) {
	f := session()
	c := newClient(t, f)
	info := c.body("debugInfo", "")
	want(t, "info", []any{info["isStarted"], info["hashMethod"], info["breakpoints"], info["stoppedThreads"]}, "[false Murmur2 [] []]")
	c.attach()
	path := c.body("dumpCell", fmt.Sprintf(`{"code":%q}`, cellText))["sourcePath"].(string)
	want(t, "path", path, fmt.Sprintf("%s%d.go", info["tmpFilePrefix"], murmur2([]byte(cellText), hashSeed)))
	set := lines(c.body("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":3,"condition":"i == 2"},{"line":99},{"line":2,"hitCondition":">= 3"},{"line":1,"logMessage":"x = {x}"}]}`, path)), "breakpoints")
	want(t, "verified", []any{set[0]["verified"], set[1]["verified"], set[1]["line"], set[1]["message"], set[2]["verified"]}, "[true false 99 no statement there true]")
	want(t, "in the engine", fmt.Sprintf("%+v", f.set[cellText]), "[{Line:3 Condition:i == 2 Hits:0 Log:} {Line:99 Condition: Hits:0 Log:} {Line:2 Condition: Hits:3 Log:} {Line:1 Condition: Hits:0 Log:x = {x}}]")
	c.body("setExceptionBreakpoints", `{"filters":["uncaught panics"]}`)
	want(t, "panics", f.panics, engine.UncaughtPanics)
	c.body("configurationDone", "")
	info = c.body("debugInfo", "")
	want(t, "info", []any{info["isStarted"], len(lines(info, "breakpoints"))}, "[true 1]")

	f.hold("breakpoint", "", 1)
	stop := c.event("stopped")
	want(t, "stop", []any{stop["reason"], stop["threadId"], stop["allThreadsStopped"], stop["hitBreakpointIds"]}, "[breakpoint 7 true [1]]")
	want(t, "stopped threads", c.body("debugInfo", "")["stoppedThreads"], "[7]")
	want(t, "threads", c.body("threads", "")["threads"], "[map[id:7 name:In[3]]]")
	stack := c.body("stackTrace", `{"threadId":7}`)
	frames := lines(stack, "stackFrames")
	want(t, "frames", []any{len(frames), stack["totalFrames"], frames[0]["name"], frames[0]["line"], frames[0]["column"], frames[0]["source"].(object)["path"] == path,
		frames[1]["name"], frames[2]["name"]}, "[3 3 learn 3 2 true compiled code In[3]]")
	want(t, "a page", len(lines(c.body("stackTrace", `{"threadId":7,"startFrame":1,"levels":1}`), "stackFrames")), 1)
	want(t, "source", c.body("source", fmt.Sprintf(`{"source":{"path":%q}}`, path))["content"], cellText)

	scopes := lines(c.body("scopes", fmt.Sprintf(`{"frameId":%v}`, frames[0]["id"])), "scopes")
	want(t, "scopes", []any{len(scopes), scopes[0]["name"], scopes[1]["name"]}, "[2 Locals Globals]")
	vars := lines(c.body("variables", fmt.Sprintf(`{"variablesReference":%v}`, scopes[0]["variablesReference"])), "variables")
	want(t, "locals", []any{vars[0]["name"], vars[0]["type"], vars[0]["value"], vars[1]["name"], vars[1]["type"], vars[1]["value"], vars[1]["evaluateName"]},
		"[W *mat.Dense 2×3 [1 2 3; 4 5 6] n int 42 n]")
	rows := lines(c.body("variables", fmt.Sprintf(`{"variablesReference":%v}`, vars[0]["variablesReference"])), "variables")
	want(t, "rows", []any{len(rows), rows[1]["name"], rows[1]["value"]}, "[2 [1] 4 5 6]")
	row := lines(c.body("variables", fmt.Sprintf(`{"variablesReference":%v}`, rows[1]["variablesReference"])), "variables")
	want(t, "row", []any{len(row), row[2]["name"], row[2]["value"], row[2]["evaluateName"]}, "[3 [2] 6 W.At(1, 2)]")
	want(t, "an element", c.body("setVariable", fmt.Sprintf(`{"variablesReference":%v,"name":"[2]","value":"60.5"}`, rows[1]["variablesReference"]))["value"], "60.5")
	want(t, "a variable", c.body("setVariable", fmt.Sprintf(`{"variablesReference":%v,"name":"n","value":"7"}`, scopes[0]["variablesReference"]))["value"], "7")
	want(t, "not an int", c.refused("setVariable", fmt.Sprintf(`{"variablesReference":%v,"name":"n","value":"hello"}`, scopes[0]["variablesReference"])), "TypeError: cannot use hello as int")
	want(t, "no expression", strings.Contains(c.refused("setVariable", fmt.Sprintf(`{"variablesReference":%v,"name":"n","value":"1 +"}`, scopes[0]["variablesReference"])), "not a Go expression"), true)
	r := c.body("evaluate", fmt.Sprintf(`{"expression":"n","frameId":%v,"context":"repl"}`, frames[0]["id"]))
	want(t, "evaluate", []any{r["result"], r["type"], r["variablesReference"]}, "[7 int 0]")
	want(t, "after an evaluation the frames have new numbers", lines(c.body("stackTrace", `{"threadId":7}`), "stackFrames")[0]["id"] == frames[0]["id"], false)
	want(t, "the old ones are valid", len(lines(c.body("scopes", fmt.Sprintf(`{"frameId":%v}`, frames[0]["id"])), "scopes")), 2)
	want(t, "set", c.body("setExpression", `{"expression":"n","value":"8"}`)["value"], "8")
	want(t, "none", c.body("evaluate", `{"expression":"none()"}`)["result"], "")
	want(t, "two", c.body("evaluate", `{"expression":"two()"}`)["result"], "1\n\"x\"")
	want(t, "undefined", c.refused("evaluate", `{"expression":"gone"}`), "TypeError: undefined: gone")
	want(t, "pointing at a call", strings.Contains(c.refused("evaluate", `{"expression":"two()","context":"hover"}`), "hovering"), true)
	rich := c.body("richInspectVariables", fmt.Sprintf(`{"variableName":"W","frameId":%v}`, frames[0]["id"]))
	if _, ok := rich["data"].(object)["text/html"]; !ok {
		t.Errorf("a matrix has no table: %v", rich)
	}

	c.body("next", `{"threadId":1}`) // JupyterLab sends 1 if it knows no thread
	want(t, "continued", c.event("continued")["threadId"], 7)
	f.hold("step", "")
	c.event("stopped")
	want(t, "an old variable", c.refused("variables", fmt.Sprintf(`{"variablesReference":%v}`, scopes[0]["variablesReference"])), errGone)
	want(t, "an old frame", c.refused("scopes", fmt.Sprintf(`{"frameId":%v}`, frames[0]["id"])), errGone)
	want(t, "a picture that stays open", c.body("richInspectVariables", fmt.Sprintf(`{"variableName":"n","frameId":%v}`, frames[0]["id"]))["data"].(object)["text/plain"], "8")
	want(t, "not at a panic", strings.Contains(c.refused("exceptionInfo", `{"threadId":7}`), "panic"), true)
	want(t, "continue", c.body("continue", `{"threadId":1}`)["allThreadsContinued"], true)
	c.event("continued")
	want(t, "not held", c.refused("continue", ""), engine.ErrNotHeld)
	want(t, "not held", c.refused("stepIn", ""), engine.ErrNotHeld)
	f.hold("panic", "index out of range")
	want(t, "panic", c.event("stopped")["text"], "index out of range")
	want(t, "panic", c.body("exceptionInfo", `{"threadId":7}`)["description"], "index out of range")
	c.body("disconnect", `{"restart":false}`)
	c.event("continued")
	c.event("terminated")
	info = c.body("debugInfo", "")
	want(t, "afterwards", []any{info["isStarted"], info["breakpoints"], info["stoppedThreads"]}, "[false [] []]")
	want(t, "steps", f.steps, []engine.Step{engine.StepOver, engine.NoStep})
	c.attach() // attach again
	c.body("disconnect", "")
}

// TestWithoutAttaching: the variable inspector's requests are answered while the debugger is off, all other
// requests are refused.
func TestWithoutAttaching(t *testing.T) {
	f := session()
	c := newClient(t, f)
	vars := lines(c.body("inspectVariables", ""), "variables")
	want(t, "variables", []any{len(vars), vars[0]["name"], vars[0]["value"], vars[1]["value"]}, `[2 list [1 2 3] "é\n"]`)
	elements := lines(c.body("variables", fmt.Sprintf(`{"variablesReference":%v}`, vars[0]["variablesReference"])), "variables")
	want(t, "elements", []any{len(elements), elements[2]["value"]}, "[3 3]")
	want(t, "picture", c.body("richInspectVariables", `{"variableName":"list"}`)["data"].(object)["text/plain"], "[1 2 3]")
	want(t, "no such variable", c.body("richInspectVariables", `{"variableName":"gone"}`)["data"], "map[]")
	for _, command := range []string{"setBreakpoints", "setExceptionBreakpoints", "threads", "stackTrace", "scopes", "continue", "next", "pause", "setVariable"} {
		if got := c.refused(command, `{"source":{"path":"x"}}`); got != errNotAttached.Error() {
			t.Errorf("%s: %s", command, got)
		}
	}
	if f.readers != 0 {
		t.Errorf("%d readers have not released the variables", f.readers)
	}

	none := newClient(t, nil)
	want(t, "no debugger", none.refused("initialize", ""), errNoDebugger)
	want(t, "no debugger", none.body("debugInfo", "")["isStarted"], false)
}

// TestWhileRunning: session variables are not read while a cell runs.
func TestWhileRunning(t *testing.T) {
	f := session()
	c := newClient(t, f)
	c.attach()
	want(t, "nothing yet", func() int {
		f.running = true
		defer func() { f.running = false }()
		return len(lines(c.body("inspectVariables", ""), "variables"))
	}(), 0)
	before := lines(c.body("inspectVariables", ""), "variables")
	f.mu.Lock()
	f.running = true
	f.mu.Unlock()
	during := lines(c.body("inspectVariables", ""), "variables")
	want(t, "as before the cell", during, before)
	want(t, "what is inside", c.refused("variables", fmt.Sprintf(`{"variablesReference":%v}`, before[0]["variablesReference"])), errRunning)
	f.mu.Lock()
	f.running = false
	f.mu.Unlock()
	c.body("variables", fmt.Sprintf(`{"variablesReference":%v}`, before[0]["variablesReference"]))
	c.body("inspectVariables", "")
	want(t, "of an earlier list", c.refused("variables", fmt.Sprintf(`{"variablesReference":%v}`, before[0]["variablesReference"])), errGone)
}

// TestEndlessEvaluation: while an endless evaluation runs, other requests are answered; an interrupt, a step
// and a disconnect end the evaluation.
func TestEndlessEvaluation(t *testing.T) {
	for name, end := range map[string]func(c *client){
		"interrupt":  func(c *client) { c.a.Interrupt() },
		"continue":   func(c *client) { c.body("continue", "") },
		"disconnect": func(c *client) { c.body("disconnect", "") },
		"cancel":     func(c *client) { c.body("cancel", "") },
	} {
		t.Run(name, func(t *testing.T) {
			f := session()
			c := newClient(t, f)
			c.attach()
			f.hold("breakpoint", "")
			c.event("stopped")
			begun := make(chan struct{})
			f.endless = begun
			ended := make(chan object, 1)
			c.a.Handle([]byte(`{"type":"request","seq":900,"command":"evaluate","arguments":{"expression":"endless"}}`), func(m any) { ended <- asJSON(t, m) })
			<-begun
			waiting.Try(t, func() string {
				start := time.Now()
				for range 10 {
					c.body("threads", "")
				}
				if d := time.Since(start); d > 500*time.Millisecond {
					return fmt.Sprintf("ten requests took %v beside an evaluation", d)
				}
				return ""
			})
			end(c)
			select {
			case m := <-ended:
				want(t, "evaluation", []any{m["success"], m["request_seq"]}, "[false 900]")
			case <-time.After(waiting.Long):
				t.Fatal("the evaluation goes on")
			}
			if name != "disconnect" {
				want(t, "afterwards", c.body("evaluate", `{"expression":"n"}`)["result"], "42")
			}
		})
	}
}

// TestClose: goroutines that wait for code to continue are released.
func TestClose(t *testing.T) {
	f := session()
	c := newClient(t, f)
	c.attach()
	f.hold("breakpoint", "")
	c.event("stopped")
	c.a.Close()
	if f.held {
		t.Error("still held")
	}
	c.a.Close()
	New(Options{}).Close()
}

// TestJupyterLab: information that JupyterLab would not show in its usual place is put into a place that
// JupyterLab shows.
func TestJupyterLab(t *testing.T) {
	f := session()
	c := newClient(t, f)
	c.body("initialize", `{"clientID":"jupyterlab"}`)
	c.body("attach", "")
	vars := lines(c.body("inspectVariables", ""), "variables")
	want(t, "the tree shows types", vars[0]["type"], "[]int = [1 2 3]")
	want(t, "the console shows results", c.body("evaluate", `{"expression":"gone","context":"repl"}`)["result"], "TypeError: undefined: gone")
	c.refused("evaluate", `{"expression":"gone","context":"watch"}`)
	f.stack = append(f.stack, engine.DebugFrame{File: "/tmp/x.go", Line: 1})
	f.hold("breakpoint", "")
	for _, frame := range lines(c.body("stackTrace", `{"threadId":7}`), "stackFrames") {
		if _, ok := frame["source"].(object)["path"].(string); !ok {
			t.Errorf("a frame without a source: %v", frame)
		}
	}
	want(t, "unverified breakpoints have lines", lines(c.body("setBreakpoints", `{"source":{"path":"/nowhere"},"breakpoints":[{"line":3}]}`), "breakpoints")[0]["line"], 3)
}

// TestCellEndsWhileHeld: a goroutine stays stopped when the cell that started it ends.
func TestCellEndsWhileHeld(t *testing.T) {
	f := session()
	c := newClient(t, f)
	c.attach()
	f.hold("breakpoint", "")
	c.event("stopped")
	f.tell(engine.DebugEvent{Reason: "ended", Goroutine: 1})
	want(t, "stopped", c.body("debugInfo", "")["stoppedThreads"], "[7]")
	c.body("next", `{"threadId":7}`)
	want(t, "continued", c.event("continued")["threadId"], 7)
}
