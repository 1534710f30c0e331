package main

import (
	"context"

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
