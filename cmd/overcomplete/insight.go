package main

import (
	"context"

	"overcomplete/kernel/insight"
	"overcomplete/kernel/jupyter"
	"overcomplete/kernel/magic"
)

// newInsight makes what answers the Tab key and Shift-Tab; it gets its session
// when the interpreter is there.
func newInsight() *insight.Insight {
	var opt insight.Options
	for _, m := range magic.List() {
		opt.Magics = append(opt.Magics, insight.Magic{Name: m.Name, Doc: m.Usage + "\n\n" + m.Doc, Code: m.Code})
	}
	return insight.New(opt)
}

// completer is the answer to complete_request.
func completer(in *insight.Insight) func(context.Context, string, int) (jupyter.Completion, error) {
	return func(ctx context.Context, code string, cursor int) (jupyter.Completion, error) {
		c, err := in.Complete(ctx, code, cursor)
		return jupyter.Completion(c), err
	}
}
