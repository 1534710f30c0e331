package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync"
	"time"
)

// A JSON API with middleware, path values, errors as statuses, and a client.

type Item struct {
	ID    int       `json:"id"`
	Name  string    `json:"name"`
	Tags  []string  `json:"tags,omitempty"`
	Price *float64  `json:"price,omitempty"`
	Meta  Meta      `json:"meta"`
	When  time.Time `json:"when"`
	skip  int
}

type Meta map[string]json.RawMessage

type Status int

const (
	Active Status = iota
	Gone
)

func (s Status) MarshalText() ([]byte, error) { return []byte([]string{"active", "gone"}[s]), nil }

func (s *Status) UnmarshalText(b []byte) error {
	switch string(b) {
	case "active":
		*s = Active
	case "gone":
		*s = Gone
	default:
		return fmt.Errorf("no status %q", b)
	}
	return nil
}

type httpError struct {
	code int
	err  error
}

func (e httpError) Error() string { return e.err.Error() }
func (e httpError) Unwrap() error { return e.err }

var errNotFound = errors.New("not found")

type store struct {
	mu    sync.Mutex
	items map[int]*Item
	next  int
}

type handler func(w http.ResponseWriter, r *http.Request) error

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h(w, r)
	if err == nil {
		return
	}
	code := http.StatusInternalServerError
	var he httpError
	if errors.As(err, &he) {
		code = he.code
	}
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func logged(log *[]string, mu *sync.Mutex, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		*log = append(*log, r.Method+" "+r.URL.Path)
		mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (s *store) create(w http.ResponseWriter, r *http.Request) error {
	var it Item
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&it); err != nil {
		return httpError{http.StatusBadRequest, fmt.Errorf("bad item: %w", err)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	it.ID = s.next
	s.items[it.ID] = &it
	w.Header().Set("Location", fmt.Sprintf("/items/%d", it.ID))
	w.WriteHeader(http.StatusCreated)
	return json.NewEncoder(w).Encode(it)
}

func (s *store) get(w http.ResponseWriter, r *http.Request) error {
	var id int
	if _, err := fmt.Sscan(r.PathValue("id"), &id); err != nil {
		return httpError{http.StatusBadRequest, err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.items[id]
	if !ok {
		return httpError{http.StatusNotFound, fmt.Errorf("item %d: %w", id, errNotFound)}
	}
	return json.NewEncoder(w).Encode(it)
}

func (s *store) list(w http.ResponseWriter, r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Item, 0)
	for _, it := range s.items {
		if q := r.URL.Query().Get("q"); q == "" || strings.Contains(it.Name, q) {
			list = append(list, it)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return json.NewEncoder(w).Encode(struct {
		Count  int               `json:"count"`
		Items  []*Item           `json:"items"`
		Status map[Status]string `json:"status"`
	}{len(list), list, map[Status]string{Gone: "x", Active: "y"}})
}

func main() {
	s := &store{items: map[int]*Item{}}
	var log []string
	var mu sync.Mutex
	mux := http.NewServeMux()
	mux.Handle("POST /items", handler(s.create))
	mux.Handle("GET /items/{id}", handler(s.get))
	mux.Handle("GET /items", handler(s.list))
	srv := httptest.NewServer(logged(&log, &mu, mux))
	do := func(method, path, body string) {
		req, err := http.NewRequest(method, srv.URL+path, bytes.NewBufferString(body))
		if err != nil {
			fmt.Println(err)
			return
		}
		res, err := srv.Client().Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		fmt.Println(method, path, res.StatusCode, res.Header.Get("Location"), strings.TrimSpace(string(b)))
	}
	do("POST", "/items", `{"name":"pen","tags":["a","b"],"price":1.25,"meta":{"k":[1,2,{"x":null}]},"when":"2024-05-06T07:08:09Z"}`)
	do("POST", "/items", `{"name":"ink"}`)
	do("POST", "/items", `{"nam":"ink"}`)
	do("POST", "/items", `{"name":3}`)
	do("GET", "/items/1", "")
	do("GET", "/items/9", "")
	do("GET", "/items/x", "")
	do("GET", "/items?q=in", "")
	do("DELETE", "/items", "")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			res, err := http.Post(srv.URL+"/items", "application/json", strings.NewReader(fmt.Sprintf(`{"name":"n%d"}`, i)))
			if err == nil {
				res.Body.Close()
			}
		})
	}
	wg.Wait()
	mu.Lock()
	fmt.Println(len(log), len(s.items), log[:3])
	mu.Unlock()
	var back struct {
		S map[Status]int
		T *Status
	}
	fmt.Println(json.Unmarshal([]byte(`{"S":{"gone":1,"active":2},"T":"gone"}`), &back), back.S, *back.T)
	err := json.Unmarshal([]byte(`{"T":"what"}`), &back)
	fmt.Println(err)
	var te *json.UnmarshalTypeError
	err = json.Unmarshal([]byte(`{"S":{"gone":"one"}}`), &back)
	fmt.Println(errors.As(err, &te), err)
	srv.Close()
}
