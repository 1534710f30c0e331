// Package node runs notebooks in the kernel for browsers under node, which has the same WebAssembly and event
// loop as a worker of a page. This is used to test that kernel, and to compare its results with the results of
// the native kernel.
package node

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"overcomplete/kernel/notebook"
)

//go:embed notebook.cjs
var script []byte

// ErrNoNode is the error of Run on a machine without node.
var ErrNoNode = errors.New("node is not installed")

// A Program is a kernel for browsers, given by two files: the WebAssembly file, which may be compressed (.br),
// and the script of the page's worker.
type Program struct{ Kernel, Worker string }

// A Cell is the result of a cell that has run.
type Cell struct {
	ID      string
	Took    time.Duration
	Outputs []notebook.Output
}

// Run runs cells of a project. folder is the path of the project's folder, which has its notebooks in the subfolder
// "notebooks". The kernel gets a copy of the folder's files, and the files that the kernel writes are copied back at
// the end. Even if Run fails, it returns the cells that have run; the error may be the error of the last cell.
func Run(ctx context.Context, p Program, folder string, cells []*notebook.Cell) ([]Cell, error) {
	program, err := exec.LookPath("node")
	if err != nil {
		return nil, ErrNoNode
	}
	at, err := os.MkdirTemp("", "overcomplete-node-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(at)
	file := filepath.Join(at, "notebook.cjs")
	if err := os.WriteFile(file, script, 0o666); err != nil {
		return nil, err
	}
	type cell struct {
		ID     string `json:"id"`
		Source string `json:"source"`
	}
	plan := struct {
		Kernel string `json:"kernel"`
		Worker string `json:"worker"`
		Folder string `json:"folder"`
		Cells  []cell `json:"cells"`
	}{p.Kernel, p.Worker, folder, nil}
	for _, c := range cells {
		plan.Cells = append(plan.Cells, cell{c.ID, c.Source})
	}
	in, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	var said, out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &said
	err = cmd.Run()
	list, bad := parse(out.Bytes())
	switch {
	case ctx.Err() != nil:
		return list, ctx.Err()
	case bad != nil:
		return list, bad
	case err != nil:
		return list, fmt.Errorf("node: %w: %s%s", err, failure(list), strings.TrimSpace(said.String()))
	}
	return list, nil
}

// parse parses the output of the script.
func parse(text []byte) ([]Cell, error) {
	var list []Cell
	for line := range bytes.Lines(text) {
		var c struct {
			ID           string
			Milliseconds float64
			Outputs      []notebook.Output
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return list, fmt.Errorf("node: the script printed %.80q: %w", line, err)
		}
		list = append(list, Cell{c.ID, time.Duration(c.Milliseconds * float64(time.Millisecond)), c.Outputs})
	}
	return list, nil
}

// failure returns the error that the last cell shows, or "" if there is none.
func failure(list []Cell) string {
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	for _, o := range last.Outputs {
		if o.Type() == notebook.ErrorOutput {
			return fmt.Sprintf("cell %s: %v: %v\n", last.ID, o["ename"], o["evalue"])
		}
	}
	return ""
}
