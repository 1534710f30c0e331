// Package history records the executed cells of this session and earlier ones, and answers the protocol's
// history requests.
//
// # Files
//
// Each session appends to its own file, so that kernels that run at the same time never write to the same file:
//
//	DIR/00000042.jsonl   {"line":1,"source":"x := 6"}
//	                     {"line":1,"output":"6"}
//
// The number identifies the session. The session chooses a number when its first cell runs, by creating a file
// that must not exist yet. Each record is one line, appended in one write. So a killed kernel loses no cell
// that it has run. At worst it leaves an incomplete last line, which readers skip.
//
// Only the user who owns the folder and the files can read them. Cells may contain passwords. With
// OVERCOMPLETE_HISTORY=off everything stays in memory, and no file is touched.
//
// # Bounds
//
// A new session removes the oldest files until at most 500 files and 32 MB are left. A session stops writing
// when its file reaches 4 MB, and keeps the latest 32 MB of its cells in memory. A cell is truncated at 256
// kB, an output at 16 kB. A file that cannot be written does not fail the cell: the session continues in
// memory.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// The limits described in the package comment.
const (
	maxSessions     = 500
	maxTotalBytes   = 32 << 20
	maxSessionBytes = 4 << 20
	maxSource       = 256 << 10
	maxOutput       = 16 << 10
)

// maxOwnBytes is the largest size of this session's cells in memory; older cells are dropped.
var maxOwnBytes = maxTotalBytes

// Switch names an environment variable. If the variable's value is off, 0, no or false, the history is only kept in
// memory.
const Switch = "OVERCOMPLETE_HISTORY"

// An Entry is one executed cell.
type Entry struct {
	Session int
	Line    int // the cell's execution count
	Source  string
	Output  string // the cell's result as plain text, or ""
}

// A History is the history of one session, with access to earlier sessions. Its
// methods may be called by several goroutines. It must not be copied.
type History struct {
	mu      sync.Mutex
	dir     string // "" for memory only
	file    *os.File
	session int // 0 until the first cell
	written int
	own     []Entry
	held    int     // size of own in bytes
	past    []Entry // entries of earlier sessions, oldest first
	loaded  bool
}

// Dir returns the folder of the current user's histories, or "" if the user's data folder is unknown.
func Dir() string {
	var base string
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "windows":
		base = os.Getenv("LOCALAPPDATA")
	case "darwin":
		if home != "" {
			base = filepath.Join(home, "Library", "Application Support")
		}
	default:
		if base = os.Getenv("XDG_DATA_HOME"); !filepath.IsAbs(base) {
			base = ""
			if home != "" {
				base = filepath.Join(home, ".local", "share")
			}
		}
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "overcomplete", "history")
}

// New returns the history of a new session. Its files are in dir; if dir is "", the history is only in
// memory. It opens no file before the first cell or request.
func New(dir string) *History { return &History{dir: dir} }

// Off reports whether the environment variable Switch turns history files off.
func Off() bool {
	switch strings.ToLower(os.Getenv(Switch)) {
	case "off", "0", "no", "false":
		return true
	}
	return false
}

// ForUser returns New(Dir()), or New("") if the environment variable Switch turns history files off.
func ForUser() *History {
	if Off() {
		return New("")
	}
	return New(Dir())
}

// record is one line of a file.
type record struct {
	Line   int     `json:"line"`
	Source *string `json:"source,omitempty"`
	Output string  `json:"output,omitempty"`
}

// Add records a cell that is about to run.
func (h *History) Add(line int, source string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	source = cut(source, maxSource)
	h.own = append(h.own, Entry{Session: h.session, Line: line, Source: source})
	h.hold(len(source))
	h.write(record{Line: line, Source: &source})
}

// Output records the result of a cell that was recorded by Add.
func (h *History) Output(line int, text string) {
	if text == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.own) - 1; i >= 0; i-- {
		if h.own[i].Line == line {
			text = cut(text, maxOutput)
			h.write(record{Line: line, Output: text})
			h.own[i].Output = text
			h.hold(len(text))
			return
		}
	}
}

// hold records that the list h.own has grown by n bytes, and drops its oldest cells if the list has become
// too large.
func (h *History) hold(n int) {
	h.held += n
	k := 0
	for ; h.held > maxOwnBytes && k < len(h.own)-1; k++ {
		h.held -= len(h.own[k].Source) + len(h.own[k].Output)
	}
	if k > 0 {
		h.own = slices.Clone(h.own[k:]) // a subslice would keep the dropped cells in memory
	}
}

// cut shortens text to at most n bytes without splitting a rune.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// begin chooses a number for the session and, if there is a folder, creates the session's file.
func (h *History) begin() {
	if h.session > 0 {
		return
	}
	h.session = 1
	if h.dir == "" {
		return
	}
	if err := h.create(); err != nil {
		h.dir = "" // continue in memory
	}
}

func (h *History) create() error {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(h.dir, 0o700); err != nil { // an existing folder may have other permissions
		return err
	}
	files, err := sessions(h.dir)
	if err != nil {
		return err
	}
	if n := len(files); n > 0 {
		h.session = files[n-1].number + 1
	}
	prune(h.dir, files)
	for range 1000 { // another session that starts now may take the same number
		f, err := os.OpenFile(h.path(h.session), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			h.file = f
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		h.session++
	}
	return fmt.Errorf("history: no free number in %s", h.dir)
}

func (h *History) path(session int) string {
	return filepath.Join(h.dir, fmt.Sprintf("%08d.jsonl", session))
}

func (h *History) write(r record) {
	if h.file == nil {
		return
	}
	line, err := json.Marshal(r)
	if err != nil || h.written+len(line) > maxSessionBytes {
		return
	}
	h.written += len(line) + 1
	if _, err := h.file.Write(append(line, '\n')); err != nil {
		h.file.Close()
		h.file = nil
	}
}

// Close closes the session's file.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	err := h.file.Close()
	h.file = nil
	return err
}

type sessionFile struct {
	number int
	size   int64
}

// sessions lists the files of dir, oldest first.
func sessions(dir string) ([]sessionFile, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []sessionFile
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		n, err := strconv.Atoi(name)
		if !ok || err != nil || n < 1 || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // the file was removed after the folder was read
		}
		files = append(files, sessionFile{n, info.Size()})
	}
	slices.SortFunc(files, func(a, b sessionFile) int { return a.number - b.number })
	return files, nil
}

// prune removes the oldest of the given files, which are in dir, until the limits on their number and total size leave
// room for another file. A kernel that is still writing to a removed file does not notice.
func prune(dir string, files []sessionFile) {
	var total int64
	for _, f := range files {
		total += f.size
	}
	for len(files) > 0 && (len(files) >= maxSessions || total > maxTotalBytes-maxSessionBytes) {
		os.Remove(filepath.Join(dir, fmt.Sprintf("%08d.jsonl", files[0].number)))
		total -= files[0].size
		files = files[1:]
	}
}

// all returns the entries of the earlier sessions, followed by the entries of this session. It reads the files of the
// other sessions only on its first call, so cells that another session records later are missing.
func (h *History) all() []Entry {
	if !h.loaded {
		h.loaded = true
		h.load()
	}
	return append(slices.Clone(h.past), h.own...)
}

func (h *History) load() {
	if h.dir == "" {
		return
	}
	files, err := sessions(h.dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if f.number == h.session || f.size > 2*maxSessionBytes {
			continue
		}
		data, err := os.ReadFile(h.path(f.number))
		if err != nil {
			continue
		}
		h.past = append(h.past, parse(f.number, string(data))...)
	}
}

// parse parses the records in a file, and skips malformed lines.
func parse(session int, data string) []Entry {
	var list []Entry
	for line := range strings.Lines(data) {
		var r record
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		if r.Source != nil {
			list = append(list, Entry{Session: session, Line: r.Line, Source: *r.Source})
		} else if n := len(list); n > 0 && list[n-1].Line == r.Line {
			list[n-1].Output = r.Output
		}
	}
	return list
}

// A State holds everything that another program needs to continue a session's history.
type State struct {
	Dir     string
	Session int
	Written int     // size of the session's file in bytes
	Own     []Entry // the session's cells
}

// State returns the state of h. At most one program may continue from a State.
func (h *History) State() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return State{Dir: h.dir, Session: h.session, Written: h.written, Own: slices.Clone(h.own)}
}

// Resume continues a session that another program has begun. If the session's file no longer exists, the
// history continues in memory.
func Resume(st State) *History {
	h := New(st.Dir)
	if st.Session < 1 {
		return h
	}
	h.session, h.written, h.own = st.Session, st.Written, st.Own
	for _, e := range h.own {
		h.held += len(e.Source) + len(e.Output)
	}
	if h.dir != "" {
		if f, err := os.OpenFile(h.path(h.session), os.O_WRONLY|os.O_APPEND, 0); err == nil {
			h.file = f
		}
	}
	return h
}
