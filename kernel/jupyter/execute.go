package jupyter

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// drainTime is how long the reply to a failed cell waits for execute requests that the front end sent before it
// could know about the failure. The requests that arrive in this time are aborted; later ones are not.
const drainTime = 25 * time.Millisecond

// executeRequest is the content of an execute_request. Fields that the request lacks have the protocol's
// defaults.
type executeRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    bool              `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     bool              `json:"stop_on_error"`
}

// work runs the queued requests until the server stops.
func (s *Server) work() {
	exec, openErr := s.openExecutor()
	if stopper, ok := exec.(Stopper); ok {
		s.mu.Lock()
		s.stopper = stopper
		s.mu.Unlock()
	}
	s.serveDebug(exec)
	free := time.AfterFunc(freeAfter, debug.FreeOSMemory)
	defer free.Stop()
	for {
		free.Reset(freeAfter)
		s.mu.Lock()
		for len(s.queue) == 0 && s.resumed == nil && !s.stopping {
			s.cond.Wait()
		}
		req := s.resumed
		s.resumed = nil
		if s.stopping {
			rest := s.takeExecutes()
			if req != nil {
				rest = append([]*request{req}, rest...)
			}
			s.mu.Unlock()
			s.abort(rest)
			return
		}
		if req == nil {
			req = s.queue[0]
			s.queue = s.queue[1:]
			s.begin(req)
		}
		ctx, cancel := s.runningCtx, s.stopRunning
		s.mu.Unlock()
		free.Stop()

		s.pub.Lock()
		s.atWork, s.cause = req, req
		if !req.busy {
			s.publishLocked(req, "status", statusOf("busy"))
		}
		s.pub.Unlock()

		if req.then != nil {
			s.call(ctx, exec, req)
			s.finish(req, cancel)
			continue
		}
		content, stopOnError := s.execute(ctx, exec, openErr, req)
		req.metadata = s.staleMetadata(exec)

		s.mu.Lock()
		stopRest := s.interrupted || stopOnError && content["status"] == "error"
		s.mu.Unlock()
		if stopRest {
			time.Sleep(drainTime)
		}
		s.mu.Lock()
		s.running, s.stopRunning = nil, nil
		var rest []*request
		if stopRest || s.interrupted {
			rest = s.takeExecutes()
		}
		s.mu.Unlock()
		cancel()

		s.reply(req, "execute_reply", content)
		s.pub.Lock()
		s.atWork = nil
		s.publishLocked(req, "status", statusOf("idle"))
		s.pub.Unlock()
		s.abort(rest)
	}
}

// begin makes req the running request. The caller holds s.mu.
func (s *Server) begin(req *request) {
	s.running, s.interrupted = req, false
	s.runningCtx, s.stopRunning = context.WithCancel(s.ctx)
}

// openExecutor calls s.open, which starts the interpreter. If s.open panics, openExecutor returns the panic as an
// error.
func (s *Server) openExecutor() (exec Executor, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("start of the interpreter: panic: %v\n%s", r, debug.Stack())
			err = fmt.Errorf("the interpreter does not start: %v", r)
		}
	}()
	if exec, err = s.open(); err != nil {
		s.log.Printf("the interpreter does not start: %v", err)
	}
	return exec, err
}

// abort answers execute requests that will not run, with the status "aborted".
func (s *Server) abort(reqs []*request) {
	for _, req := range reqs {
		s.publish(req, "status", statusOf("busy"))
		s.reply(req, "execute_reply", map[string]any{"status": "aborted"})
		s.publish(req, "status", statusOf("idle"))
	}
}

// execute runs an execute request and returns the content of its reply. stopOnError reports whether an error of the
// cell aborts the queued execute requests. If openErr, the error of openExecutor, is not nil, the cell fails with it.
func (s *Server) execute(ctx context.Context, exec Executor, openErr error, req *request) (content map[string]any, stopOnError bool) {
	c := executeRequest{StoreHistory: true, AllowStdin: true, StopOnError: true}
	if err := decode(req, &c); err != nil {
		content = contentOf(err)
		content["execution_count"] = s.count
		return content, true
	}
	if strings.TrimSpace(c.Code) == "" {
		c.StoreHistory = false // an empty cell is neither stored nor counted
	}
	if !c.Silent && !req.begun {
		// A cell that is not stored in the history is shown under the next number, but does not use up that
		// number.
		if c.StoreHistory {
			s.count++
		}
		s.publish(req, "execute_input", map[string]any{"code": c.Code, "execution_count": s.shownCount(c)})
	}
	count := s.shownCount(c)
	remember := s.opt.History != nil && !c.Silent && c.StoreHistory
	if remember && !req.begun {
		s.opt.History.Add(count, c.Code)
	}
	out := &output{s: s, req: req, count: count, silent: c.Silent, allowStdin: c.AllowStdin}
	err := openErr
	if err == nil {
		err = s.runOrHandOver(ctx, exec, engine.Cell{Name: fmt.Sprintf("In[%d]", count), ID: s.cellOf(req, exec), Source: c.Code}, req, out)
	}
	out.close()
	if remember {
		s.opt.History.Output(count, out.resultText())
	}
	if err != nil {
		content = contentOf(err)
		s.publish(req, "error", map[string]any{
			"ename": content["ename"], "evalue": content["evalue"], "traceback": content["traceback"],
		})
		content["user_expressions"] = map[string]any{}
	} else {
		content = map[string]any{"status": "ok", "user_expressions": s.expressions(ctx, exec, c.UserExpressions)}
		out.close()
	}
	content["execution_count"] = count
	content["payload"] = append([]any{}, out.payload...)
	return content, c.StopOnError
}

// shownCount returns the execution count that the front end shows beside the cell.
func (s *Server) shownCount(c executeRequest) int {
	if c.Silent || c.StoreHistory {
		return s.count
	}
	return s.count + 1
}

// runCell calls exec.Execute. It returns a panic of the Executor as an error.
func (s *Server) runCell(ctx context.Context, exec Executor, cell engine.Cell, out kernel.Output) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("%s: panic: %v\n%s", cell.Name, r, debug.Stack())
			err = &engine.Error{Kind: engine.Internal, Message: fmt.Sprint(r)}
		}
	}()
	return exec.Execute(ctx, cell, out)
}

// expressions evaluates exprs, the user_expressions of an execute request, in the order of their names. It returns the
// reply's entry for each name: the value or the error.
func (s *Server) expressions(ctx context.Context, exec Executor, exprs map[string]string) map[string]any {
	values := make(map[string]any, len(exprs))
	for _, name := range slices.Sorted(maps.Keys(exprs)) {
		value, err := s.evaluate(ctx, exec, name, exprs[name])
		if err != nil {
			values[name] = contentOf(err)
			continue
		}
		values[name] = map[string]any{"status": "ok", "data": encodeData(value.Data), "metadata": s.metadata(value)}
	}
	return values
}

// evaluate evaluates the user expression expr, which has the given name.
func (s *Server) evaluate(ctx context.Context, exec Executor, name, expr string) (d display.Data, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("user_expressions[%s]: panic: %v\n%s", name, r, debug.Stack())
			err = &engine.Error{Kind: engine.Internal, Message: fmt.Sprint(r)}
		}
	}()
	return exec.Evaluate(ctx, expr)
}

// encodeMap returns m, or an empty object if m is nil.
func encodeMap(m map[string]any) any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
