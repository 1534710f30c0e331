package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
)

// A request is a request of the Debug Adapter Protocol.
type request struct {
	Seq       int
	Command   string
	Arguments json.RawMessage
}

// parse reads a request. Even if it returns an error, the request has the parts that could be read.
func parse(content json.RawMessage) (request, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(content, &m); err != nil {
		return request{}, fmt.Errorf("the content of debug_request is not an object: %v", err)
	}
	r := request{Arguments: m["arguments"]}
	var seq float64
	if json.Unmarshal(m["seq"], &seq) == nil && seq == math.Trunc(seq) && math.Abs(seq) <= 1<<53 {
		r.Seq = int(seq) // any number will do, because replies are matched by their headers
	}
	if err := json.Unmarshal(m["command"], &r.Command); err != nil || r.Command == "" {
		return r, errors.New("the debug_request has no command")
	}
	var typ string
	if raw, ok := m["type"]; ok && (json.Unmarshal(raw, &typ) != nil || typ != "request") {
		return r, fmt.Errorf("the debug_request has type %.40s: only \"request\" is answered", raw)
	}
	return r, nil
}

// read decodes the arguments of r into the struct to which dst points. Fields for which r has no argument keep their
// values.
func (r request) read(dst any) error {
	if len(r.Arguments) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Arguments, dst); err != nil {
		return fmt.Errorf("malformed arguments of %s: %v", r.Command, err)
	}
	return nil
}

// object is a JSON object.
type object = map[string]any

// empty holds the lists that a command's reply must always have.
var empty = map[string]object{
	"setBreakpoints":          {"breakpoints": []any{}},
	"setFunctionBreakpoints":  {"breakpoints": []any{}},
	"setExceptionBreakpoints": {"breakpoints": []any{}},
	"threads":                 {"threads": []any{}},
	"stackTrace":              {"stackFrames": []any{}, "totalFrames": 0},
	"scopes":                  {"scopes": []any{}},
	"variables":               {"variables": []any{}},
	"inspectVariables":        {"variables": []any{}},
	"richInspectVariables":    {"data": object{}, "metadata": object{}},
	"modules":                 {"modules": []any{}, "totalModules": 0},
	"dumpCell":                {"sourcePath": ""},
}

// response returns the reply to r. If err is nil, the reply has the given body, or none if body is nil. If err is not
// nil, the reply reports the failure, and the lists that r's command requires in a reply are empty.
func response(r request, body object, err error) object {
	m := object{"type": "response", "request_seq": r.Seq, "command": r.Command, "success": err == nil}
	if err != nil {
		m["message"] = err.Error()
		body = maps.Clone(empty[r.Command])
		if body == nil {
			body = object{}
		}
		body["error"] = object{"id": 1, "format": "{text}", "variables": object{"text": err.Error()}, "showUser": false}
	}
	if body != nil {
		m["body"] = body
	}
	return m
}

// event returns an event with the given name and body. If body is nil, the event has none.
func event(name string, body object) object {
	m := object{"type": "event", "event": name}
	if body != nil {
		m["body"] = body
	}
	return m
}
