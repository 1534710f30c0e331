package labtest

import (
	"context"
	"reflect"
	"testing"

	"overcomplete/internal/exercise"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/check"
	"overcomplete/ui/cell"
)

// Answers holds answers that students may give to one exercise. Right is a correct function. Wrong maps the name of a
// mistake to a function that makes it.
type Answers struct {
	Right any
	Wrong map[string]any
}

// Exercises tests a notebook's exercises, with a right answer and at least three wrong answers to each. The
// right answer must pass for a hundred seeds (see patience.Rounds), because a grader may use any seed. Each wrong
// answer must be refused with a hint, and for at least two of them the verdict must say what is wrong. The grader draws
// a case in two processes, so two draws with the same seed must be the same.
func Exercises(t *testing.T, notebook string, answers map[string]Answers) {
	t.Helper()
	tasks := exercise.TasksOf(notebook)
	if len(tasks) != len(answers) || len(tasks) == 0 {
		t.Errorf("%d exercises, and answers to %d", len(tasks), len(answers))
	}
	for _, task := range tasks {
		a := answers[task.Name]
		if v := check.Exercise(task.Name, a.Right); !v.Right {
			t.Errorf("the solution of %s: %v", task.Name, v)
		}
		for seed := range uint64(patience.Rounds(100)) {
			tried, err := task.Try(context.Background(), cell.Start, a.Right, seed)
			if err != nil || tried.Fault != "" {
				t.Fatal(task.Name, tried, err)
			}
			if fault := task.Judge(seed, tried.Result); fault != "" {
				t.Errorf("the solution of %s, seed %d: %s", task.Name, seed, fault)
			}
		}
		if len(a.Wrong) < 3 {
			t.Errorf("%s has %d wrong answers", task.Name, len(a.Wrong))
		}
		named := map[string]bool{}
		for how, f := range a.Wrong {
			v := check.Exercise(task.Name, f)
			if v.Right || v.Hint == "" && v != check.NotStarted(task.Name) {
				t.Errorf("%s, %s: %v", task.Name, how, v)
			}
			if v.Mistake != "" {
				named[v.Mistake] = true
				t.Logf("%s, %s: %s", task.Name, how, v.Mistake)
			}
		}
		// The wrong answers are other functions than those of the task's known mistakes.
		if len(named) < 2 {
			t.Errorf("of the wrong answers to %s, %d are told what is wrong with them: %v", task.Name, len(named), named)
		}
		diagnoses(t, task)
		if v := check.Exercise(task.Name, func() {}); v.Right {
			t.Errorf("%s takes another type", task.Name)
		}
		c, before := task.Draw(8), task.Draw(8)
		if !reflect.DeepEqual(c, before) {
			t.Errorf("%s differs from itself", task.Name)
		}
		if one, two := task.Reference(c), task.Reference(c); !reflect.DeepEqual(one, two) || !reflect.DeepEqual(c.Args, before.Args) {
			t.Errorf("the reference of %s changes", task.Name)
		}
	}
}

// diagnoses tests the known mistakes of a task. Each mistake must give a wrong result in at least one case. From
// the results of a mistake the task must recognize that mistake, and no other; and it must not conclude that the
// exercise was not started.
func diagnoses(t *testing.T, task *exercise.Task) {
	t.Helper()
	seeds := exercise.Seeds(task.Name, 0)
	for _, m := range task.Mistakes {
		var results []any
		wrong := 0
		for _, seed := range seeds {
			c := task.Draw(seed)
			got := m.Result(c)
			if !reflect.DeepEqual(c.Args, task.Draw(seed).Args) {
				t.Errorf("%s, %q: it changes the case", task.Name, m.Says)
			}
			results = append(results, got)
			if task.Judge(seed, got) != "" {
				wrong++
			}
		}
		if says := task.Diagnose(seeds, results); says != m.Says || wrong == 0 || task.NotStarted(seeds, results) {
			t.Errorf("%s, %q: %d cases are wrong, and it is told %q", task.Name, m.Says, wrong, says)
		}
	}
	if len(task.Mistakes) < 2 || task.Nudges[0] == "" || task.Nudges[1] == "" {
		t.Errorf("%s has %d mistakes and the nudges %q", task.Name, len(task.Mistakes), task.Nudges)
	}
}
