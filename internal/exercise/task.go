package exercise

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Task is one exercise: a function to write.
type Task struct {
	// Name is the exercise's name in calls to check.Exercise, such as "pca-2".
	Name string
	// Notebook is the name of the notebook with the exercise, without its extension, such as "lecture-pca".
	Notebook string
	// Function is the function's name in the notebook; the grader looks for it.
	Function string
	// Signature is a nil function of the required type, such as (func(X *mat.Dense, k int) float64)(nil). The type
	// has one result.
	Signature any
	// Draw returns the case for a seed. Calls with the same seed return equal cases.
	Draw func(seed uint64) Case
	// Reference returns the right result for a case. It must not modify the case.
	Reference func(c Case) any
	// Tolerance is the largest allowed difference, as a fraction of the largest number in the reference
	// result; 0 means 1e-9.
	Tolerance float64
	// Agree, if not nil, judges results in place of the comparison within Tolerance. It is for exercises with more than
	// one right result, such as a matrix with columns in any order. The argument want is the result of Reference. If
	// Agree panics, the result (got) counts as wrong.
	Agree func(c Case, got, want any) bool
	// Empty returns what the notebook's empty function returns for a case. If all results of a student's function equal
	// those of Empty, the exercise counts as not started, not as wrong. If Empty is nil, the exercise counts as not
	// started if all results are blank (see alike.Blank), for example nil or nothing but zeros.
	Empty func(c Case) any
	// Mistakes are typical wrong answers. The first one that explains the results of all cases is reported.
	Mistakes []Mistake
	// Nudges are two hints that come before Hint: first what to look at, then which idea is needed. Both may be "".
	Nudges [2]string
	// Hint returns the last hint for a failed case. It leads nearly all the way to the answer, but does not give it.
	Hint func(c Case) string
	// Points is the weight of the exercise; 0 means 1.
	Points float64
	// Limit is the time limit for one case; 0 means 10 s.
	Limit time.Duration
}

// A Case is one input of an exercise.
type Case struct {
	// Sizes describes the case's size for students, for example "200×30, 5 steps".
	Sizes string
	// Args are the arguments of the function.
	Args []any
	// Known holds further values that Draw knows about the case, for Reference and Agree.
	Known any
}

// Worth returns the task's points.
func (t *Task) Worth() float64 {
	if t.Points == 0 {
		return 1
	}
	return t.Points
}

// Time returns the time limit for one case.
func (t *Task) Time() time.Duration {
	if t.Limit == 0 {
		return 10 * time.Second
	}
	return t.Limit
}

// Type returns the required type of the function.
func (t *Task) Type() reflect.Type { return reflect.TypeOf(t.Signature) }

// Unfit explains why a value is not a suitable function for the task, or returns "" if it is.
func (t *Task) Unfit(f any) string {
	switch v := reflect.ValueOf(f); {
	case !v.IsValid() || v.Kind() == reflect.Func && v.IsNil():
		return fmt.Sprintf("wanted is a %v, this is nil", t.Type())
	case v.Kind() != reflect.Func:
		return fmt.Sprintf("wanted is a %v, this is a %v: give the function itself, do not call it", t.Type(), v.Type())
	case !v.Type().AssignableTo(t.Type()):
		return fmt.Sprintf("wanted is a %v, this is a %v", t.Type(), v.Type())
	}
	return ""
}

var all = struct {
	sync.Mutex
	tasks map[string]*Task
}{tasks: map[string]*Task{}}

// Register adds a task. It panics if the task is incomplete, or if a task of the same name exists, because
// replacing that task would change how answers are judged.
func Register(t Task) {
	lack := func(what string) { panic(fmt.Sprintf("check: Register: exercise %q has no %s", t.Name, what)) }
	switch typ := reflect.TypeOf(t.Signature); {
	case t.Name == "":
		lack("Name")
	case t.Function == "":
		lack("Function")
	case typ == nil || typ.Kind() != reflect.Func || typ.NumOut() != 1 || typ.IsVariadic():
		lack("Signature: a nil function with one result, (func(float64) float64)(nil)")
	case t.Draw == nil:
		lack("Draw")
	case t.Reference == nil:
		lack("Reference")
	case t.Hint == nil:
		lack("Hint")
	case t.Tolerance < 0 || t.Points < 0 || t.Limit < 0:
		panic(fmt.Sprintf("check: Register: exercise %q has a Tolerance, Points or Limit below 0", t.Name))
	}
	if err := checkSendable(t.Type().Out(0), map[reflect.Type]bool{}); err != nil {
		panic(fmt.Sprintf("check: Register: exercise %q: the result: %v", t.Name, err))
	}
	all.Lock()
	defer all.Unlock()
	if all.tasks[t.Name] != nil {
		panic(fmt.Sprintf("check: Register: there is an exercise %q already: choose another name", t.Name))
	}
	all.tasks[t.Name] = &t
}

// Find returns the task with the given name, or nil.
func Find(name string) *Task {
	all.Lock()
	defer all.Unlock()
	return all.tasks[name]
}

// TasksOf returns the tasks of a notebook, sorted by name. If notebook is "", it returns the tasks of all
// notebooks.
func TasksOf(notebook string) []*Task {
	all.Lock()
	defer all.Unlock()
	var list []*Task
	for _, t := range all.tasks {
		if notebook == "" || t.Notebook == notebook {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *Task) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Tries is the number of cases on which a function is tried. An answer that handles only one of two equally likely
// kinds of cases passes one time in 64.
const Tries = 6

// Seeds returns the seeds of an exercise's cases. A notebook uses stream 0; a grader uses another
// stream, so that answers hard-coded for the first seeds fail.
func Seeds(name string, stream uint64) []uint64 {
	mixed := stream
	for _, b := range []byte(name) {
		mixed = mixed*0x100000001b3 + uint64(b) // each name has its own sequence
	}
	rng := rand.New(rand.NewPCG(stream, mixed))
	seeds := make([]uint64, Tries)
	for i := range seeds {
		seeds[i] = uint64(rng.Uint32()) // short enough to be read aloud
	}
	return seeds
}
