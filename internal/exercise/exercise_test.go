package exercise_test

import (
	"slices"
	"testing"

	"overcomplete/internal/exercise"
)

func TestSeeds(t *testing.T) {
	a := exercise.Seeds("pca-1", 0)
	if len(a) != exercise.Tries || !slices.Equal(a, exercise.Seeds("pca-1", 0)) {
		t.Errorf("the notebook's seeds are not fixed: %v", a)
	}
	for _, b := range [][]uint64{exercise.Seeds("pca-1", 1), exercise.Seeds("pca-2", 0), exercise.Seeds("1-acp", 0)} {
		for _, s := range b {
			if slices.Contains(a, s) {
				t.Errorf("seed %d is of two streams", s)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for _, name := range []string{"o-2", "o-1"} {
		exercise.Register(exercise.Task{
			Name: name, Notebook: "o", Function: "f", Signature: (func() int)(nil),
			Draw: func(uint64) exercise.Case { return exercise.Case{} }, Reference: func(exercise.Case) any { return 1 },
			Hint: func(exercise.Case) string { return "" },
		})
	}
	list := exercise.TasksOf("o")
	if len(list) != 2 || list[0].Name != "o-1" || list[0] != exercise.Find("o-1") || list[0].Worth() != 1 {
		t.Errorf("%+v", list)
	}
	if exercise.Find("o-3") != nil || len(exercise.TasksOf("other")) != 0 || len(exercise.TasksOf("")) != 2 {
		t.Error("there is more than was registered")
	}
}
