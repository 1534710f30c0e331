package main

import (
	"context"
	"encoding/json"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/jupyter"
)

// completer returns the handler of complete_request.
func completer(in *insight.Insight) func(context.Context, string, int) (jupyter.Completion, error) {
	return func(ctx context.Context, code string, cursor int) (jupyter.Completion, error) {
		c, err := in.Complete(ctx, code, cursor)
		return jupyter.Completion(c), err
	}
}

// editing returns the handlers of the requests that editors send while the user types; docs/editors.md describes
// them.
func editing(in *insight.Insight) map[string]jupyter.Handler {
	return map[string]jupyter.Handler{
		"overcomplete_check_request": decoded(func(c struct {
			Code   string
			Others []string
		}) (map[string]any, error) {
			faults, busy := in.Check(c.Code, c.Others)
			return map[string]any{"faults": append([]insight.Fault{}, faults...), "busy": busy}, nil
		}),
		"overcomplete_format_request": decoded(func(c struct{ Code string }) (map[string]any, error) {
			formatted, err := cellsyntax.Format(c.Code)
			return map[string]any{"code": formatted}, err
		}),
		"overcomplete_names_request": decoded(func(c struct {
			Cells  []string
			Cell   int
			Cursor int `json:"cursor_pos"`
		}) (map[string]any, error) {
			n := in.Names(c.Cells, c.Cell, c.Cursor)
			return map[string]any{"name": n.Name, "declared": append([]insight.Place{}, n.Declared...),
				"uses": append([]insight.Place{}, n.Uses...), "fixed": n.Fixed}, nil
		}),
	}
}

// decoded returns a Handler that decodes the content of a request as a value of type C, calls the function fn with it,
// and returns the result of fn.
func decoded[C any](fn func(C) (map[string]any, error)) jupyter.Handler {
	return func(_ context.Context, raw json.RawMessage) (map[string]any, error) {
		var c C
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, err
		}
		return fn(c)
	}
}
