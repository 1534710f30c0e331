package comm

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Message is the content of a comm_open, comm_msg or comm_close.
type Message struct {
	Data     json.RawMessage // an object, or empty
	Metadata json.RawMessage // metadata of the message; an object, or empty
	Buffers  [][]byte

	cause any // see HandleFrom
}

// An OutgoingMessage is a message for the Manager's send function to send on iopub.
type OutgoingMessage struct {
	Type     string // comm_open, comm_msg or comm_close
	Content  map[string]any
	Metadata map[string]any
	Buffers  [][]byte
	// Cause is the cause that HandleFrom received with the message being answered, or nil if this message is
	// not an answer.
	Cause any
}

// A Manager holds the targets and the open comms of one kernel. Its methods may
// be called by several goroutines.
type Manager struct {
	send func(OutgoingMessage)
	log  *log.Logger

	mu      sync.Mutex
	targets map[string]func(*Comm, Message) func()
	comms   map[string]*Comm
	last    int64
	prefix  string
}

// A Comm is one open communication channel.
type Comm struct {
	// ID is the comm's id, Target the name under which it was opened.
	ID, Target string

	m       *Manager
	order   sync.Mutex // held while sending, so that messages leave in the order of the calls
	mu      sync.Mutex
	receive func(Message) func()
	closed  func(Message) func()
	open    bool
}

// ErrClosed is the error of Send for a closed comm.
var ErrClosed = errors.New("comm: closed")

// New returns a Manager that sends messages by calling send, from any goroutine. The ids of comms opened by this
// Manager begin with prefix, which must differ from the prefixes of other kernels. Ignored messages are reported to
// logger, which may be nil.
func New(prefix string, send func(OutgoingMessage), logger *log.Logger) *Manager {
	if logger == nil {
		logger = log.New(discard{}, "", 0)
	}
	return &Manager{send: send, log: logger, prefix: prefix,
		targets: map[string]func(*Comm, Message) func(){}, comms: map[string]*Comm{}}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// Target makes the Manager call the given function whenever a front end opens a comm with this target name. If this
// call returns a function, that function runs later, between cells (see the package comment). If no function is given
// (nil), Target removes the target.
func (m *Manager) Target(name string, opened func(c *Comm, open Message) func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if opened == nil {
		delete(m.targets, name)
		return
	}
	m.targets[name] = opened
}

// NewID returns an id that no other comm has.
func (m *Manager) NewID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	return fmt.Sprintf("%s-%d", m.prefix, m.last)
}

// Open opens a comm to the given target of the front end. id is a result of NewID; if it is "", Open calls NewID
// itself. Open returns an error if data or metadata cannot be encoded as JSON, or if a comm with this id is already
// open.
func (m *Manager) Open(target, id string, data, metadata map[string]any, buffers ...[]byte) (*Comm, error) {
	raw, err := object(data)
	if err != nil {
		return nil, err
	}
	if _, err := json.Marshal(metadata); err != nil {
		return nil, fmt.Errorf("comm: %w", err)
	}
	if id == "" {
		id = m.NewID()
	}
	c := &Comm{ID: id, Target: target, m: m, open: true}
	c.order.Lock()
	defer c.order.Unlock()
	m.mu.Lock()
	if m.comms[id] != nil {
		m.mu.Unlock()
		return nil, fmt.Errorf("comm: %s is already open", id)
	}
	m.comms[id] = c
	m.mu.Unlock()
	m.send(OutgoingMessage{Type: "comm_open", Metadata: metadata, Buffers: buffers,
		Content: map[string]any{"comm_id": id, "target_name": target, "data": raw}})
	return c, nil
}

// object encodes data as JSON immediately, so that the caller may modify data later. It encodes nil as an empty
// object.
func object(data map[string]any) (json.RawMessage, error) {
	if data == nil {
		return json.RawMessage("{}"), nil
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("comm: %w", err)
	}
	return raw, nil
}

// Receive makes the comm call f for each message. If f returns a function, that function runs later, between cells
// (see the package comment).
func (c *Comm) Receive(f func(Message) func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.receive = f
}

// Closed makes the comm call f when the front end closes the comm. If f returns a function, that function runs later,
// between cells (see the package comment).
func (c *Comm) Closed(f func(Message) func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = f
}

// Send sends data to the front end, as a JSON object. It returns an error if data cannot be encoded, and ErrClosed if
// the comm is closed.
func (c *Comm) Send(data map[string]any, buffers ...[]byte) error {
	return c.post("comm_msg", data, buffers, nil)
}

// Answer is like Send, and marks data as the answer to msg. Some front ends wait for an answer to each of their
// messages, and recognize the answer by the id of the message that it answers.
func (c *Comm) Answer(msg Message, data map[string]any, buffers ...[]byte) error {
	return c.post("comm_msg", data, buffers, msg.cause)
}

// Close tells the front end that the comm is closed, and removes the comm from its Manager. It returns ErrClosed if
// the comm was closed before.
func (c *Comm) Close() error {
	err := c.post("comm_close", nil, nil, nil)
	c.end()
	return err
}

func (c *Comm) post(typ string, data map[string]any, buffers [][]byte, cause any) error {
	raw, err := object(data)
	if err != nil {
		return err
	}
	c.order.Lock()
	defer c.order.Unlock()
	c.mu.Lock()
	open := c.open
	c.mu.Unlock()
	if !open {
		return ErrClosed
	}
	c.m.send(OutgoingMessage{Type: typ, Content: map[string]any{"comm_id": c.ID, "data": raw}, Buffers: buffers, Cause: cause})
	return nil
}

// end removes the comm from its Manager.
func (c *Comm) end() {
	c.mu.Lock()
	c.open = false
	c.mu.Unlock()
	c.m.mu.Lock()
	if c.m.comms[c.ID] == c {
		delete(c.m.comms, c.ID)
	}
	c.m.mu.Unlock()
}

// Info returns the target names of the open comms by id, in the form of a
// comm_info_reply. Unless target is "", it returns only the comms of that target.
func (m *Manager) Info(target string) map[string]any {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := map[string]any{}
	for id, c := range m.comms {
		if target == "" || c.Target == target {
			list[id] = map[string]string{"target_name": c.Target}
		}
	}
	return list
}

// Handle handles a comm_open, comm_msg or comm_close from a front end. If the returned function is not nil,
// the caller must call it on the goroutine that runs cells. Handle returns an error for malformed content.
func (m *Manager) Handle(msgType string, content, metadata json.RawMessage, buffers [][]byte) (then func(), err error) {
	return m.HandleFrom(nil, msgType, content, metadata, buffers)
}

// HandleFrom is like Handle, for a caller that must know which message an answer belongs to. cause identifies the
// incoming message, and becomes the Cause of each OutgoingMessage that Comm.Answer sends for this message.
func (m *Manager) HandleFrom(cause any, msgType string, content, metadata json.RawMessage, buffers [][]byte) (then func(), err error) {
	var in struct {
		ID     string          `json:"comm_id"`
		Target string          `json:"target_name"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(content, &in); err != nil {
		return nil, fmt.Errorf("malformed %s: %w", msgType, err)
	}
	if in.ID == "" {
		return nil, fmt.Errorf("malformed %s: no comm_id", msgType)
	}
	msg := Message{Data: in.Data, Metadata: metadata, Buffers: buffers, cause: cause}
	if msgType == "comm_open" {
		return m.open(in.ID, in.Target, msg), nil
	}
	m.mu.Lock()
	c := m.comms[in.ID]
	m.mu.Unlock()
	if c == nil {
		m.log.Printf("%s for a comm that is not open was ignored", msgType)
		return nil, nil
	}
	c.mu.Lock()
	f := c.receive
	if msgType == "comm_close" {
		f = c.closed
	}
	c.mu.Unlock()
	if msgType == "comm_close" {
		c.end()
	}
	if f == nil {
		return nil, nil
	}
	return m.guard(msgType, func() func() { return f(msg) }), nil
}

// open creates the comm that a front end has opened. If its target is unknown, open closes the comm
// again, as the protocol requires.
func (m *Manager) open(id, target string, msg Message) (then func()) {
	m.mu.Lock()
	f := m.targets[target]
	if f == nil {
		f = defaultHandler(target)
	}
	c := &Comm{ID: id, Target: target, m: m, open: true}
	if f == nil || m.comms[id] != nil {
		known := f != nil
		m.mu.Unlock()
		if known {
			m.log.Printf("comm_open of %s, which is already open, was ignored", id)
			return nil
		}
		m.log.Printf("comm_open for the unknown target %q: the comm was closed", target)
		m.send(OutgoingMessage{Type: "comm_close", Content: map[string]any{"comm_id": id, "data": map[string]any{}}})
		return nil
	}
	m.comms[id] = c
	m.mu.Unlock()
	return m.guard("comm_open", func() func() { return f(c, msg) })
}

// guard calls f and returns its result. If f panics, guard logs the panic with the given description, and returns nil.
func (m *Manager) guard(what string, f func() func()) (then func()) {
	defer func() {
		if r := recover(); r != nil {
			m.log.Printf("%s: panic: %v\n%s", what, r, debug.Stack())
			then = nil
		}
	}()
	return f()
}

var defaults struct {
	sync.Mutex
	targets map[string]func(*Comm, Message) func()
}

// Default registers a target as Target does, but for every Manager, including later ones. A Manager's own target of the
// same name takes precedence. Packages call Default in init.
func Default(name string, opened func(c *Comm, open Message) func()) {
	defaults.Lock()
	defer defaults.Unlock()
	if defaults.targets == nil {
		defaults.targets = map[string]func(*Comm, Message) func(){}
	}
	defaults.targets[name] = opened
}

func defaultHandler(name string) func(*Comm, Message) func() {
	defaults.Lock()
	defer defaults.Unlock()
	return defaults.targets[name]
}

var current atomic.Pointer[Manager]

// Attach makes m the manager of the process and returns the previous one. A nil m leaves the process without
// a manager.
func Attach(m *Manager) (previous *Manager) { return current.Swap(m) }

// Current returns the manager of the process, or nil if the process serves no front end.
func Current() *Manager { return current.Load() }
