package lab

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"overcomplete/paper/record"
)

// A Paper declares the experiments of a paper's package. The package's function Experiments, in its file
// experiments.go, returns the Paper. The notebook is a view of this list: its cells call the same methods in
// the same order.
type Paper struct {
	Notebook    string // name of the notebook and of the folder of results
	New         any    // the package's New: func(size string, seed uint64) (*Lab, error)
	Experiments []Experiment
	// Data lists methods of the Lab that return data. Each call returns a new copy, so that a cell that uses the data
	// cannot change the results of experiments.
	Data []any
}

// An Experiment is a method of a paper's Lab that can be run by its name.
type Experiment struct {
	Name      string // "table2"; the full name, used by make, is bradley-table2
	Method    any    // (*Lab).Table2
	Arguments []any  // the notebook calls the method with these arguments
	// Slow marks an experiment that takes long at lecture size. A run of all experiments shows the recorded results of
	// this experiment instead of measuring it. If the experiment is requested by name, it is measured.
	Slow bool
}

// An OpenLab is the interface that the Labs of all papers have in common.
type OpenLab interface {
	Recording() *record.Run
	SetContext(ctx context.Context)
	Rows() []record.Row
	Finish() error
}

// Package returns the import path of the paper's package.
func (p Paper) Package() string {
	pkg, _ := split(p.New)
	return pkg
}

// Target returns the experiment's name as a make target: "bradley-table2".
func (p Paper) Target(e Experiment) string { return Prefix(p.Package()) + "-" + e.Name }

// Prefix returns the name of a paper's package without the year. The make targets of the paper's experiments
// begin with this prefix.
func Prefix(pkg string) string { return strings.TrimRight(path.Base(pkg), "0123456789") }

// Open calls New and returns the Lab.
func (p Paper) Open(size string, seed uint64) (OpenLab, error) {
	out := reflect.ValueOf(p.New).Call([]reflect.Value{reflect.ValueOf(size), reflect.ValueOf(seed)})
	if err, _ := out[1].Interface().(error); err != nil {
		return nil, err
	}
	return out[0].Interface().(OpenLab), nil
}

// Check returns an error if the declaration is invalid.
func (p Paper) Check() error {
	wrong := func(format string, a ...any) error {
		return fmt.Errorf("%s: "+format, append([]any{p.Notebook}, a...)...)
	}
	t := reflect.TypeOf(p.New)
	if t == nil || t.Kind() != reflect.Func || t.NumIn() != 2 || t.NumOut() != 2 ||
		t.In(0).Kind() != reflect.String || t.In(1).Kind() != reflect.Uint64 || !t.Out(0).Implements(reflect.TypeFor[OpenLab]()) || t.Out(1) != reflect.TypeFor[error]() {
		return wrong("New is a %T, not a func(size string, seed uint64) (*Lab, error)", p.New)
	}
	seen := map[string]bool{}
	for _, e := range p.Experiments {
		m := reflect.TypeOf(e.Method)
		switch {
		case e.Name == "" || seen[e.Name]:
			return wrong("the name %q is empty, or that of two experiments", e.Name)
		case m == nil || m.Kind() != reflect.Func || m.NumIn() == 0 || m.In(0) != t.Out(0) || !strings.HasPrefix(e.name(), "(*Lab)."):
			return wrong("%s is a %T, not a method of its Lab", e.Name, e.Method)
		case m.NumOut() != 1 || m.IsVariadic() || m.NumIn() != 1+len(e.Arguments):
			return wrong("%s is a %T, which does not return one value for %d arguments", e.Name, e.Method, len(e.Arguments))
		}
		for i, a := range e.Arguments {
			if !reflect.TypeOf(a).AssignableTo(m.In(i + 1)) {
				return wrong("%s is a %T; its argument %v is a %T", e.Name, e.Method, a, a)
			}
		}
		seen[e.Name] = true
	}
	for _, d := range p.Data {
		if m := reflect.TypeOf(d); m == nil || m.Kind() != reflect.Func || m.NumIn() != 1 || m.In(0) != t.Out(0) || m.NumOut() != 1 {
			return wrong("%T is no method of its Lab that returns data", d)
		}
	}
	return nil
}

// Run calls the experiment's method on a Lab that Paper.Open has returned, and returns the value that a cell
// would show. If the method panics, Run panics, too.
func (e Experiment) Run(l OpenLab) any {
	in := []reflect.Value{reflect.ValueOf(l)}
	for _, a := range e.Arguments {
		in = append(in, reflect.ValueOf(a))
	}
	return reflect.ValueOf(e.Method).Call(in)[0].Interface()
}

// Func returns the method's name: "Table2".
func (e Experiment) Func() string { return methodName(e.Method) }

// DataFuncs returns the names of the methods in Data.
func (p Paper) DataFuncs() []string {
	var names []string
	for _, d := range p.Data {
		names = append(names, methodName(d))
	}
	return names
}

func methodName(f any) string {
	_, name := split(f)
	return strings.TrimPrefix(name, "(*Lab).")
}

// Call returns the source text of the experiment's call in a cell, where the variable lab holds the Lab:
// "lab.LetterSearch(1000)".
func (e Experiment) Call() string {
	args := make([]string, len(e.Arguments))
	for i, a := range e.Arguments {
		args[i] = fmt.Sprintf("%#v", a)
	}
	return "lab." + e.Func() + "(" + strings.Join(args, ", ") + ")"
}

func (e Experiment) name() string {
	_, name := split(e.Method)
	return name
}

// split splits the runtime's name of a function, such as "overcomplete/paper/bradley2008.(*Lab).Table2", after the
// import path.
func split(f any) (pkg, name string) {
	full := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	slash := strings.LastIndex(full, "/") + 1
	last, name, _ := strings.Cut(full[slash:], ".")
	return full[:slash] + last, name
}

// A MeasuredClaim is a claim that Measure has measured.
type MeasuredClaim struct {
	ID      string `json:"id"`
	What    string `json:"what"`
	Value   string `json:"value"`   // measured value
	Verdict string `json:"verdict"` // by the claim's rule, in words
	Class   string `json:"class"`   // see record.Verdict.Class
	Reason  string `json:"reason,omitempty"`
	// Before is the value that the earlier run measured, or "" if that run does not have the claim. The field Again
	// reports whether this run agrees with Before within the claim's Repeat; if not, Differs describes the difference.
	// Expected is set if agreement is not required, as for times.
	Before   string `json:"before,omitempty"`
	Repeat   string `json:"repeat,omitempty"` // how much a number may differ
	Again    bool   `json:"again"`
	Differs  string `json:"differs,omitempty"`
	Expected bool   `json:"expected,omitempty"`
}

// Measure runs one of a paper's experiments at a size and with a seed, and judges each of its claims by the
// claim's rule. If before is not nil, it is an earlier run of the same size and seed, and Measure compares
// the results with it. On another processor or in a browser the last digits differ; each claim's Repeat
// limits that difference.
func Measure(p Paper, experiment, size string, seed uint64, before *record.Results) ([]MeasuredClaim, error) {
	i := slices.IndexFunc(p.Experiments, func(e Experiment) bool { return e.Name == experiment })
	if i < 0 {
		return nil, fmt.Errorf("lab: %s has no experiment %q", p.Notebook, experiment)
	}
	l, err := p.Open(size, seed)
	if err != nil {
		return nil, err
	}
	p.Experiments[i].Run(l)
	return judge(l.Rows(), before), nil
}

// judge returns the verdict on each row, and the row's comparison with the earlier run.
func judge(rows []record.Row, before *record.Results) []MeasuredClaim {
	differences := map[string]record.Difference{}
	if before != nil {
		for _, d := range record.Compare(&record.Results{Rows: rows}, before) {
			if _, ok := differences[d.ID]; !ok { // the first difference is the most important
				differences[d.ID] = d
			}
		}
	}
	list := []MeasuredClaim{}
	for _, r := range rows {
		j := MeasuredClaim{ID: r.ID, What: r.What, Value: r.Measured.String(), Verdict: r.Called(), Class: r.Verdict.Class(), Reason: r.Reason}
		if before != nil {
			if old, ok := before.Row(r.ID); ok {
				d, differs := differences[r.ID]
				j.Before, j.Again = old.Measured.String(), !differs
				if old.Measured.Kind == record.KindNumber && old.Repeat > 0 {
					j.Repeat = record.Number(old.Repeat, "").String()
				}
				if differs {
					j.Differs, j.Expected = strings.TrimPrefix(d.String(), d.ID+": "), d.Expected
				}
			}
		}
		list = append(list, j)
	}
	return list
}
