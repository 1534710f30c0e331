package exercise

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// A Start is a function like cell.Start: it runs the function f in a goroutine and returns a function stop, which ends
// the goroutine.
type Start func(f func()) (stop func())

// An Attempt is the outcome of one call to a function.
type Attempt struct {
	// Result is the value that the function returned, if Fault is "".
	Result any
	// Fault describes what went wrong in the call itself, as a sentence: a panic, a changed input, a timeout.
	Fault string
}

// Try calls f, which must have the task's signature, with the arguments of the case selected by seed. It returns an
// error only if ctx is done; the Attempt then has no meaning.
func (t *Task) Try(ctx context.Context, start Start, f any, seed uint64) (Attempt, error) {
	given := t.Draw(seed).Args
	in := make([]reflect.Value, len(given))
	for i, a := range given {
		in[i] = reflect.ValueOf(a)
	}
	done := make(chan Attempt, 1)
	stop := start(func() {
		a := Attempt{Fault: "it returned nothing: it calls itself without end, or ended its goroutine"}
		defer func() { done <- a }() // even after runtime.Goexit
		defer func() {
			if p := recover(); p != nil {
				a = Attempt{Fault: "it panicked: " + panicText(p)}
			}
		}()
		a = Attempt{Result: reflect.ValueOf(f).Call(in)[0].Interface()}
	})
	limit := time.NewTimer(t.Time())
	defer limit.Stop()
	var a Attempt
	select {
	case a = <-done:
	case <-ctx.Done():
		stop()
		return a, ctx.Err()
	case <-limit.C:
		stop()
		return Attempt{Fault: fmt.Sprintf("it did not end within %v", t.Time())}, nil
	}
	if ctx.Err() != nil { // the panic that stops a cell is not the function's fault
		return a, ctx.Err()
	}
	if a.Fault != "" {
		return a, nil
	}
	// Draw the case again for comparison: copying it would require code for every type.
	for i, was := range t.Draw(seed).Args {
		if !reflect.DeepEqual(given[i], was) {
			return Attempt{Fault: fmt.Sprintf("it changed its input, argument %d: work on a copy", i+1)}, nil
		}
	}
	return a, nil
}

// panicText returns the beginning of a panic's message.
func panicText(p any) string {
	s := strings.Join(strings.Fields(fmt.Sprint(p)), " ")
	const most = 200
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + " ..."
	}
	return s
}
