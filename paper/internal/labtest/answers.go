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

// Answers holds what students may hand in for an exercise: a right function, and wrong ones keyed
// by their mistake.
type Answers struct {
	Right any
	Wrong map[string]any
}

// Exercises gives each exercise of a notebook its answers. The right answer must pass for a hundred
// seeds (see patience.Rounds), because it must pass whatever seed a grader uses. At least three wrong answers are needed;
// each must be refused with a hint. The grader draws a case in two processes, so both draws must be
// the same.
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
		for how, f := range a.Wrong {
			if v := check.Exercise(task.Name, f); v.Right || v.Hint == "" {
				t.Errorf("%s, %s: %v", task.Name, how, v)
			}
		}
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
