package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall/js"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for the packages of this module that cells can import
	"overcomplete/kernel"
	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/export"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/jupyter"
	"overcomplete/kernel/lineage"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
)

// memoryLimit leaves room below the 4 GB of the address space for garbage that has not been
// collected yet.
const memoryLimit = 3 << 30

func main() {
	debug.SetMemoryLimit(memoryLimit)
	f := newFront()
	answers := insight.New()
	// The interpreter starts before the first message arrives, so that a kernel that cannot work reports that
	// at once.
	k, err := kernel.New(kernel.Options{Interactive: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "overcomplete-live:", err)
		os.Exit(1)
	}
	answers.Attach(k.Session())
	time.AfterFunc(time.Second, answers.Warm) // the user cannot type faster
	server := jupyter.New(jupyter.OverQueues(f.queues), wire.NewID(), func() (jupyter.Executor, error) { return k, nil }, jupyter.Options{
		Version: version,
		Status:  cellsyntax.Status,
		Complete: func(ctx context.Context, code string, cursor int) (jupyter.Completion, error) {
			c, err := answers.Complete(ctx, code, cursor)
			return jupyter.Completion(c), err
		},
		Inspect:  answers.Inspect,
		Handlers: map[string]jupyter.Handler{"overcomplete_page_request": page, "overcomplete_needs_request": needs},
		Debugger: true,
		Notebook: ".", // front ends put the notebook here; it may contain controls of an earlier kernel
	})
	f.api.Set("version", version)
	f.api.Set("memory", js.FuncOf(func(js.Value, []js.Value) any { return memory() }))
	js.Global().Set("overcomplete", f.api)
	if ready := js.Global().Get("overcompleteReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	server.Run(context.Background())
}

// version is set by the build.
var version = "0.1.0-dev"

// page answers an overcomplete_page_request with the exported page of a notebook.
func page(_ context.Context, content json.RawMessage) (map[string]any, error) {
	var c struct{ Notebook, Name string }
	if err := json.Unmarshal(content, &c); err != nil {
		return nil, err
	}
	nb, err := notebook.Parse([]byte(c.Notebook))
	if err != nil {
		return nil, err
	}
	return map[string]any{"html": string(export.HTML(nb, export.HTMLOptions{Name: cmp.Or(c.Name, "notebook")}).HTML)}, nil
}

// needs answers an overcomplete_needs_request with the cells that must run before a cell.
func needs(_ context.Context, content json.RawMessage) (map[string]any, error) {
	var c struct {
		Cells []string
		Cell  int
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return nil, err
	}
	if c.Cell < 0 || c.Cell >= len(c.Cells) {
		return nil, fmt.Errorf("there is no cell %d among %d", c.Cell, len(c.Cells))
	}
	cells := make([]*lineage.Cell, len(c.Cells))
	for i, source := range c.Cells {
		cells[i], _ = lineage.Read(source) // a cell that is not Go declares nothing
	}
	return map[string]any{"needs": lineage.Needs(cells, c.Cell)}, nil
}

func memory() string {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf(`{"sys": %d, "heap": %d, "goroutines": %d}`, m.Sys, m.HeapAlloc, runtime.NumGoroutine())
}
