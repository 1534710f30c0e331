package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestHash: the hash equals the values that ipykernel computes, and the hash in a recorded cell path of
// ipykernel.
func TestHash(t *testing.T) {
	// Computed by ipykernel 6.17's murmur2_x86 with the seed 0xC70F6907.
	for text, want := range map[string]uint32{"": 3990065800, "a": 2167009006, "ab": 2805137849, "abc": 3350977461, "abcd": 804720481, "größe := 1": 241417453} {
		if got := murmur2([]byte(text), 0xC70F6907); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	for _, m := range recorded(t) {
		if m["command"] == "dumpCell" && m["type"] == "request" {
			code := m["arguments"].(object)["code"].(string)
			want(t, "recorded path", fmt.Sprintf("/tmp/ipykernel_PID/%d.py", murmur2([]byte(code), 0xC70F6907)), recordedReply(t, "dumpCell")["body"].(object)["sourcePath"])
		}
	}
}

// recorded returns the messages in testdata/ipykernel.jsonl, which testdata/record.py recorded with ipykernel
// 6.17.0 and debugpy 1.6.3.
func recorded(t *testing.T) []object {
	t.Helper()
	f, err := os.Open("testdata/ipykernel.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []object
	for s := bufio.NewScanner(f); s.Scan(); {
		var line struct{ Content object }
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		list = append(list, line.Content)
	}
	return list
}

func recordedReply(t *testing.T, command string) object {
	t.Helper()
	for _, m := range recorded(t) {
		if m["type"] == "response" && m["command"] == command && m["success"] == true {
			return m
		}
	}
	t.Fatalf("no reply to %s was recorded", command)
	return nil
}

// leftOut lists ipykernel's fields that have no meaning here, or that this kernel does not promise.
var leftOut = []string{
	"body.presentationHint", "body.scopes[].source", // empty objects
	"body.data", "body.metadata", // ipykernel answers richInspectVariables like evaluate; TestSession checks our reply
	"sequence_seq", // a misspelling of request_seq
	"body.variables[].variablesReference",
}

// TestShapes: our replies and events contain each field that ipykernel sends, with the same kind of value.
// Capabilities may differ.
func TestShapes(t *testing.T) {
	f := session()
	c := newClient(t, f)
	ours := map[string]object{}
	ask := func(command, arguments string) object {
		m := c.ask(command, arguments)
		ours[command] = m
		if m["success"] != true {
			t.Errorf("%s: %v", command, m)
		}
		b, _ := m["body"].(object)
		return b
	}
	events := map[string]object{}
	event := func(name string) {
		t.Helper()
		for e := range c.events {
			events[e["event"].(string)] = e
			if e["event"] == name {
				return
			}
		}
	}
	ask("initialize", "")
	ask("attach", "")
	event("initialized")
	path := ask("dumpCell", `{"code":"x\ny\nz"}`)["sourcePath"]
	ask("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":3}]}`, path))
	ask("setExceptionBreakpoints", `{"filters":["uncaught panics"]}`)
	ask("configurationDone", "")
	ask("inspectVariables", "")
	f.hold("breakpoint", "")
	event("stopped")
	ask("debugInfo", "")
	ask("threads", "")
	frames := lines(ask("stackTrace", `{"threadId":7}`), "stackFrames")
	scopes := lines(ask("scopes", fmt.Sprintf(`{"frameId":%v}`, frames[0]["id"])), "scopes")
	ask("variables", fmt.Sprintf(`{"variablesReference":%v}`, scopes[0]["variablesReference"]))
	ask("evaluate", `{"expression":"n"}`)
	ask("setVariable", fmt.Sprintf(`{"variablesReference":%v,"name":"n","value":"1"}`, scopes[0]["variablesReference"]))
	ask("richInspectVariables", `{"variableName":"list"}`)
	ask("source", fmt.Sprintf(`{"source":{"path":%q}}`, path))
	ask("next", `{"threadId":7}`)
	event("continued")
	f.hold("step", "")
	ask("continue", "")
	ask("disconnect", "")
	event("terminated")

	var missing func(where string, theirs, ours any) []string
	missing = func(where string, theirs, ours any) []string {
		if slices.Contains(leftOut, where) {
			return nil
		}
		switch x := theirs.(type) {
		case object:
			y, ok := ours.(object)
			if !ok {
				return []string{where}
			}
			var all []string
			for name, v := range x {
				all = append(all, missing(strings.TrimPrefix(where+"."+name, "."), v, y[name])...)
			}
			return all
		case []any:
			y, ok := ours.([]any)
			if !ok {
				return []string{where}
			}
			if len(x) > 0 && len(y) > 0 {
				return missing(where+"[]", x[0], y[0])
			}
		default:
			if fmt.Sprintf("%T", theirs) != fmt.Sprintf("%T", ours) {
				return []string{fmt.Sprintf("%s: %T in place of %T", where, ours, theirs)}
			}
		}
		return nil
	}
	compared := 0
	for _, m := range recorded(t) {
		switch {
		case m["type"] == "event" && events[m["event"].(string)] != nil:
			for _, s := range missing("", m, events[m["event"].(string)]) {
				t.Errorf("event %s: %s", m["event"], s)
			}
			compared++
		case m["type"] == "response" && m["success"] == true && m["command"] != "initialize" && ours[m["command"].(string)] != nil:
			for _, s := range missing("", m, ours[m["command"].(string)]) {
				t.Errorf("reply to %s: %s", m["command"], s)
			}
			compared++
		}
	}
	if compared < 25 {
		t.Errorf("only %d messages were compared", compared)
	}
}
