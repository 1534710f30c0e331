package kernel

import (
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"reflect"
	"strings"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/stale"
	"overcomplete/ui/display"
)

// Stale returns the cells whose outputs may differ from those of a run from top to bottom; see package stale.
// It must not be called during Execute.
func (k *Kernel) Stale() []stale.Cell { return k.commands.Stale.Stale() }

// Deleted records that cells are no longer in the notebook. It must not be called during Execute.
func (k *Kernel) Deleted(ids []string) { k.commands.Stale.Deleted(ids) }

// isUndone reports whether err means that a cell did not compile. No part of such a cell has run.
func isUndone(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && (e.Kind == engine.Syntax || e.Kind == engine.Type) && !e.Ran
}

// note tells the tracker of stale cells that a cell has run or, if undone is set, that no part of it has run. If the
// command %stale has turned notes on and the list of stale cells has changed, note shows the new list.
func (k *Kernel) note(cell engine.Cell, undone bool) {
	k.commands.Stale.Ran(stale.Run{ID: cell.ID, Name: cell.Name, Source: cell.Source, Text: cell.Text, At: time.Now(), Undone: undone}, sessionTracer{k.session})
	if !k.commands.NoteStale {
		return
	}
	var names []string
	for _, c := range k.Stale() {
		names = append(names, c.Name)
	}
	text := strings.Join(names, ", ")
	if text == k.noted {
		return
	}
	if k.noted = text; text == "" {
		return
	}
	text = "stale: " + text + " (%stale says why)"
	k.publish(display.Event{Data: display.Data{Data: map[string]any{
		display.MIMETypeText: text,
		display.MIMETypeHTML: `<div style="opacity:.65;font-size:85%">` + html.EscapeString(text) + `</div>`,
	}}})
}

// A sessionTracer turns an engine.Session into a stale.Session.
type sessionTracer struct{ engine.Session }

// Value returns, as text, the type and value of a variable that is nil or of a basic type. It returns false for other
// variables, and while a cell or a goroutine of a cell runs.
func (t sessionTracer) Value(variable string) (text string, ok bool) {
	t.Peek(variable, func(pointer any) { text, ok = basic(reflect.ValueOf(pointer).Elem()) })
	return text, ok
}

// basic returns the type and value of v as text, with a checksum in place of a long string. It returns false unless v
// is nil or of a basic type.
func basic(v reflect.Value) (string, bool) {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		// Do not use fmt, which would call the type's own methods.
		return v.Type().String() + " " + plain(v), true
	case reflect.String:
		text := v.String()
		if len(text) > 100 {
			sum := fnv.New128a()
			sum.Write([]byte(text))
			text = fmt.Sprintf("%d bytes, %x", len(text), sum.Sum(nil))
		}
		return v.Type().String() + " " + text, true
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		if v.IsNil() {
			return v.Type().String() + " nil", true
		}
	}
	return "", false
}

func plain(v reflect.Value) string {
	switch {
	case v.CanInt():
		return fmt.Sprint(v.Int())
	case v.CanUint():
		return fmt.Sprint(v.Uint())
	case v.CanFloat():
		return fmt.Sprint(v.Float())
	case v.CanComplex():
		return fmt.Sprint(v.Complex())
	}
	return fmt.Sprint(v.Bool())
}
