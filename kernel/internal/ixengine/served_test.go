package ixengine

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"overcomplete/internal/patience"
)

// shop is an API under development: its handlers call functions that later cells redeclare.
const shop = `import ("encoding/json"; "errors"; "fmt"; "net/http"; "sort"; "sync")
type Item struct {
	Name  string ` + "`json:\"name\"`" + `
	Price int    ` + "`json:\"price\"`" + `
	Note  *string ` + "`json:\"note,omitempty\"`" + `
}
type Store struct {
	mu    sync.RWMutex
	items map[string]Item
}
var errNone = errors.New("no such item")
func (s *Store) Put(i Item) { s.mu.Lock(); defer s.mu.Unlock(); s.items[i.Name] = i }
func (s *Store) Get(name string) (Item, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i, ok := s.items[name]; ok { return i, nil }
	return Item{}, fmt.Errorf("%q: %w", name, errNone)
}
func (s *Store) All() (list []Item) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, i := range s.items { list = append(list, i) }
	sort.Slice(list, func(a, b int) bool { return list[a].Name < list[b].Name })
	return list
}
store := &Store{items: map[string]Item{}}
func total(list []Item) (sum int) { for _, i := range list { sum += i.Price }; return sum }
func answer(w http.ResponseWriter, v any) { json.NewEncoder(w).Encode(v) }
func one(w http.ResponseWriter, r *http.Request) {
	i, err := store.Get(r.PathValue("name"))
	if errors.Is(err, errNone) { http.Error(w, err.Error(), http.StatusNotFound); return }
	answer(w, i)
}
func put(w http.ResponseWriter, r *http.Request) {
	var i Item
	if err := json.NewDecoder(r.Body).Decode(&i); err != nil { http.Error(w, err.Error(), http.StatusBadRequest); return }
	store.Put(i)
}
func sum(w http.ResponseWriter, r *http.Request) { answer(w, map[string]any{"version": 0, "sum": total(store.All()), "error": nil}) }
mux := http.NewServeMux()
mux.HandleFunc("GET /items/{name}", func(w http.ResponseWriter, r *http.Request) { one(w, r) })
mux.HandleFunc("PUT /items", func(w http.ResponseWriter, r *http.Request) { put(w, r) })
mux.HandleFunc("GET /sum", func(w http.ResponseWriter, r *http.Request) { sum(w, r) })
mux`

// again redeclares the handlers of shop in version k. A request is handled by exactly one version.
const again = `func total(list []Item) (sum int) { for _, i := range list { sum += i.Price * %[1]d }; return sum }
func sum(w http.ResponseWriter, r *http.Request) {
	defer func() { if p := recover(); p != nil { answer(w, map[string]any{"version": -1}) } }()
	list := store.All()
	var none []int
	if r.URL.Query().Has("panic") { _ = none[len(list)] }
	answer(w, map[string]any{"version": %[1]d, "sum": total(list), "error": nil})
}
func one(w http.ResponseWriter, r *http.Request) {
	i, err := store.Get(r.PathValue("name"))
	if err != nil { http.Error(w, err.Error(), http.StatusNotFound); return }
	note := fmt.Sprint("version ", %[1]d)
	i.Note = &note
	answer(w, i)
}`

// TestServedAgain redeclares handlers while many clients send requests: no answer mixes versions, and later
// requests get the new version.
func TestServedAgain(t *testing.T) {
	skipOnOneThread(t, "there are no servers in a browser")
	for _, l := range append(Levels[:len(Levels):len(Levels)], warm) {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			servedAgain(t)
		})
	}
}

func servedAgain(t *testing.T) {
	s := fresh(t, Options{})
	server := httptest.NewServer(run(t, s, shop)[0].Value.(http.Handler))
	defer server.Close()
	client := server.Client()
	// ask returns the status and the text of an answer.
	ask := func(method, path, body string) (int, string) {
		q, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		r, err := client.Do(q)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		return r.StatusCode, string(text)
	}
	const items, versions = 4, 6
	for i := range items {
		if code, text := ask("PUT", "/items", fmt.Sprintf(`{"name": "i%d", "price": %d}`, i, i+1)); code != 200 {
			t.Fatal(code, text)
		}
	}
	var asked atomic.Int64
	stop := make(chan bool)
	var clients sync.WaitGroup
	for n := range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				query := ""
				if asked.Add(1)%5 == 0 {
					query = "?panic"
				}
				code, text := ask("GET", "/sum"+query, "")
				var v map[string]any
				if err := json.Unmarshal([]byte(text), &v); err != nil || code != 200 {
					t.Errorf("%d %q: %v", code, text, err)
					return
				}
				// total may be of a different version than sum; then the answer has a member "error".
				if _, ok := v["error"]; !ok && v["version"] != -1. {
					t.Errorf("an answer without its nil: %s", text)
				}
				if code, text := ask("GET", fmt.Sprintf("/items/i%d", n), ""); code != 200 || !strings.Contains(text, fmt.Sprintf(`"price":%d`, n+1)) {
					t.Errorf("%d %s", code, text)
				}
				if code, text := ask("GET", "/items/none", ""); code != 404 || !strings.Contains(text, `"none": no such item`) {
					t.Errorf("%d %s", code, text)
				}
			}
		})
	}
	for k := 1; k <= versions; k++ {
		before := asked.Load()
		run(t, s, fmt.Sprintf(again, k))
		if _, text := ask("GET", "/sum", ""); text != fmt.Sprintf(`{"error":null,"sum":%d,"version":%d}`+"\n", 10*k, k) {
			t.Errorf("version %d answers %s", k, text)
		}
		if _, text := ask("GET", "/items/i0", ""); text != fmt.Sprintf(`{"name":"i0","price":1,"note":"version %d"}`+"\n", k) {
			t.Errorf("version %d answers %s", k, text)
		}
		patience.Until(t, "clients that ask", func() bool { return asked.Load() > before+8 })
	}
	close(stop)
	clients.Wait()
	if got := run(t, s, "total(store.All())")[0].Value; got != 10*versions {
		t.Errorf("the session has %v", got)
	}
}
