package live

import (
	"context"
	"net"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"testing"

	"golang.org/x/time/rate"
)

// A fault is a way in which the server fails for a file.
type fault int

const (
	missing fault = iota + 1 // the server answers 404
	cut                      // the connection ends in the middle of the file
)

// A site serves a folder of files under /course/, as any host does, and nothing else.
type site struct {
	t       *testing.T
	folder  string
	address string
	limit   *rate.Limiter // limit in bytes per second; nil for no limit

	mu     sync.Mutex
	faults map[string]fault // keyed by a prefix of the file name
	asked  []string
	server *http.Server
}

// serveSite serves the test's pages until the test ends. All connections share a rate in bits per second; 0
// means no limit.
func serveSite(t *testing.T, bits float64) *site {
	t.Helper()
	s := &site{t: t, folder: pagesOf(t), address: "127.0.0.1:0", faults: map[string]fault{}}
	if bits > 0 {
		s.limit = rate.NewLimiter(rate.Limit(bits/8), packet)
	}
	s.start()
	t.Cleanup(s.stop)
	return s
}

// start starts the server, at the previous address if there was one.
func (s *site) start() {
	s.t.Helper()
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	s.server = &http.Server{Handler: http.StripPrefix("/course", s)}
	go s.server.Serve(l)
}

// stop stops the server.
func (s *site) stop() { s.server.Close() }

func (s *site) url(name string) string { return "http://" + s.address + "/course/" + name }

// fail makes the server fail for files with this name prefix; fault 0 makes it succeed again.
func (s *site) fail(name string, f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[name] = f
}

// requests returns the names of the requested files.
func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	s.mu.Lock()
	s.asked = append(s.asked, name)
	var f fault
	for begin, is := range s.faults {
		if strings.HasPrefix(name, begin) {
			f = is
		}
	}
	s.mu.Unlock()
	out := &slowWriter{ResponseWriter: w, ctx: r.Context(), limit: s.limit, left: -1}
	switch f {
	case missing:
		http.NotFound(w, r)
		return
	case cut:
		if info, err := os.Stat(path.Join(s.folder, r.URL.Path)); err == nil {
			out.left = int(info.Size() / 2)
		}
	}
	http.FileServer(http.Dir(s.folder)).ServeHTTP(out, r)
}

// packet is the number of bytes written at once at a limited rate.
const packet = 8 << 10

// A slowWriter writes as fast as a limit allows, and ends the connection when it has written the number of
// bytes in its field left.
type slowWriter struct {
	http.ResponseWriter
	ctx   context.Context
	limit *rate.Limiter
	left  int // -1 for no limit
}

func (w *slowWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		p := b[:min(len(b), packet)]
		if w.left >= 0 {
			if w.left < len(p) {
				panic(http.ErrAbortHandler) // makes the server abort the connection
			}
			w.left -= len(p)
		}
		if w.limit != nil {
			if err := w.limit.WaitN(w.ctx, len(p)); err != nil {
				return n, err
			}
		}
		k, err := w.ResponseWriter.Write(p)
		n += k
		if err != nil {
			return n, err
		}
		b = b[len(p):]
	}
	return n, nil
}
