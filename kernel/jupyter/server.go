package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/history"
	"overcomplete/kernel/internal/dap"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
	"overcomplete/ui/comm"
	"overcomplete/ui/display"
	"overcomplete/ui/widget"
)

// An Executor runs cells. *kernel.Kernel implements it.
type Executor interface {
	// Execute runs a cell to its end and passes all its output to the Output out, in order, before it
	// returns. It stops the cell when ctx is done. Calls do not overlap.
	Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error
	// Evaluate evaluates an expression without showing what the expression prints. It is used for
	// user_expressions.
	Evaluate(ctx context.Context, expression string) (display.Data, error)
	// Call runs a function like a cell: the function's output goes to the Output out, the end of ctx stops the
	// function, and a panic is returned as an error. It is used for callbacks of comms (widgets).
	Call(ctx context.Context, f func(), out kernel.Output) error
}

// A Stopper is an Executor that can end the goroutines that earlier cells have left running. The server calls
// it when an interrupt arrives while no cell runs.
type Stopper interface {
	StopGoroutines()
}

// A Debuggable is an Executor with a debugger for its cells. Debugger returns nil if there is no debugger.
type Debuggable interface {
	Debugger() engine.Debugger
}

// A Lender is an Executor that has redirected the standard streams of the process. Lend restores the streams
// for a program that will replace this one. The returned function takeBack redirects them again.
type Lender interface {
	Lend() (takeBack func() error, err error)
}

// A Completion is the answer to a complete_request.
type Completion struct {
	Matches []string
	// Start and End delimit the text that a match replaces, in runes of the
	// code.
	Start, End int
	// Types holds the kind of each match ("function", "type"...), or is nil if the kinds are unknown.
	Types []string
}

// A Handler answers requests of one message type. It returns the content of the
// reply. An error becomes a reply with status "error".
type Handler func(ctx context.Context, content json.RawMessage) (reply map[string]any, err error)

// Options are the options of a Server. The zero value is ready to use.
type Options struct {
	// Version is the version of the kernel. An empty version means "dev".
	Version string
	// Log receives messages about dropped, refused or unknown messages. If Log is nil, these messages are
	// discarded.
	Log *log.Logger
	// Status reports whether a cell is complete ("complete", "incomplete", "invalid", "unknown") and
	// returns the indentation of the next line. If Status is nil, the answer is "unknown".
	Status func(src string) (status, indent string)
	// Complete and Inspect answer requests for completion and inspection. They may be called while a cell
	// runs. The parameter cursor counts runes. If Complete is nil, there are no matches; if Inspect is nil,
	// nothing is found.
	Complete func(ctx context.Context, code string, cursor int) (Completion, error)
	Inspect  func(ctx context.Context, code string, cursor, detail int) (d display.Data, found bool, err error)
	// History records the executed cells and answers history requests. If History is nil, nothing is recorded.
	History *history.History
	// Handlers answer further message types of the shell channel. They take precedence over the answers of this
	// package, except for execute_request, interrupt_request and shutdown_request.
	Handlers map[string]Handler
	// Resuming returns the command line with which another program resumes a server. That program reads the file with
	// ReadHandover. If Resuming is nil, no program replaces this one.
	Resuming func(program, file string) []string
	// Resumed is the state that another program has handed over, or nil. If it is not nil, the channels must
	// come from wire.Resume or wire.ResumePipes.
	Resumed *Handover
	// Notebook is the notebook file that the front end shows, or the folder of the notebook, or "".
	Notebook string
	// Debugger says that the Executor is a Debuggable. Front ends are told about the debugger before the Executor has
	// started.
	Debugger bool
	// Sign, if not nil, is called with the representations of each output before it is published.
	Sign func(data map[string]any) error
	// Interrupts, if not nil, provides interrupt signals. While Run runs, each signal calls Interrupt.
	Interrupts *Interrupts
}

// A Server serves one kernel's front ends.
type Server struct {
	channels Channels
	session  string
	open     func() (Executor, error)
	opt      Options
	log      *log.Logger

	ctx    context.Context // ends when the server stops
	cancel context.CancelFunc

	mu          sync.Mutex
	cond        sync.Cond // signals that queue or stopping has changed
	queue       []*request
	running     *request
	stopRunning context.CancelFunc
	interrupted bool // an interrupt has arrived since the running request began
	stopper     Stopper
	stopping    bool
	restart     bool

	pub    sync.Mutex // orders the published messages
	atWork *request   // the request for which the worker last published busy; nil when idle

	debug      *dap.Adapter // nil without a debugger
	debugCause *request     // parent of debug events; guarded by pub

	inputs inputs
	comms  *comm.Manager
	cause  *request // parent of comm messages that answer no message; guarded by pub

	count int // number of executed cells; used by the worker only

	runningCtx context.Context // context of running
	resumed    *request        // the running request, if another program has started it and the worker has not yet continued it
}

// A request is a message with the channel on which it arrived.
type request struct {
	*wire.Message
	from Channel
	then func() // callback of a comm message, called by the worker; nil for an execute request
	busy bool   // status busy has been published for this request
	// begun means that another program has started the cell. That program has counted the cell and published
	// its input.
	begun bool
	// metadata is the metadata of the reply, or nil.
	metadata json.RawMessage
}

// New returns a Server for the channels. session is the id that the headers of the server's messages contain.
// newExecutor() starts the interpreter; the server calls it once, in the goroutine that runs the cells, so that front
// ends get answers meanwhile. If newExecutor fails, every cell fails with the error of newExecutor. New panics if
// opt.Resuming or opt.Resumed is set although the channels cannot be handed over.
func New(channels Channels, session string, newExecutor func() (Executor, error), opt Options) *Server {
	if channels.Hold == nil && (opt.Resuming != nil || opt.Resumed != nil) {
		panic("jupyter: these channels cannot be handed over")
	}
	if opt.Version == "" {
		opt.Version = "dev"
	}
	if opt.Log == nil {
		opt.Log = log.New(io.Discard, "", 0)
	}
	s := &Server{channels: channels, session: session, open: newExecutor, opt: opt, log: opt.Log}
	s.cond.L = &s.mu
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.comms = comm.New("comm-"+session, s.sendComm, opt.Log)
	if opt.Debugger {
		s.debug = s.newDebug()
	}
	if opt.Resumed != nil {
		s.resume(opt.Resumed)
	}
	return s
}

// Comms returns the manager of the comms with the front ends.
func (s *Server) Comms() *comm.Manager { return s.comms }

// Run serves until a front end asks for a shutdown or ctx is done, and then closes the channels. It reports whether the
// front end will restart the kernel. A cell that does not stop when asked to is abandoned after two seconds. Until Run
// returns, comm.Current returns the manager of this server's comms.
func (s *Server) Run(ctx context.Context) (restart bool) {
	defer comm.Attach(comm.Attach(s.comms))
	if s.opt.Notebook != "" {
		widget.SetEarlier(s.savedControls)
		defer widget.SetEarlier(nil)
	}
	defer collectLess()()
	var readers sync.WaitGroup
	worker := make(chan struct{})
	if s.opt.Resumed == nil {
		s.publish(nil, "status", map[string]any{"execution_state": "starting"})
	}
	readers.Go(func() { s.read(s.channels.Shell, s.shell) })
	readers.Go(func() { s.read(s.channels.Control, s.control) })
	readers.Go(func() { s.read(s.channels.Stdin, s.stdin) })
	if s.opt.Interrupts != nil {
		go s.opt.Interrupts.pass(s.Interrupt)
	}
	go func() {
		defer close(worker)
		s.work()
	}()

	select {
	case <-ctx.Done():
		s.stop(false)
	case <-s.ctx.Done():
	}
	if s.debug != nil {
		s.debug.Close() // a held cell continues, and ends
	}
	select {
	case <-worker:
	case <-time.After(2 * time.Second):
		s.log.Print("shutdown: the running cell does not stop, and is abandoned")
	}
	s.channels.Close()
	readers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restart
}

// stop ends the running cell and makes Run return the given value.
func (s *Server) stop(restart bool) {
	s.mu.Lock()
	s.stopping = true
	s.restart = restart
	if s.stopRunning != nil {
		s.stopRunning()
	}
	s.cond.Broadcast()
	s.mu.Unlock()
	s.cancel()
}

// Interrupt stops the running cell and aborts the waiting cells. It does not wait for the cell to end. If no cell runs
// and the Executor is a Stopper, Interrupt ends the goroutines that earlier cells have left running. If a cell is
// stopped in the debugger and the user waits for the debugger to evaluate an expression, Interrupt ends only that
// evaluation.
func (s *Server) Interrupt() {
	if s.debug != nil && s.debug.Interrupt() {
		return // a debugger was evaluating an expression in a held cell
	}
	s.mu.Lock()
	if s.running != nil {
		s.interrupted = true
		s.stopRunning() // the worker aborts the waiting cells after its own reply
		s.mu.Unlock()
		return
	}
	rest := s.takeExecutes() // these cells are waiting for the interpreter to start
	stopper := s.stopper
	s.mu.Unlock()
	s.abort(rest)
	if stopper != nil {
		stopper.StopGoroutines()
	}
}

func (s *Server) read(from Channel, do func(*request)) {
	for {
		m, err := from.Recv()
		if err != nil {
			return
		}
		do(&request{Message: m, from: from})
	}
}

// shell queues execute requests, passes comm messages to their Manager, and replies to all other requests at
// once.
func (s *Server) shell(req *request) {
	switch req.Header.MsgType {
	case "execute_request":
	case "debug_request":
		s.control(req)
		return
	case "comm_open", "comm_msg", "comm_close":
		if s.opt.Handlers[req.Header.MsgType] == nil {
			s.comm(req)
			return
		}
		fallthrough
	default:
		s.answer(req)
		return
	}
	s.mu.Lock()
	s.queue = append(s.queue, req)
	s.cond.Broadcast()
	s.mu.Unlock()
}

// control replies to requests on the control channel. It replies to debug requests asynchronously.
func (s *Server) control(req *request) {
	if req.Header.MsgType == "debug_request" && s.debug != nil && s.opt.Handlers["debug_request"] == nil {
		s.debugRequest(req)
		return
	}
	s.answer(req)
}

// publish sends a message of type msgType to all front ends, on the IOPub channel. The parent is the request to which
// the message belongs, or nil.
func (s *Server) publish(parent *request, msgType string, content any) {
	s.pub.Lock()
	defer s.pub.Unlock()
	s.publishLocked(parent, msgType, content)
}

func (s *Server) publishLocked(parent *request, msgType string, content any) {
	s.sendLocked(parent, msgType, content, nil, nil)
}

func (s *Server) sendLocked(parent *request, msgType string, content any, metadata map[string]any, buffers [][]byte) {
	raw, err := wire.Marshal(content)
	if err != nil {
		s.log.Printf("%s not sent: %v", msgType, err)
		return
	}
	m := &wire.Message{
		Identities: [][]byte{[]byte("kernel." + s.session + "." + msgType)},
		Header:     wire.NewHeader(s.session, "kernel", msgType),
		Content:    raw,
		Buffers:    buffers,
	}
	if metadata != nil {
		if m.Metadata, err = wire.Marshal(metadata); err != nil {
			s.log.Printf("%s not sent: metadata: %v", msgType, err)
			return
		}
	}
	if parent != nil {
		m.ParentHeader = parent.RawHeader
		m.Header.Username = parent.Header.Username
	}
	if err := s.channels.IOPub.Send(m); err != nil {
		s.log.Printf("%s not sent: %v", msgType, err)
	}
}

func statusOf(state string) map[string]any { return map[string]any{"execution_state": state} }

// reply sends the reply to req on the channel on which req arrived.
func (s *Server) reply(req *request, msgType string, content any) {
	raw, err := wire.Marshal(content)
	if err != nil {
		s.log.Printf("%s: %v", msgType, err)
		raw, _ = wire.Marshal(errorContent("InternalError", err.Error(), nil))
	}
	err = req.from.Send(&wire.Message{
		Identities:   req.Identities,
		Header:       wire.NewHeader(s.session, req.Header.Username, msgType),
		ParentHeader: req.RawHeader,
		Metadata:     req.metadata,
		Content:      raw,
	})
	if err != nil {
		s.log.Printf("%s not sent: %v", msgType, err)
	}
}

// errorContent returns the fields that error replies and error messages have in common.
func errorContent(ename, evalue string, traceback []string) map[string]any {
	if traceback == nil {
		traceback = []string{ename + ": " + evalue}
	}
	return map[string]any{"status": "error", "ename": ename, "evalue": evalue, "traceback": traceback}
}

func contentOf(err error) map[string]any {
	var e *engine.Error
	if errors.As(err, &e) {
		return errorContent(string(e.Kind), e.Message, e.ANSI())
	}
	return errorContent("Error", err.Error(), nil)
}

// replyType returns the type of the reply to a message, or "" if the message gets no reply.
func replyType(msgType string) string {
	base, isRequest := strings.CutSuffix(msgType, "_request")
	if isRequest {
		return base + "_reply"
	}
	if _, isReply := strings.CutSuffix(msgType, "_reply"); isReply {
		return "" // replies to replies would never end
	}
	switch msgType {
	case "comm_open", "comm_msg", "comm_close": // one-way messages
		return ""
	}
	return msgType + "_reply"
}

// answer handles a request at once, without the worker. It sends status busy, then the reply, then status idle.
func (s *Server) answer(req *request) {
	s.publish(req, "status", statusOf("busy"))
	shutdown, restart := false, false
	typ := replyType(req.Header.MsgType)
	content := func() (content map[string]any) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Printf("%s: panic: %v\n%s", req.Header.MsgType, r, debug.Stack())
				content = errorContent("InternalError", fmt.Sprint(r), nil)
			}
		}()
		if req.Header.MsgType == "shutdown_request" {
			var c struct {
				Restart bool `json:"restart"`
			}
			json.Unmarshal(req.Content, &c) // a shutdown request shuts down, whatever its content
			shutdown, restart = true, c.Restart
			return map[string]any{"status": "ok", "restart": c.Restart}
		}
		content, err := s.content(req)
		if err != nil {
			return contentOf(err)
		}
		if content != nil && content["status"] == nil {
			content["status"] = "ok"
		}
		return content
	}()
	if typ != "" && content != nil {
		s.reply(req, typ, content)
	}
	if shutdown {
		s.publish(req, typ, content) // the other front ends must be told too
	}
	s.idle(req)
	if shutdown {
		s.stop(restart)
	}
}

// idle publishes the status idle for a request that the worker did not handle. If the worker is handling another
// request, idle then publishes the status busy for that request.
func (s *Server) idle(req *request) {
	s.pub.Lock()
	defer s.pub.Unlock()
	s.publishLocked(req, "status", statusOf("idle"))
	if s.atWork != nil {
		s.publishLocked(s.atWork, "status", statusOf("busy"))
	}
}

// decode decodes the content of a request.
func decode(req *request, into any) error {
	if err := json.Unmarshal(req.Content, into); err != nil {
		return fmt.Errorf("malformed %s: %w", req.Header.MsgType, err)
	}
	return nil
}

// content returns the content of the reply to req, or nil if req gets no reply.
func (s *Server) content(req *request) (map[string]any, error) {
	if h := s.opt.Handlers[req.Header.MsgType]; h != nil && req.Header.MsgType != "interrupt_request" {
		return h(s.ctx, req.Content)
	}
	switch req.Header.MsgType {
	case "kernel_info_request":
		return s.info(), nil

	case "interrupt_request":
		s.Interrupt()
		return map[string]any{}, nil

	case "is_complete_request":
		var c struct {
			Code string `json:"code"`
		}
		if err := decode(req, &c); err != nil {
			return nil, err
		}
		if s.opt.Status == nil {
			return map[string]any{"status": "unknown"}, nil
		}
		status, indent := s.opt.Status(c.Code)
		content := map[string]any{"status": status}
		if status == "incomplete" {
			content["indent"] = indent
		}
		return content, nil

	case "complete_request":
		var c struct {
			Code   string `json:"code"`
			Cursor int    `json:"cursor_pos"`
		}
		if err := decode(req, &c); err != nil {
			return nil, err
		}
		r := Completion{Start: c.Cursor, End: c.Cursor}
		if s.opt.Complete != nil {
			var err error
			if r, err = s.opt.Complete(s.ctx, c.Code, c.Cursor); err != nil {
				return nil, err
			}
		}
		metadata := map[string]any{}
		if len(r.Types) > 0 && len(r.Types) == len(r.Matches) {
			// JupyterLab and VS Code show the kinds beside the matches. VS Code shows them only if each kind
			// comes with a text. JupyterLab sorts by these texts if there are any, otherwise by the matches.
			types := make([]map[string]any, len(r.Types))
			for i, t := range r.Types {
				types[i] = map[string]any{"text": r.Matches[i], "type": t, "start": r.Start, "end": r.End}
			}
			metadata["_jupyter_types_experimental"] = types
		}
		if r.Matches == nil {
			r.Matches = []string{}
		}
		return map[string]any{"matches": r.Matches, "cursor_start": r.Start, "cursor_end": r.End, "metadata": metadata}, nil

	case "inspect_request":
		var c struct {
			Code   string `json:"code"`
			Cursor int    `json:"cursor_pos"`
			Detail int    `json:"detail_level"`
		}
		if err := decode(req, &c); err != nil {
			return nil, err
		}
		var d display.Data
		found := false
		if s.opt.Inspect != nil {
			var err error
			if d, found, err = s.opt.Inspect(s.ctx, c.Code, c.Cursor, c.Detail); err != nil {
				return nil, err
			}
		}
		return map[string]any{"found": found, "data": encodeData(d.Data), "metadata": s.metadata(d)}, nil

	case "history_request":
		if s.opt.History == nil {
			return map[string]any{"history": []any{}}, nil
		}
		entries, err := s.opt.History.Answer(req.Content)
		if err != nil {
			return nil, err
		}
		return map[string]any{"history": entries}, nil

	case "comm_info_request":
		var c struct {
			Target string `json:"target_name"`
		}
		if err := decode(req, &c); err != nil {
			return nil, err
		}
		return map[string]any{"comms": s.comms.Info(c.Target)}, nil

	case "comm_open", "comm_msg", "comm_close": // on the control channel, where comm messages do not belong
		s.log.Printf("%s belongs on the shell channel, and was ignored", req.Header.MsgType)
		return nil, nil

	case "debug_request":
		// The content is a request of the Debug Adapter Protocol, and the content of the reply is the
		// protocol's response.
		var c struct {
			Seq     int    `json:"seq"`
			Command string `json:"command"`
		}
		if err := decode(req, &c); err != nil {
			return nil, err
		}
		return map[string]any{"type": "response", "request_seq": c.Seq, "success": false,
			"command": c.Command, "message": "this kernel has no debugger", "status": "error"}, nil

	case "execute_request": // on the control channel, where execute requests do not belong
		return errorContent("RequestError", "execute_request belongs on the shell channel", nil), nil
	}
	s.log.Printf("unknown message type %q", req.Header.MsgType)
	return errorContent("RequestError", fmt.Sprintf("message type %q is not known to this kernel", req.Header.MsgType), nil), nil
}

// info returns the content of a kernel_info_reply.
func (s *Server) info() map[string]any {
	features := []string{}
	if s.opt.Debugger {
		features = append(features, "debugger")
	}
	return map[string]any{
		"protocol_version":       wire.ProtocolVersion,
		"implementation":         "overcomplete",
		"implementation_version": s.opt.Version,
		"language_info":          notebook.LanguageInfo(),
		"banner":                 fmt.Sprintf("overcomplete %s: Go notebooks (%s, %s/%s)", s.opt.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH),
		"debugger":               s.opt.Debugger,
		"help_links": []map[string]string{
			{"text": "Go", "url": "https://go.dev/doc/"},
			{"text": "Go packages", "url": "https://pkg.go.dev/"},
			{"text": "Gonum", "url": "https://www.gonum.org/"},
		},
		"supported_features": features,
	}
}
