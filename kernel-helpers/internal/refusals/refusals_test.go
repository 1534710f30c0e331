package refusals

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/crossval"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/memory"
	"overcomplete/kernel-helpers/trial"
)

// A subject is an exported function, or an exported method of a sample.
type subject struct {
	name string
	// make returns the function, or the method of a fresh receiver. It returns false if it cannot make a
	// receiver.
	make func() (reflect.Value, bool)
	in   []reflect.Type
}

// instances holds instances of exported functions that have type parameters, because the table cannot list these.
var instances = map[string]any{
	"crossval.Grid":   crossval.Grid[kmeans.Options],
	"crossval.Search": crossval.Search[*kmeans.Model, kmeans.Options],
	"crossval.Vary":   crossval.Vary[kmeans.Options, int],
	"trial.Run":       trial.Run[float64],
}

// subjects returns all functions of the table and all instances, and the methods of all types with a sample.
func subjects(t *testing.T) []subject {
	var list []subject
	for _, table := range []map[string]any{functions, instances} {
		for name, f := range table {
			v := reflect.ValueOf(f)
			list = append(list, subject{name, func() (reflect.Value, bool) { return v, true }, parameters(v.Type(), 0)})
		}
	}
	for _, p := range types {
		typ := reflect.TypeOf(p)
		if typ.Elem().Kind() == reflect.Interface || typ.NumMethod() == 0 {
			continue
		}
		name := typ.Elem().String()
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			list = append(list, subject{name + "." + m.Name, func() (reflect.Value, bool) {
				r, ok := receiver(typ)
				if !ok {
					return r, false
				}
				return r.Method(i), true
			}, parameters(m.Type, 1)})
		}
	}
	slices.SortFunc(list, func(a, b subject) int { return strings.Compare(a.name, b.name) })
	return list
}

func parameters(f reflect.Type, from int) (in []reflect.Type) {
	for i := from; i < f.NumIn(); i++ {
		t := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			t = t.Elem()
		}
		in = append(in, t)
	}
	return in
}

// receiver returns a pointer of type typ to a sample.
func receiver(typ reflect.Type) (reflect.Value, bool) {
	v, ok := value(typ)
	if ok && !v.IsNil() {
		return v, true
	}
	if typ.Elem().Kind() == reflect.Struct {
		return v, false
	}
	return reflect.New(typ.Elem()), true // for a named number or string
}

// An outcome says how a call ended.
type outcome struct {
	panicked any
	err      error
	hangs    bool
	results  []reflect.Value
}

// shows reports whether the results show the invalid argument: whether a number in them is NaN or infinite.
func (o outcome) shows() bool {
	seen := map[uintptr]bool{}
	for _, v := range o.results {
		if notFinite(v, seen, 0) {
			return true
		}
	}
	return false
}

func notFinite(v reflect.Value, seen map[uintptr]bool, depth int) bool {
	if depth > 12 {
		return false
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return v.Float()-v.Float() != 0
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return false
		}
		seen[v.Pointer()] = true
		return notFinite(v.Elem(), seen, depth+1)
	case reflect.Interface:
		return !v.IsNil() && notFinite(v.Elem(), seen, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if notFinite(v.Field(i), seen, depth+1) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if notFinite(v.Index(i), seen, depth+1) {
				return true
			}
		}
	}
	return false
}

// said returns the message of the call's panic or error, or "" if the call succeeded.
func (o outcome) said() string {
	switch p := o.panicked.(type) {
	case nil:
	case *parallel.Panic:
		return fmt.Sprint(p.Value)
	default:
		return fmt.Sprint(p)
	}
	if o.err != nil {
		return o.err.Error()
	}
	return ""
}

// crashed returns the failure if it is anything but a message of the library, and otherwise "".
func (o outcome) crashed() string {
	if o.hangs {
		return "it does not end"
	}
	v := o.panicked
	if p, ok := v.(*parallel.Panic); ok {
		v = p.Value
	}
	if e, ok := v.(runtime.Error); ok {
		return e.Error()
	}
	if s := o.said(); s != "" && !ours(s) {
		return fmt.Sprintf("the message is not the package's: %q", s)
	}
	return ""
}

// ours reports whether a message starts with the name of a package of the library, or of a package that the library
// calls.
func ours(s string) bool {
	for _, name := range prefixes {
		if strings.HasPrefix(s, name+": ") {
			return true
		}
	}
	return false
}

var prefixes = func() (list []string) {
	for name := range functions {
		p, _, _ := strings.Cut(name, ".")
		list = append(list, p)
	}
	slices.Sort(list)
	return append(slices.Compact(list), "progress", "synth", "data", "tape")
}()

func (s subject) call(args []reflect.Value) (o outcome, ok bool) {
	f, ok := s.make()
	if !ok {
		return o, false
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer func() { o.panicked = recover() }()
		o.results = f.Call(args)
		memory.SetLimit(0) // the function may be SetLimit itself; later calls need the usual limit
		for _, v := range o.results {
			if e, ok := v.Interface().(error); ok {
				o.err = e
			}
		}
	}()
	select {
	case o = <-done:
	case <-time.After(patience.Long):
		o.hangs = true
	}
	return o, true
}

// arguments returns valid arguments for the function.
func (s subject) arguments() []reflect.Value {
	args := make([]reflect.Value, len(s.in))
	for i, t := range s.in {
		args[i] = sample(t)
	}
	return args
}

// A breakage makes an invalid value of a type.
type breakage struct {
	name    string
	apply   func(t reflect.Type) (reflect.Value, bool)
	refused bool // whether the value must be rejected if the function works with the samples
}

var (
	context_ = reflect.TypeFor[context.Context]()
	matrix   = reflect.TypeFor[mat.Matrix]()
	dense    = reflect.TypeFor[*mat.Dense]()
	floats   = reflect.TypeFor[[]float64]()
)

// broken returns a breakage for matrices: f makes the invalid matrix.
func broken(name string, refused bool, f func() *mat.Dense) breakage {
	return breakage{name, func(t reflect.Type) (reflect.Value, bool) {
		if t != matrix && t != dense {
			return reflect.Value{}, false
		}
		return reflect.ValueOf(f()), true
	}, refused}
}

// with returns a function that makes the sample matrix, but with v in its middle.
func with(v float64) func() *mat.Dense {
	return func() *mat.Dense { M := square(); M.Set(3, 2, v); return M }
}

var breakages = []breakage{
	{"nil", func(t reflect.Type) (reflect.Value, bool) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Func:
			return reflect.Zero(t), true
		}
		return reflect.Value{}, false
	}, false},
	{"typed nil", func(t reflect.Type) (reflect.Value, bool) {
		return reflect.Zero(dense), t == matrix
	}, false},
	broken("empty matrix", true, func() *mat.Dense { return &mat.Dense{} }),
	broken("NaN", true, with(math.NaN())),
	broken("Inf", true, with(math.Inf(1))),
	broken("other shape", false, func() *mat.Dense { return mat.NewDense(2, 5, []float64{1, 2, 3, 4, 5, 2, 1, 1, 0, 1}) }),
	broken("one number", false, func() *mat.Dense { return mat.NewDense(1, 1, []float64{2}) }),
	{"-1", func(t reflect.Type) (reflect.Value, bool) {
		v := reflect.New(t).Elem()
		switch t.Kind() {
		case reflect.Int, reflect.Int64, reflect.Int32:
			v.SetInt(-1)
			return v, true
		case reflect.Float64:
			v.SetFloat(-1)
			return v, true
		}
		return v, false
	}, false},
	{"0", func(t reflect.Type) (reflect.Value, bool) {
		switch t.Kind() {
		case reflect.Int, reflect.Int64, reflect.Int32, reflect.Float64, reflect.String, reflect.Struct:
			return reflect.Zero(t), true
		}
		return reflect.Value{}, false
	}, false},
	{"7", func(t reflect.Type) (reflect.Value, bool) {
		return reflect.ValueOf(7).Convert(reflect.TypeFor[int]()), t.Kind() == reflect.Int && t == reflect.TypeFor[int]()
	}, false},
	{"NaN number", func(t reflect.Type) (reflect.Value, bool) {
		return reflect.ValueOf(math.NaN()), t == reflect.TypeFor[float64]()
	}, false},
	{"one of a slice", func(t reflect.Type) (reflect.Value, bool) {
		if t.Kind() != reflect.Slice {
			return reflect.Value{}, false
		}
		v := sample(t)
		if v.Len() == 0 {
			return v, false
		}
		return v.Slice(0, 1), true
	}, false},
	{"NaN in a slice", func(t reflect.Type) (reflect.Value, bool) {
		if t != floats {
			return reflect.Value{}, false
		}
		return reflect.ValueOf([]float64{1, 2, math.NaN(), 3, 4, 5}), true
	}, false},
	{"labels out of range", func(t reflect.Type) (reflect.Value, bool) {
		return reflect.ValueOf([]int{0, -5, 1, 7777, 0, 1}), t == reflect.TypeFor[[]int]()
	}, false},
	{"zero value", func(t reflect.Type) (reflect.Value, bool) {
		if t.Kind() != reflect.Pointer || !strings.HasSuffix(t.Elem().Name(), "Options") {
			return reflect.Value{}, false
		}
		return reflect.New(t.Elem()), true
	}, false},
}

// TestRefusals calls every exported function and method with one invalid argument. The call must not crash: no nil
// dereference, no index out of range, no panic from gonum, and no endless call. NaN, Inf and empty matrices must be
// rejected. Normally only a third of the invalid arguments is tried (see patience.LeftOut).
func TestRefusals(t *testing.T) {
	patience.SkipShort(t, "it calls all functions of the library with all that can be wrong")
	quiet(t)
	t.Chdir(t.TempDir())
	calls, worked, without := 0, 0, map[string]bool{}
	for _, s := range subjects(t) {
		why, ok := skipped[s.name]
		if !ok && strings.Count(s.name, ".") == 2 {
			why, ok = skipped[s.name[:strings.LastIndex(s.name, ".")]]
		}
		if ok {
			if why == "" {
				t.Errorf("%s is skipped without a reason", s.name)
			}
			continue
		}
		begin := time.Now()
		base, ok := s.call(s.arguments())
		if !ok {
			without[s.name[:strings.LastIndex(s.name, ".")]] = true
			continue
		}
		if d := time.Since(begin); d > 100*time.Millisecond {
			t.Logf("%s took %v", s.name, d.Round(time.Millisecond))
		}
		calls++
		if why := base.crashed(); why != "" {
			t.Errorf("%s with all in order: %s", s.name, why)
			continue
		}
		works := base.said() == ""
		if works {
			worked++
		}
		if testing.Verbose() && !works {
			t.Logf("%s refuses the samples: %s", s.name, base.said())
		}
		for i, typ := range s.in {
			for _, b := range breakages {
				v, ok := b.apply(typ)
				if !ok {
					continue
				}
				if slices.Contains(takes[s.name], b.name) || patience.LeftOut(fmt.Sprint(s.name, i, b.name)) {
					continue
				}
				args := s.arguments()
				args[i] = v
				o, _ := s.call(args)
				calls++
				if why := o.crashed(); why != "" {
					t.Errorf("%s, parameter %d (%v) %s: %s", s.name, i+1, typ, b.name, why)
					if o.hangs {
						break
					}
				} else if b.refused && works && o.said() == "" && !o.shows() {
					t.Errorf("%s, parameter %d (%v) %s: not refused", s.name, i+1, typ, b.name)
				} else if typ == context_ && b.name == "nil" && (o.said() == "") != works {
					t.Errorf("%s: a nil context is not taken as one without an end: %s", s.name, o.said())
				}
			}
		}
	}
	for name := range without {
		t.Errorf("%s has methods, but no sample in samples_test.go", name)
	}
	t.Logf("%d calls of %d functions and methods, %d of which do their work with the samples", calls, len(subjects(t)), worked)
}

// quiet discards printed output.
func quiet(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdout
	os.Stdout = null
	t.Cleanup(func() { os.Stdout = old; null.Close() })
}

// sample returns a value of the type that most functions can work with. All matrices are 6×6 and all slices
// have 6 elements, so that shapes agree.
func sample(t reflect.Type) reflect.Value {
	v, _ := value(t)
	return v
}

// value returns a sample of type t. For a struct of the library, the sample comes from samples, or from a function in
// the table that makes the struct. value returns false if it found only the zero value.
func value(t reflect.Type) (reflect.Value, bool) {
	if f, ok := samples[t]; ok {
		v := reflect.New(t).Elem()
		v.Set(reflect.ValueOf(f()))
		return v, true
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		if t.PkgPath() == "" {
			v.SetInt(2)
		}
	case reflect.Uint64, reflect.Uint32, reflect.Uint8:
		if t.PkgPath() == "" {
			v.SetUint(1)
		}
	case reflect.Float64, reflect.Float32:
		v.SetFloat(0.5)
	case reflect.String:
		v.SetString("a")
	case reflect.Slice:
		v = reflect.MakeSlice(t, 6, 6)
		for i := range 6 {
			switch t.Elem().Kind() {
			case reflect.Int:
				v.Index(i).SetInt(int64(i % 2))
			case reflect.Float64, reflect.Float32:
				v.Index(i).SetFloat(1 + float64(i)/4)
			default:
				v.Index(i).Set(sample(t.Elem()))
			}
		}
	case reflect.Func:
		v = reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, t.NumOut())
			for i := range out {
				if t.Out(i) == reflect.TypeFor[error]() {
					out[i] = reflect.Zero(t.Out(i))
				} else {
					out[i] = sample(t.Out(i))
				}
			}
			return out
		})
	case reflect.Struct:
		if r, ok := made(t); ok {
			return r, true
		}
		return v, !strings.HasSuffix(t.Name(), "Options")
	case reflect.Pointer:
		if t.Elem().Kind() != reflect.Struct {
			return v, false
		}
		if r, ok := made(t); ok {
			return r, true
		}
		if e, ok := value(t.Elem()); ok {
			v = reflect.New(t.Elem())
			v.Elem().Set(e)
		} // otherwise nil, which means the defaults
	case reflect.Interface:
		if r, ok := made(t); ok {
			return r, true
		}
		if t.NumMethod() == 0 || !strings.HasPrefix(t.PkgPath(), module.Path) {
			return v, false
		}
		for _, p := range types {
			p := reflect.TypeOf(p)
			for _, p := range []reflect.Type{p.Elem(), p} {
				if p.Kind() != reflect.Interface && p.Implements(t) {
					if r, ok := value(p); ok {
						v.Set(r)
						return v, true
					}
				}
			}
		}
	}
	return v, true
}

// maker maps each type to the name of a function in the table that makes a value of this type from samples, or to "" if
// there is none.
var maker = map[reflect.Type]string{}

func made(t reflect.Type) (reflect.Value, bool) {
	none := reflect.Zero(t)
	if !strings.HasPrefix(t.PkgPath(), module.Path) && (t.Kind() != reflect.Pointer || !strings.HasPrefix(t.Elem().PkgPath(), module.Path)) {
		return none, false
	}
	try := func(name string) (reflect.Value, bool) {
		f := reflect.ValueOf(functions[name])
		s := subject{name, func() (reflect.Value, bool) { return f, true }, parameters(f.Type(), 0)}
		o, _ := s.call(s.arguments())
		if o.said() != "" || o.hangs {
			return none, false
		}
		return o.results[0], true
	}
	if name, ok := maker[t]; ok {
		if name == "" {
			return none, false
		}
		return try(name)
	}
	maker[t] = "" // during the search
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := reflect.TypeOf(functions[name])
		if f.NumOut() == 0 || f.Out(0) != t || skipped[name] != "" {
			continue
		}
		if v, ok := try(name); ok {
			maker[t] = name
			return v, true
		}
	}
	return none, false
}
