package jupyter

import (
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/dap"
	"overcomplete/ui/display"
)

// newDebug returns the adapter that answers debug requests. The events that it publishes have the last debug
// request as their parent.
func (s *Server) newDebug() *dap.Adapter {
	return dap.New(dap.Options{
		Send: func(event any) {
			s.pub.Lock()
			defer s.pub.Unlock()
			s.publishLocked(s.debugCause, "debug_event", event)
		},
		Bundle: func(d display.Data) (data, metadata any) { return encodeData(d.Data), s.metadata(d) },
		Log:    s.log,
	})
}

// serveDebug passes exec's debugger, if any, to the debug adapter. It is called when the interpreter has started.
func (s *Server) serveDebug(exec Executor) {
	if s.debug == nil {
		return
	}
	var d engine.Debugger
	if x, ok := exec.(Debuggable); ok {
		d = x.Debugger()
	}
	s.debug.Serve(d)
}

// debugRequest answers a debug_request, even while a cell runs or is stopped in the debugger.
func (s *Server) debugRequest(req *request) {
	s.pub.Lock()
	s.publishLocked(req, "status", statusOf("busy"))
	s.debugCause = req
	s.pub.Unlock()
	s.debug.Handle(req.Content, func(response any) {
		s.reply(req, "debug_reply", response)
		s.idle(req)
	})
}
