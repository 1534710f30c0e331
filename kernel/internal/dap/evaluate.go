package dap

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"time"

	"overcomplete/kernel/engine"
)

// evaluate evaluates an expression in a frame or in the session. If the user only hovers over the expression, evaluate
// refuses expressions that could have side effects (see calls).
func (a *Adapter) evaluate(e *evaluation, r request) (object, error) {
	var args struct {
		Expression string `json:"expression"`
		Frame      int    `json:"frameId"`
		Context    string `json:"context"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	args.Expression = strings.TrimSpace(args.Expression)
	if args.Expression == "" {
		return nil, errors.New("there is nothing to evaluate")
	}
	x, parseErr := parser.ParseExpr(args.Expression)
	if args.Context == "hover" && (parseErr != nil || calls(x)) {
		return nil, errors.New("hovering does not evaluate this expression, because it could change something")
	}
	frame, err := a.frame(args.Frame)
	if err != nil {
		return nil, err
	}
	var body object
	err = a.withDebug(func(d engine.Debug) error {
		values, err := d.Eval(e.ctx, frame, args.Expression)
		if err != nil {
			return faultOf(err)
		}
		eval := ""
		if parseErr == nil && !calls(x) && len(values) == 1 {
			eval = args.Expression
			if _, simple := x.(*ast.BinaryExpr); simple {
				eval = "(" + eval + ")"
			}
		}
		return a.reading(d, false, func() {
			body = a.result(values, eval, args.Context, &reference{frame: frame, session: args.Frame == 0})
		})
	})
	if args.Context != "repl" {
		return body, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if args.Frame != 0 {
		a.frames.fresh()
	}
	if err != nil && a.client == jupyterLab {
		// JupyterLab's console shows only that an error occurred, unless the error is returned as the result.
		return object{"result": err.Error(), "variablesReference": 0}, nil
	}
	return body, err
}

// result returns the body of the reply to an evaluation, from the evaluated expression and the results of the
// evaluation. context is the protocol's word for the purpose of the evaluation, for example "repl". The parameter like
// has the same meaning as in Adapter.show.
func (a *Adapter) result(values []engine.Value, eval, context string, like *reference) object {
	text := describe
	if context == "repl" || context == "clipboard" {
		text = whole
	}
	switch len(values) {
	case 0:
		return object{"result": "", "variablesReference": 0}
	case 1:
		m := a.described(valued(values[0], eval), like)
		m["result"] = text(reflect.ValueOf(values[0].Value))
		m["type"] = values[0].Type
		delete(m, "value")
		return m
	}
	var lines, types []string
	for _, v := range values {
		lines, types = append(lines, text(reflect.ValueOf(v.Value))), append(types, v.Type)
	}
	return object{"result": strings.Join(lines, "\n"), "type": "(" + strings.Join(types, ", ") + ")", "variablesReference": 0}
}

// valued returns v, a result of evaluating the expression eval, in the form of a variable.
func valued(v engine.Value, eval string) variable {
	return variable{typ: v.Type, eval: eval, v: reflect.ValueOf(v.Value)}
}

// calls reports whether x contains a call, a function literal or a receive operation, so that evaluating x could have
// side effects.
func calls(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// setVariable assigns to an entry of a list that was shown: a variable, a field or an element.
func (a *Adapter) setVariable(e *evaluation, r request) (object, error) {
	var args struct {
		Reference int    `json:"variablesReference"`
		Name      string `json:"name"`
		Value     string `json:"value"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	ref, err := a.reference(args.Reference)
	if err != nil {
		return nil, err
	}
	c, err := ref.open()
	if err != nil {
		return nil, err
	}
	var x variable
	var ok bool
	if err := a.reading(d, ref.session, func() { x, ok = c.find(args.Name) }); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the value has no element %.60q", args.Name)
	}
	if err := a.assign(e, d, ref.frame, x, args.Value); err != nil {
		return nil, err
	}
	var body object
	err = a.reading(d, ref.session, func() {
		if y, ok := c.find(args.Name); ok {
			x = y
		}
		body = a.described(x, ref)
	})
	return body, err
}

// assign evaluates the given expression in the frame and assigns its value to x.
func (a *Adapter) assign(e *evaluation, d engine.Debug, frame engine.FrameID, x variable, expression string) error {
	if _, err := parser.ParseExpr(expression); err != nil {
		return fmt.Errorf("%.60q is not a Go expression: %v", expression, err)
	}
	switch {
	case x.set != nil:
		values, err := d.Eval(e.ctx, frame, "float64("+expression+")")
		if err != nil {
			return faultOf(err)
		}
		n, ok := 0.0, len(values) == 1
		if ok {
			n, ok = values[0].Value.(float64)
		}
		if !ok {
			return errors.New("an element of a matrix is a float64")
		}
		return setElement(x, n)
	case x.original && x.v.CanAddr():
		return faultOf(d.Assign(e.ctx, frame, x.v, expression))
	case x.eval != "":
		_, err := d.Eval(e.ctx, frame, x.eval+" = "+expression)
		return faultOf(err)
	}
	return fmt.Errorf("cannot assign to %s", x.name)
}

// setElement assigns n to the matrix element x. If the assignment panics, setElement returns an error: in a band or
// triangular matrix, some elements are always zero and cannot be set.
func setElement(x variable, n float64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot assign to %s: %v", x.name, r)
		}
	}()
	x.set(n)
	return nil
}

// setExpression assigns a value to the variable, field or element that an expression denotes.
func (a *Adapter) setExpression(e *evaluation, r request) (object, error) {
	var args struct {
		Expression string `json:"expression"`
		Value      string `json:"value"`
		Frame      int    `json:"frameId"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	for _, s := range []string{args.Expression, args.Value} {
		if _, err := parser.ParseExpr(s); err != nil {
			return nil, fmt.Errorf("%.60q is not a Go expression: %v", s, err)
		}
	}
	frame, err := a.frame(args.Frame)
	if err != nil {
		return nil, err
	}
	var body object
	err = a.withDebug(func(d engine.Debug) error {
		if _, err := d.Eval(e.ctx, frame, args.Expression+" = "+args.Value); err != nil {
			return faultOf(err)
		}
		values, err := d.Eval(e.ctx, frame, args.Expression)
		if err != nil || len(values) != 1 {
			return faultOf(err)
		}
		return a.reading(d, false, func() {
			body = a.described(valued(values[0], args.Expression), &reference{frame: frame, session: args.Frame == 0})
		})
	})
	return body, err
}

// An evaluation is a request that runs code.
type evaluation struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// evaluateAsync starts a goroutine that answers r, a request that runs code, and passes the answer to send. Evaluations
// run one after the other. evaluateAsync is called in the lane (the queue of requests). It waits for the answer, but
// no longer than the constant patience, so that the lane can go on.
func (a *Adapter) evaluateAsync(r request, send func(object, error)) {
	e := new(evaluation)
	e.ctx, e.cancel = context.WithCancel(a.ctx)
	ended := make(chan struct{})
	a.mu.Lock()
	before := a.last
	a.last = ended
	a.stops[e] = true
	a.mu.Unlock()
	go func() {
		defer close(ended)
		if before != nil {
			<-before
		}
		body, err := a.protect(r.Command, func() (object, error) { return evaluations[r.Command](a, e, r) })
		a.mu.Lock()
		delete(a.stops, e)
		a.mu.Unlock()
		e.cancel()
		send(body, err)
	}()
	wait(ended, patience)
}

// wait waits until the given channel is closed, but no longer than d. It does not wait if the channel is nil.
func wait(ended <-chan struct{}, d time.Duration) {
	if ended == nil {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	}
}

// quiet tells the evaluations in progress to end, and waits until they have ended, but no longer than the constant
// letGo.
func (a *Adapter) quiet() {
	a.Interrupt()
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	wait(last, letGo)
}

// faultOf returns err without its position. err is an error in code that the user has typed into the debugger, so the
// position is not in a cell.
func faultOf(err error) error {
	var e *engine.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s: %s", e.Kind, e.Message)
	}
	return err
}
