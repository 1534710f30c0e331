package dap

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/render"
	"overcomplete/ui/display"
)

// inspectVariables lists the session's variables. While code from cells runs, it returns the previous list again.
// JupyterLab requests the list often: after each message that a running cell sends.
func (a *Adapter) inspectVariables(request) (object, error) {
	var shown []object
	err := a.withDebug(func(d engine.Debug) error {
		vars, release, err := d.Globals()
		if errors.Is(err, engine.ErrNotHeld) {
			a.mu.Lock()
			shown = a.globals
			a.mu.Unlock()
			return nil
		}
		if err != nil {
			return err
		}
		defer release()
		a.mu.Lock()
		a.table.dropSession()
		a.mu.Unlock()
		shown = a.show(listed(vars), &reference{session: true})
		a.mu.Lock()
		a.globals = shown
		a.mu.Unlock()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if shown == nil {
		shown = []object{}
	}
	return object{"variables": shown}, nil
}

// renderTime is the time limit for rendering a value.
const renderTime = 2 * time.Second

// richInspectVariables returns a variable in rendered form, like the output of a cell whose last line is the
// variable's name.
func (a *Adapter) richInspectVariables(_ *evaluation, r request) (object, error) {
	var args struct {
		Name  string `json:"variableName"`
		Frame int    `json:"frameId"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	if !token.IsIdentifier(args.Name) {
		return nil, fmt.Errorf("%.60q is not the name of a variable: only whole variables can be shown this way", args.Name)
	}
	body := object{"data": object{}, "metadata": object{}} // for JupyterLab this means that there is no such variable
	err := a.withDebug(func(d engine.Debug) error {
		frame := a.presentFrame(d, args.Frame)
		x, ok, err := a.look(d, frame, args.Name)
		if err != nil || !ok {
			return err
		}
		if !x.v.IsValid() {
			body = object{"data": object{display.MIMETypeText: x.value()}, "metadata": object{}}
			return nil
		}
		return a.reading(d, frame == 0, func() {
			data, metadata := a.opt.Bundle(picture(x))
			if metadata == nil {
				metadata = object{}
			}
			body = object{"data": data, "metadata": metadata}
		})
	})
	return body, err
}

// presentFrame returns the ID of the frame with number n. JupyterLab sometimes asks for a variable in a frame of an
// earlier stop. Then presentFrame returns the innermost frame of the latest stop, or 0 (no frame) if execution is not
// stopped.
func (a *Adapter) presentFrame(d engine.Debug, n int) engine.FrameID {
	if frame, err := a.frame(n); err == nil {
		return frame
	}
	if s, ok := a.lastStop(0); ok {
		if stack, err := d.Stack(s.Goroutine); err == nil && len(stack) > 0 {
			return stack[0].ID
		}
	}
	return 0
}

// look finds a variable by its name, first in the given frame and then in the session. If frame is 0, it looks only in
// the session. If there is no such variable, ok is false.
func (a *Adapter) look(d engine.Debug, frame engine.FrameID, name string) (x variable, ok bool, err error) {
	if frame != 0 {
		vars, err := d.Locals(frame)
		if err != nil {
			return x, false, err
		}
		if x, ok := listed(vars).find(name); ok {
			return x, true, nil
		}
	}
	vars, release, err := d.Globals()
	if err != nil {
		if errors.Is(err, engine.ErrNotHeld) {
			err = errRunning
		}
		return x, false, err
	}
	release()
	x, ok = listed(vars).find(name)
	return x, ok, nil
}

// picture returns the value of x as a cell would show it. It returns only a one-line description if rendering takes
// too long, or would run methods that cells declare.
func picture(x variable) display.Data {
	line := display.Text(x.value())
	v := open(x.v)
	if !v.CanInterface() || hasCellMethods(v.Type(), map[reflect.Type]bool{}) {
		return line
	}
	shown := make(chan display.Data, 1)
	go func() {
		defer func() {
			if recover() != nil {
				shown <- line
			}
		}()
		shown <- render.Value(v.Interface())
	}()
	select {
	case d := <-shown:
		return d
	case <-time.After(renderTime):
		return line
	}
}

// hasCellMethods reports whether t, or a type from which t is built, has methods that are not compiled into the
// program. seen holds the types already examined.
func hasCellMethods(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Kind() == reflect.Interface {
			break
		}
		for i := range t.NumMethod() {
			if !compiled(t, t.Method(i).Name) {
				return true
			}
		}
	}
	if t.PkgPath() != "" && t.PkgPath() != "main" && t.NumMethod()+reflect.PointerTo(t).NumMethod() > 0 {
		return false // a compiled type with methods is responsible for its contents
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return hasCellMethods(t.Elem(), seen)
	case reflect.Map:
		return hasCellMethods(t.Key(), seen) || hasCellMethods(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if hasCellMethods(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// copyToGlobals assigns the value of a variable in a frame to an existing variable of the session.
func (a *Adapter) copyToGlobals(e *evaluation, r request) (object, error) {
	var args struct {
		From  string `json:"srcVariableName"`
		To    string `json:"dstVariableName"`
		Frame int    `json:"srcFrameId"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	if !token.IsIdentifier(args.From) || !token.IsIdentifier(args.To) {
		return nil, errors.New("copyToGlobals needs the names of two variables")
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	frame, err := a.frame(args.Frame)
	if err != nil {
		return nil, err
	}
	to, ok, err := a.look(d, 0, args.To)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the session has no variable %s: declare it in a cell first", args.To)
	}
	return nil, a.assign(e, d, frame, to, args.From)
}
