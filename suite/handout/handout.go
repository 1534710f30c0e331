// Package handout turns a lecturer's notebook into the students' version without solutions. For courses that use
// nbgrader, it adds the metadata by which nbgrader recognizes tests and the cells that students fill in.
package handout

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"overcomplete/internal/exercise"
	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel/notebook"
	"overcomplete/ui/display"
)

// Options configures Make.
type Options struct {
	Solutions bool // keep the cells with the tag solution
	Outputs   bool // keep the outputs of cells
	Grader    bool // write nbgrader's metadata
}

// The tags of a lecture notebook.
const (
	tagExercise = "exercise"
	tagSolution = "solution"
)

// Make returns the handout of a notebook, which it does not modify. It returns an error if nbgrader
// would find nothing to grade.
func Make(nb *notebook.Notebook, o Options) (*notebook.Notebook, error) {
	out := *nb
	out.Metadata = maps.Clone(nb.Metadata)
	out.Cells = nil
	for _, c := range nb.Cells {
		if c.Tagged(tagSolution) && !o.Solutions {
			continue
		}
		copied := *c
		copied.Metadata = maps.Clone(c.Metadata)
		if !o.Solutions {
			copied.Source = ofSolutions.ReplaceAllString(c.Source, "")
		}
		switch {
		case !o.Outputs:
			copied.Outputs, copied.ExecutionCount = nil, 0
		case !o.Solutions:
			copied.Outputs = showNotStarted(c)
		}
		out.Cells = append(out.Cells, &copied)
	}
	forget(&out, o.Outputs)
	if !o.Grader {
		return &out, nil
	}
	if tests := grade(&out); tests == 0 {
		return nil, errors.New(`nbgrader would have nothing to grade, because no cell calls check.Exercise("name", function)`)
	}
	return &out, nil
}

// ofSolutions matches what a lecture notebook says about the parameter called solutions: the parameter's line, and the
// sentence that explains the parameter. Both are meaningless in a notebook without solutions.
var ofSolutions = regexp.MustCompile("(?m)^[ \\t]*solutions[ \\t]*:=[^\\n]*\\n?| ?\\(?In the lecturer's notebook, set `solutions := true`[^.]*\\.\\)?")

// failed matches lines that report a failure.
var failed = regexp.MustCompile(`(?m)^✗ .*$`)

// showNotStarted returns the outputs of a cell for the handout, where failed exercises are shown as not started. They
// failed only because their functions were still empty when the lecturer ran the notebook. In a cell that does nothing
// but try an exercise, the exercise's result is replaced. In any other cell with the tag exercise, the printed lines
// that report failures are replaced.
func showNotStarted(c *notebook.Cell) []notebook.Output {
	calls := tested.FindAllStringSubmatch(c.Source, -1)
	if len(calls) != 1 || strings.TrimSpace(c.Source) != calls[0][0] {
		if !c.Tagged(tagExercise) {
			return c.Outputs
		}
		outputs := slices.Clone(c.Outputs)
		for i, o := range outputs {
			if text, ok := o["text"].(string); ok {
				outputs[i] = maps.Clone(o)
				outputs[i]["text"] = failed.ReplaceAllString(text, "○ not started")
			}
		}
		return outputs
	}
	v := check.NotStarted(calls[0][1])
	outputs := slices.Clone(c.Outputs)
	for i, o := range outputs {
		data, _ := o["data"].(map[string]any)
		if _, ok := data[display.MIMETypeHTML]; !ok {
			continue
		}
		o, data = maps.Clone(o), maps.Clone(data)
		data[display.MIMETypeHTML], data[display.MIMETypeText] = v.HTML(), v.String()
		o["data"] = data
		outputs[i] = o
	}
	return outputs
}

// forget removes metadata that would reveal the removed cells, such as the cells' run times. If outputs is false, it
// also removes the metadata about how the outputs were made.
func forget(nb *notebook.Notebook, outputs bool) {
	own, _ := nb.Metadata["overcomplete"].(map[string]any)
	if own == nil {
		return
	}
	own = maps.Clone(own)
	nb.Metadata["overcomplete"] = own
	delete(own, "timing")
	ran, _ := own["ran"].(map[string]any)
	if !outputs {
		delete(own, "changed") // the state of the session that produced the outputs
	}
	if !outputs || ran == nil {
		delete(own, "ran")
		return
	}
	ran = maps.Clone(ran)
	own["ran"] = ran
	maps.DeleteFunc(ran, func(id string, _ any) bool {
		return !slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool { return c.ID == id })
	})
}

// tested matches calls check.Exercise("name", f) whose second argument is just the name of a function.
var tested = regexp.MustCompile(`\bcheck\.Exercise\("([^"\\]+)", *([\pL_][\pL\pN_]*)\)`)

// grade writes nbgrader's metadata. For each exercise that a cell tries, it adds a cell that contains only the test.
// It returns the number of tests.
func grade(nb *notebook.Notebook) (tests int) {
	seen := map[string]bool{}
	var cells []*notebook.Cell
	for _, c := range nb.Cells {
		calls := [][]string{}
		if c.Type == notebook.Code && !c.Tagged(tagSolution) {
			calls = tested.FindAllStringSubmatch(c.Source, -1)
		}
		// A cell that contains only the call is itself the test. If a cell also has the student's code, a test cell
		// follows it.
		alone := len(calls) == 1 && strings.TrimSpace(c.Source) == calls[0][0]
		switch {
		case alone:
		case c.Type == notebook.Code && (c.Tagged(tagExercise) || len(calls) > 0) && !c.Tagged(tagSolution):
			mark(c, c.ID, map[string]any{"solution": true})
			cells = append(cells, c)
		case c.Tagged(tagExercise):
			mark(c, c.ID, map[string]any{"locked": true})
			cells = append(cells, c)
		default:
			cells = append(cells, c)
		}
		for _, call := range calls {
			name, function := call[1], call[2]
			if seen[name] {
				continue // only one test per exercise is worth points
			}
			seen[name] = true
			tests++
			t := notebook.NewCode(test(name, function))
			if alone {
				t.ID, t.Metadata = c.ID, c.Metadata
			}
			mark(t, gradeID(name), map[string]any{"grade": true, "locked": true, "points": points(name)})
			cells = append(cells, t)
		}
	}
	nb.Cells = cells
	return tests
}

// test returns the source of a cell that fails if the exercise is wrong: nbgrader gives points to
// cells that do not fail.
func test(name, function string) string {
	return fmt.Sprintf("check.Exercise(%q, %s).Must()", name, function)
}

// points returns the points of an exercise, or 1 if the notebook itself defines the exercise.
func points(name string) float64 {
	if t := exercise.Find(name); t != nil {
		return t.Worth()
	}
	return 1
}

// mark sets the nbgrader metadata of a cell. It starts from default values and overwrites them with the entries of the
// given map. All fields are written, because nbgrader requires them.
func mark(c *notebook.Cell, id string, is map[string]any) {
	m := map[string]any{"grade": false, "solution": false, "locked": false, "task": false, "schema_version": 3, "grade_id": id}
	maps.Copy(m, is)
	if c.Metadata == nil {
		c.Metadata = map[string]any{}
	}
	c.Metadata["nbgrader"] = m
}

// gradeID converts an exercise's name into an identifier for nbgrader.
func gradeID(name string) string {
	return "test-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}
