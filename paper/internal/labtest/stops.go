package labtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

const (
	// long is the duration below which an experiment is not interrupted. It is shorter than a second, the delay that a
	// user would notice, so that fast machines test as many experiments as slow ones.
	long = 250 * time.Millisecond
	// soon is the time within which an interrupted experiment must have ended.
	soon = time.Second
	// enough is the time after which an experiment's first run is interrupted, unless all tests run.
	enough = 500 * time.Millisecond
)

// Stops tests that the experiments of a laboratory can be interrupted. newLab(t) returns a new laboratory at each call:
// a pointer to a paper's Lab. Stops runs each exported method to its end. If this takes over a quarter of a second,
// Stops runs the method again in a second laboratory and interrupts it midway. The method must then end within a
// second, with a panic that says that the context has ended, and leave no goroutine behind. Finally Stops calls the
// method once more in the second laboratory. This call must give the same results as in the first laboratory, to the
// last bit: the rows apart from times, the bytes of the figures, and, if there are neither rows nor figures, its return
// value. After all experiments, matrix products must use as many threads as before.
//
// The map arguments holds, by method name, the arguments of each method that takes any. The map skips holds, by method
// name, the reason for leaving out a method. Unless all tests run (see patience.All), Stops tries only a third of the
// other methods, interrupts even the first call if it takes over half a second, and omits the last call after such an
// interrupt.
func Stops[L any](t *testing.T, newLab func(t *testing.T) L, arguments map[string][]any, skips map[string]string) {
	if testing.Short() {
		t.Skip("runs every long experiment two and a half times")
	}
	if patience.RaceDetector {
		t.Skip("all experiments are long with the race detector, and a second is short")
	}
	threads := gemm.Workers()
	defer func() {
		if n := gemm.Workers(); n != threads {
			t.Errorf("a product has %d threads after the experiments, not %d", n, threads)
		}
	}()
	typ := reflect.TypeFor[L]()
	for name := range skips {
		if _, ok := typ.MethodByName(name); !ok {
			t.Errorf("there is no method %s to leave out", name)
		}
	}
	for name := range arguments {
		if _, ok := typ.MethodByName(name); !ok {
			t.Errorf("there is no method %s to give arguments", name)
		}
	}
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		if isShared(m) || skips[m.Name] != "" || patience.LeftOut(m.Name) {
			continue
		}
		if n := m.Type.NumIn() - 1; n != len(arguments[m.Name]) {
			t.Errorf("%s takes %d arguments and is given %d", m.Name, n, len(arguments[m.Name]))
			continue
		}
		t.Run(m.Name, func(t *testing.T) { checkStops(t, newLab, m.Name, arguments[m.Name]) })
	}
}

// isShared reports whether m, a method of a paper's Lab, comes from the lab.Lab that the paper's Lab embeds.
func isShared(m reflect.Method) bool {
	general, ok := reflect.TypeFor[*lab.Lab]().MethodByName(m.Name)
	if !ok {
		return false
	}
	signature := func(m reflect.Method) string {
		_, rest, _ := strings.Cut(m.Type.String(), "*") // after the receiver's package
		_, rest, _ = strings.Cut(rest, "Lab")
		return rest
	}
	return signature(general) == signature(m)
}

func checkStops[L any](t *testing.T, open func(t *testing.T) L, method string, arguments []any) {
	fresh := func() experiment {
		e := experiment{open(t), method, arguments}
		e.lab().SetPart() // it may have no rows
		return e
	}
	whole := fresh()
	first, stop := context.WithCancel(t.Context())
	defer stop()
	whole.lab().SetContext(first)
	if !patience.All() {
		time.AfterFunc(enough, stop)
	}
	begin, usedBefore := time.Now(), cputime.Used()
	value, err := whole.run()
	full, work := time.Since(begin), cputime.Used()-usedBefore
	isWhole := err == nil
	if !isWhole && (first.Err() == nil || !errors.Is(err, context.Canceled)) {
		t.Fatal(err)
	}
	if full < long {
		return
	}
	var same experiment
	var after, took time.Duration
	var left string
	// On a busy machine the interrupt may come late or early now and then, but not every time.
	for try := range 7 {
		same = fresh()
		before := goroutines()
		after = full / 2 >> min(try, 3)
		ctx, cancel := context.WithCancel(t.Context())
		same.lab().SetContext(ctx)
		begin, usedBefore = time.Now(), cputime.Used()
		time.AfterFunc(after, cancel)
		_, err = same.run()
		took = time.Since(begin) - after
		cancel()
		left = leftGoroutines(before)
		if err != nil && took < soon && left == "" {
			break
		}
		if err == nil { // the machine was busier during the first run
			full, work = min(full, after+took), min(work, cputime.Used()-usedBefore)
		}
		if err == nil && work < time.Second && try > 1 {
			break
		}
	}
	t.Logf("%-24s %6.2f s, stopped %4.0f ms after the interrupt", method, full.Seconds(), 1000*took.Seconds())
	switch {
	case left != "":
		t.Fatalf("interrupted, it has left behind:\n%s", left)
	case err == nil && work < time.Second:
		// Most of the time goes into drawing one picture, which the experiment completed. The processor time shows
		// that this is short, however busy the machine is.
		return
	case err == nil:
		t.Fatal("it does not heed an interrupt")
	case !errors.Is(err, context.Canceled):
		t.Fatalf("interrupted, it panics with %v", err)
	case took > soon:
		t.Errorf("it has ended %v after the interrupt, and not within %v", took, soon)
	}
	if !isWhole {
		return
	}
	//lint:ignore SA1012 nil stands for the context of the cell
	same.lab().SetContext(nil)
	again, err := same.run()
	if err != nil {
		t.Fatalf("called again: %v", err)
	}
	for _, d := range differences(whole.lab().Run, same.lab().Run) {
		t.Errorf("called again after the interrupt: %s", d)
	}
	if res := whole.lab().Results(); len(res.Rows) == 0 && len(res.Figures) == 0 && bits(value) != bits(again) {
		t.Error("called again after the interrupt it gives another value")
	}
}

// An experiment is one call to a method of a laboratory.
type experiment struct {
	of        any // a pointer to a paper's Lab
	method    string
	arguments []any
}

// lab returns the Lab that the paper's Lab embeds.
func (e experiment) lab() *lab.Lab {
	return reflect.ValueOf(e.of).Elem().FieldByName("Lab").Addr().Interface().(*lab.Lab)
}

// run returns what the method returns, or an error with the value that it
// panicked with.
func (e experiment) run() (values []reflect.Value, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = p
		default:
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	var in []reflect.Value
	for _, a := range e.arguments {
		in = append(in, reflect.ValueOf(a))
	}
	return reflect.ValueOf(e.of).MethodByName(e.method).Call(in), nil
}

// differences lists the differences between the results of two runs. It ignores measured times.
func differences(a, b *record.Run) (list []string) {
	x, y := a.Results(), b.Results()
	ids := func(r *record.Results) (ids []string) {
		for _, row := range r.Rows {
			ids = append(ids, row.ID)
		}
		return ids
	}
	if i, j := ids(x), ids(y); !slices.Equal(i, j) {
		return []string{fmt.Sprintf("the rows are %v, want %v", j, i)}
	}
	for i, row := range x.Rows {
		if other := y.Rows[i]; !row.Data.Timed() && (row.Measured != other.Measured || row.Verdict != other.Verdict) {
			list = append(list, fmt.Sprintf("row %s is %v, %s; want %v, %s", row.ID, other.Measured, other.Verdict, row.Measured, row.Verdict))
		}
	}
	names := func(r *record.Results) (names []string) {
		for _, f := range r.Figures {
			names = append(names, f.Files...)
		}
		return append(names, r.Files...)
	}
	if i, j := names(x), names(y); !slices.Equal(i, j) {
		list = append(list, fmt.Sprintf("the files are %v, want %v", j, i))
	}
	for _, f := range x.Figures {
		for _, name := range f.Files {
			if f.Timed {
				continue
			}
			p, err := os.ReadFile(filepath.Join(a.Dir(), name))
			lab.Check(err)
			q, err := os.ReadFile(filepath.Join(b.Dir(), name))
			if err != nil || !bytes.Equal(p, q) {
				list = append(list, fmt.Sprintf("%s is not the same file (%v)", name, err))
			}
		}
	}
	return list
}

// goroutineID matches the goroutine's number at the beginning of its stack.
var goroutineID = regexp.MustCompile(`^goroutine (\d+) `)

// goroutines returns the stacks of the goroutines that run code of the project, by the goroutine's number.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	list := map[string]string{}
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if id := goroutineID.FindStringSubmatch(stack); id != nil && strings.Contains(stack, module.Package("")) {
			list[id[1]] = stack
		}
	}
	return list
}

// leftGoroutines returns the stacks of the goroutines that are not in baseline and do not end within half a second.
func leftGoroutines(baseline map[string]string) string {
	for end := time.Now().Add(500 * time.Millisecond); ; time.Sleep(5 * time.Millisecond) {
		var left []string
		for id, stack := range goroutines() {
			if baseline[id] == "" {
				left = append(left, stack)
			}
		}
		if len(left) == 0 || time.Now().After(end) {
			return strings.Join(left, "\n\n")
		}
	}
}

// bits returns a string that represents everything that the values hold. It writes numbers by their bits, so that
// values with NaN can be compared. It leaves out functions, channels, and fields with measured times, whose names
// begin with "second".
func bits(values []reflect.Value) string {
	w := writer{seen: map[uintptr]bool{}}
	for _, v := range values {
		w.write(v)
	}
	return w.String()
}

type writer struct {
	strings.Builder
	seen map[uintptr]bool // pointers that are being followed
}

func (w *writer) write(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(w, "%x ", math.Float64bits(v.Float()))
	case reflect.Pointer:
		if v.IsNil() || w.seen[v.Pointer()] {
			fmt.Fprint(w, "- ")
			return
		}
		w.seen[v.Pointer()] = true
		w.write(v.Elem())
		delete(w.seen, v.Pointer())
	case reflect.Interface:
		if !v.IsNil() {
			fmt.Fprintf(w, "%s ", v.Elem().Type())
			w.write(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(w, "%d[", v.Len())
		for i := range v.Len() {
			w.write(v.Index(i))
		}
		fmt.Fprint(w, "]")
	case reflect.Struct:
		for i := range v.NumField() {
			if strings.HasPrefix(strings.ToLower(v.Type().Field(i).Name), "second") {
				continue // a measured time
			}
			w.write(v.Field(i))
		}
	case reflect.Map:
		var entries []string
		for it := v.MapRange(); it.Next(); {
			e := writer{seen: w.seen}
			e.write(it.Key())
			e.write(it.Value())
			entries = append(entries, e.String())
		}
		slices.Sort(entries)
		fmt.Fprintf(w, "%q", entries)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		fmt.Fprintf(w, "%v ", v)
	}
}
