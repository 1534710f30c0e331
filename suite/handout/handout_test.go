package handout

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overcomplete/internal/exercise"
	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel/notebook"
	"overcomplete/ui/display"
)

func init() {
	exercise.Register(exercise.Task{
		Name: "hand 1", Function: "f", Signature: (func() int)(nil), Points: 3,
		Draw: func(uint64) exercise.Case { return exercise.Case{} }, Reference: func(exercise.Case) any { return 1 },
		Hint: func(exercise.Case) string { return "" },
	})
}

func lecture() *notebook.Notebook {
	cell := func(id, typ, source string, tags ...string) *notebook.Cell {
		c := &notebook.Cell{ID: id, Type: typ, Source: source, Metadata: map[string]any{}}
		if tags != nil {
			c.SetTags(tags...)
		}
		if typ == notebook.Code {
			c.ExecutionCount, c.Outputs = 1, []notebook.Output{notebook.NewStream("stdout", "seen")}
		}
		return c
	}
	return &notebook.Notebook{
		Metadata: map[string]any{"overcomplete": map[string]any{
			"ran": map[string]any{"a": "1", "s": "2"}, "timing": map[string]any{}, "modules": "kept", "changed": "size",
		}},
		Cells: []*notebook.Cell{
			cell("a", notebook.Code, `fmt.Println("check.Exercise")`),
			cell("q", notebook.Markdown, "**1.** Write f.", "exercise"),
			cell("f", notebook.Code, "f := func() int { return 0 }\ncheck.Exercise(\"hand 1\", f)", "exercise"),
			cell("s", notebook.Code, `check.Exercise("hand 2", solved)`, "solution"),
			cell("w", notebook.Markdown, "Because.", "solution"),
			cell("g", notebook.Code, "g := 0", "exercise"),
			cell("t", notebook.Code, `check.Exercise("own", g)`),
			cell("u", notebook.Code, `check.Exercise("own", g)`),
		},
	}
}

func ids(nb *notebook.Notebook) string {
	var list []string
	for _, c := range nb.Cells {
		list = append(list, c.ID)
	}
	return strings.Join(list, " ")
}

func TestMake(t *testing.T) {
	nb := lecture()
	for _, c := range []struct {
		o      Options
		ids    string
		shown  bool
		remain map[string]any
	}{
		{Options{}, "a q f g t u", false, map[string]any{"modules": "kept"}},
		{Options{Outputs: true}, "a q f g t u", true, map[string]any{"modules": "kept", "changed": "size", "ran": map[string]any{"a": "1"}}},
		{Options{Solutions: true, Outputs: true}, "a q f s w g t u", true, map[string]any{"modules": "kept", "changed": "size", "ran": map[string]any{"a": "1", "s": "2"}}},
	} {
		out, err := Make(nb, c.o)
		if err != nil || ids(out) != c.ids || (out.Cells[0].Outputs != nil) != c.shown || (out.Cells[0].ExecutionCount > 0) != c.shown {
			t.Errorf("%+v: %v, %v", c.o, out, err)
		}
		if !reflect.DeepEqual(out.Metadata["overcomplete"], c.remain) {
			t.Errorf("%+v: %v", c.o, out.Metadata)
		}
	}
	if !reflect.DeepEqual(nb, lecture()) {
		t.Error("the lecturer's notebook has changed")
	}
}

func TestGrader(t *testing.T) {
	out, err := Make(lecture(), Options{Grader: true})
	if err != nil {
		t.Fatal(err)
	}
	type is struct {
		source                  string
		grade, solution, locked bool
		points                  any
		id                      any
	}
	var got []is
	for _, c := range out.Cells {
		m, ok := c.Metadata["nbgrader"].(map[string]any)
		if !ok {
			got = append(got, is{source: c.Source})
			continue
		}
		if m["schema_version"] != 3 || m["task"] != false {
			t.Errorf("%v", m)
		}
		got = append(got, is{c.Source, m["grade"].(bool), m["solution"].(bool), m["locked"].(bool), m["points"], m["grade_id"]})
	}
	want := []is{
		{source: `fmt.Println("check.Exercise")`},
		{"**1.** Write f.", false, false, true, nil, "q"},
		{"f := func() int { return 0 }\ncheck.Exercise(\"hand 1\", f)", false, true, false, nil, "f"},
		{`check.Exercise("hand 1", f).Must()`, true, false, true, 3.0, "test-hand-1"},
		{"g := 0", false, true, false, nil, "g"},
		{`check.Exercise("own", g).Must()`, true, false, true, 1.0, "test-own"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if out.Cells[5].ID != "t" {
		t.Error(ids(out))
	}
	nb := lecture()
	nb.Cells = nb.Cells[:2]
	if _, err := Make(nb, Options{Grader: true}); err == nil || !strings.Contains(err.Error(), "check.Exercise") {
		t.Error(err)
	}
}

// A handout does not mark an exercise as wrong before a student has begun it. Other outputs remain, and if
// the solutions remain, so do all outputs.
func TestNotStarted(t *testing.T) {
	const wrong = "seen\n✗ not close at [2]\n"
	red := map[string]any{"text/plain": "✗ hand 1: case 1: the result is not right", "text/html": "red"}
	nb := lecture()
	for _, id := range []string{"f", "u"} {
		for _, c := range nb.Cells {
			if c.ID == id {
				c.Outputs = []notebook.Output{notebook.NewStream("stdout", wrong), {"output_type": "execute_result", "data": red}}
			}
		}
	}
	shown := func(o Options, id string) (stream, result string) {
		out, err := Make(nb, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range out.Cells {
			if c.ID == id {
				return c.Outputs[0]["text"].(string), c.Outputs[1]["data"].(map[string]any)["text/plain"].(string)
			}
		}
		t.Fatal("no cell " + id)
		return "", ""
	}
	for _, c := range []struct {
		o            Options
		id           string
		stream, want string
	}{
		{Options{Outputs: true}, "u", wrong, "○ own: not started: write the function, run its cell, and then this one"},
		{Options{Outputs: true}, "f", "seen\n○ not started\n", red["text/plain"].(string)}, // the cell also computes something itself
		{Options{Outputs: true, Solutions: true}, "u", wrong, red["text/plain"].(string)},
		{Options{Outputs: true, Solutions: true}, "f", wrong, red["text/plain"].(string)},
	} {
		if stream, result := shown(c.o, c.id); stream != c.stream || result != c.want {
			t.Errorf("%+v, %s: %q and %q", c.o, c.id, stream, result)
		}
	}
}

// TestRecordedVerdicts checks that the notebooks show no exercise as wrong: their functions are empty, and nobody
// has tried. A notebook without exercises is no lecture.
func TestRecordedVerdicts(t *testing.T) {
	lectures := 0
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, path := range paths {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, c := range nb.Cells {
			call := tested.FindStringSubmatch(c.Source)
			if call == nil || c.Tagged(tagSolution) {
				continue
			}
			seen++
			data, _ := c.Outputs[0]["data"].(map[string]any)
			if v := check.NotStarted(call[1]); data[display.MIMETypeText] != v.String() || data[display.MIMETypeHTML] != v.HTML() {
				t.Errorf("%s: %s shows %v", path, call[1], data[display.MIMETypeText])
			}
		}
		if seen > 0 {
			lectures++
		}
		if seen > 0 && seen < 6 {
			t.Errorf("%s has %d exercises", path, seen)
		}
	}
	if lectures < 8 {
		t.Errorf("only %d notebooks have exercises", lectures)
	}
}

// TestNothingAboutSolutions checks that a student's notebook, which has no solutions, has no parameter for them and
// does not explain one. The lecturer's notebook keeps both.
func TestNothingAboutSolutions(t *testing.T) {
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, path := range paths {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []bool{true, false} {
			out, err := Make(nb, Options{Solutions: keep})
			if err != nil {
				t.Fatal(err)
			}
			says, exercises := 0, false
			for _, c := range nb.Cells {
				exercises = exercises || c.Tagged(tagExercise)
			}
			for _, c := range out.Cells {
				says += strings.Count(c.Source, "solutions :=") + strings.Count(c.Source, "lecturer's notebook")
				if c.Tagged("parameters") && !strings.Contains(c.Source, "size :=") {
					t.Errorf("%s: the parameters are %q", path, c.Source)
				}
			}
			if keep && exercises && says != 3 || !keep && says != 0 {
				t.Errorf("%s, solutions %v: it speaks of them %d times", path, keep, says)
			}
		}
	}
}
