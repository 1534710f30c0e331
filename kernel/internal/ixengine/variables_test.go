package ixengine

import (
	"testing"

	"overcomplete/internal/patience"
)

// TestLocksDeclaredAgain: if a lock is in use, a declaration leaves it to the goroutines that use it, and so
// does %reset.
func TestLocksDeclaredAgain(t *testing.T) {
	const begin = "import (\"sync\"; \"fmt\")\nheld, end, told := make(chan bool), make(chan bool), make(chan string, 1)\n" +
		"func done() { told <- fmt.Sprint(recover()) }\n"
	for _, c := range []struct{ what, first, again, now string }{
		{"Mutex", "var mu sync.Mutex\ngo func() { defer done(); mu.Lock(); held <- true; <-end; mu.Unlock() }()", "var mu sync.Mutex", "mu.TryLock()"},
		{"RWMutex", "var mu sync.RWMutex\ngo func() { defer done(); mu.RLock(); held <- true; <-end; mu.RUnlock() }()", "mu := sync.RWMutex{}", "mu.TryLock()"},
		{"WaitGroup", "var wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer done(); held <- true; <-end; wg.Done() }()", "var wg sync.WaitGroup", "wg.Wait(); true"},
		{"Once", "var once sync.Once\ngo func() { defer done(); once.Do(func() { held <- true; <-end }) }()", "var once sync.Once", "ok := false; once.Do(func() { ok = true }); ok"},
		{"struct", "type T struct { n [2]struct { n int; sync.Mutex } }\nvar x T\ngo func() { defer done(); x.n[1].Lock(); held <- true; <-end; x.n[1].Unlock() }()", "var x T", "x.n[1].TryLock()"},
		{"a value made from the old one", "type T struct { mu *sync.Mutex; once sync.Once; n int }\nvar x T\nx.n = 41\nfunc f(x T) T { return T{n: x.n + 1} }\ngo func() { defer done(); x.once.Do(func() { held <- true; <-end }) }()", "x := f(x)", "x.n == 42"},
		{"a timer", "import \"time\"\nvar mu sync.Mutex\nmu.Lock()\ntime.AfterFunc(time.Millisecond, func() { defer done(); held <- true; <-end; mu.Unlock() })", "var mu sync.Mutex", "mu.TryLock()"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := fresh(t, Options{})
			run(t, s, begin+c.first+"\n<-held")
			run(t, s, c.again)
			if v := run(t, s, c.now); len(v) != 1 || v[0].Value != true {
				t.Errorf("the variable that is declared again: %v", v)
			}
			if v := run(t, s, "end <- true\n<-told"); v[0].Value != "<nil>" {
				t.Errorf("the goroutine of the earlier cell: %v", v[0].Value)
			}
		})
	}
	s := fresh(t, Options{})
	run(t, s, begin+"var once sync.Once\ngo func() { defer done(); once.Do(func() { held <- true; <-end }) }()\n<-held")
	run(t, s, "later := func() string { end <- true; return <-told }")
	if err := s.Forget("once"); err != nil {
		t.Fatal(err)
	}
	if v := run(t, s, "later()"); v[0].Value != "<nil>" {
		t.Errorf("after once is forgotten: %v", v[0].Value)
	}
	// A lock without goroutines stays the same variable, for functions of earlier cells.
	if !patience.Wait(func() bool { return len(s.Goroutines()) == 0 }) {
		t.Fatalf("goroutines are left: %v", s.Goroutines())
	}
	run(t, s, "var mu sync.Mutex\np := &mu\nmu.Lock()")
	if v := run(t, s, "var mu sync.Mutex\np == &mu && p.TryLock()"); v[0].Value != true {
		t.Error("a lock without goroutines is another variable")
	}
}

// TestUnlockedLocks: unlocking an RWMutex in the wrong way, for which Go ends the process, is a panic.
func TestUnlockedLocks(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import (\"fmt\"; \"sync\")\nfunc try(f func()) (s string) { defer func() { s = fmt.Sprint(recover()) }(); f(); return }")
	for _, c := range []struct{ cell, want string }{
		{"var a sync.RWMutex; a.RUnlock()", "sync: RUnlock of unlocked RWMutex"},
		{"var a sync.RWMutex; a.Unlock()", "sync: Unlock of unlocked RWMutex"},
		{"var a sync.RWMutex; a.Lock(); a.RUnlock()", "sync: RUnlock of unlocked RWMutex"},
		{"var a sync.RWMutex; a.RLock(); a.Unlock()", "sync: Unlock of unlocked RWMutex"},
		{"var a sync.RWMutex; a.RLock(); done := make(chan bool); go func() { a.Lock(); a.Unlock(); close(done) }(); for a.TryRLock() { a.RUnlock() }; a.RUnlock(); <-done", "<nil>"},
		{"var a sync.Mutex; a.Unlock()", "sync: unlock of unlocked mutex"},
	} {
		if v := run(t, s, "try(func() { "+c.cell+" })"); v[0].Value != c.want {
			t.Errorf("%s: %v, want %s", c.cell, v[0].Value, c.want)
		}
	}
}

// TestForgetNames: functions, imports, and what hides a builtin can be removed; other types and constants stay.
func TestForgetNames(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import \"fmt\"\nfunc len(s []int) int { return 99 }\ntype string int\nconst true = 1\ntype T struct{}\nfunc f() int { return 1 }")
	if err := s.Forget("len", "T"); err == nil || run(t, s, "len([]int{})")[0].Value != 99 {
		t.Error("something was removed together with a type that stays:", err)
	}
	if err := s.Forget("len", "string", "true", "f", "fmt"); err != nil {
		t.Fatal(err)
	}
	if got := run(t, s, `_ = T{}; len(string("abc")) == 3 && true`)[0].Value; got != true {
		t.Error(got)
	}
	fails(t, s, "f()")
	fails(t, s, "fmt.Println()")
	if got := run(t, s, "import \"fmt\"\nfunc f() int { return 2 }\nfmt.Sprint(f())")[0].Value; got != "2" {
		t.Error(got)
	}
}
