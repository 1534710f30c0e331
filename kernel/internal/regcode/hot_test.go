package regcode

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// A compiler is a test's NativeCompiler.
type compiler func(c *Code, l *Loop) (Native, error)

func (f compiler) Compile(c *Code, l *Loop) (Native, error) { return f(c, l) }

// heat sets NativeCompiler and Hot until the test ends.
func heat(t *testing.T, hot int, f compiler) {
	oldHot, oldCompiler := Hot, NativeCompiler
	Hot, NativeCompiler = hot, f
	t.Cleanup(func() {
		for compiling.Load() {
			time.Sleep(time.Millisecond)
		}
		Hot, NativeCompiler = oldHot, oldCompiler
	})
}

// sum returns a function that sums the numbers below n0; the loop is at op 2.
func sum(t testing.TB) *Func {
	code := &Code{
		Ops: []Op{
			{Code: OpMove, D: 1, A: 3},
			{Code: OpMove, D: 2, A: 3},
			{Code: OpLoop},
			{Code: OpIfLT, A: 1, B: 0, To: 4, Or: 7},
			{Code: OpAdd, D: 2, A: 2, B: 1},
			{Code: OpAddI, D: 1, A: 1, Imm: 1},
			{Code: OpJump, To: 2},
			{Code: OpMove, D: 0, A: 2},
			{Code: OpReturn},
		},
		NN: 4, ConstN: []uint64{0}, AtConstN: 3, Loops: []*Loop{{At: 2}},
	}
	verify(t, code)
	return function(t, "sum", code)
}

// nativeSum runs sum's loop as native code would, and returns after at most 1000 iterations.
func nativeSum(_ *Machine, n *N, p *P) (at, ops int32) {
	for i := range int32(1000) {
		if n[1] >= n[0] {
			return 7, 5 * i
		}
		n[2] += n[1]
		n[1]++
	}
	return 2, 5 * 1000
}

func checkSum(t *testing.T, f *Func, n uint64) {
	t.Helper()
	runtime.Gosched() // lets the compiler's goroutine run on a system with one thread
	if got, _ := call(noSite(t), f, []uint64{n}); got != n*(n-1)/2 {
		t.Errorf("the sum of the numbers below %d: %d", n, got)
	}
}

func TestCompiledAtOnce(t *testing.T) {
	runs := 0
	heat(t, 0, func(c *Code, l *Loop) (Native, error) {
		if c.Ops[l.At].Code != OpLoop {
			t.Error("no loop there")
		}
		return func(_ *Machine, n *N, p *P) (at, ops int32) { runs++; return nativeSum(nil, n, p) }, nil
	})
	f := sum(t)
	checkSum(t, f, 5500) // the machine executes the first iteration
	if runs != 6 {
		t.Errorf("%d runs of native code", runs)
	}
	checkSum(t, f, 10)
	checkSum(t, f, 0x10000)
}

func TestNeverCompiled(t *testing.T) {
	heat(t, -1, func(c *Code, l *Loop) (Native, error) {
		t.Error("compiled")
		return nil, errors.New("no")
	})
	checkSum(t, sum(t), 300_000)
}

// TestCompiledWhenHot: a hot loop is compiled once, in the background. A loop that is not hot is not
// compiled.
func TestCompiledWhenHot(t *testing.T) {
	var times, runs atomic.Int32
	done := make(chan bool)
	heat(t, 100_000, func(c *Code, l *Loop) (Native, error) {
		times.Add(1)
		defer close(done)
		return func(_ *Machine, n *N, p *P) (at, ops int32) { runs.Add(1); return nativeSum(nil, n, p) }, nil
	})
	cold := sum(t)
	checkSum(t, cold, 5000)
	if times.Load() != 0 {
		t.Error("compiled a loop of 5000 turns")
	}
	f := sum(t)
	checkSum(t, f, 100_000)
	<-done
	for f.Code.Load().Loops[0].Run.Load() == nil || f.Code.Load().run.Load().ops[2].Code != opNative {
		time.Sleep(time.Millisecond)
	}
	checkSum(t, f, 100_000)
	if times.Load() != 1 || runs.Load() == 0 {
		t.Errorf("compiled %d times, run %d times", times.Load(), runs.Load())
	}
}

func TestRefused(t *testing.T) {
	for what, f := range map[string]compiler{
		"an error": func(c *Code, l *Loop) (Native, error) { return nil, errors.New("no") },
		"a panic":  func(c *Code, l *Loop) (Native, error) { panic("in the compiler") },
	} {
		t.Run(what, func(t *testing.T) {
			heat(t, 1000, f)
			f := sum(t)
			l := f.Code.Load().Loops[0]
			for !l.Refused.Load() {
				checkSum(t, f, 2000)
			}
			checkSum(t, f, 2000)
		})
	}
}

// TestNotWorthIt: native code whose runs are brief is not used for a while, then tried again, and then not
// used for longer.
func TestNotWorthIt(t *testing.T) {
	var runs atomic.Int32
	heat(t, 1000, func(c *Code, l *Loop) (Native, error) {
		return func(_ *Machine, n *N, p *P) (at, ops int32) { runs.Add(1); return 3, worth - 1 }, nil // native code that does nothing
	})
	f := sum(t)
	l := f.Code.Load().Loops[0]
	until := func(rest int) int32 {
		t.Helper()
		for began := time.Now(); l.gain.rest < rest; {
			checkSum(t, f, 100_000)
			if time.Since(began) > patience.Long {
				t.Fatalf("after %d runs it rests for %d ops", runs.Load(), l.gain.rest)
			}
		}
		return runs.Load()
	}
	if first, then := until(firstRest), until(4*firstRest); then-first < sampled*judged || l.Refused.Load() {
		t.Errorf("%d runs, then %d; refused: %v", first, then, l.Refused.Load())
	}
}

// TestNativeLeaves: native code exits in the middle of an iteration, at an op that only the machine can
// execute.
func TestNativeLeaves(t *testing.T) {
	heat(t, 0, func(c *Code, l *Loop) (Native, error) {
		return func(_ *Machine, n *N, p *P) (at, ops int32) {
			if n[1] >= n[0] {
				return 3, 1
			}
			n[2] += n[1]
			return 5, 2
		}, nil
	})
	checkSum(t, sum(t), 3000)
}

func TestLoopOfManyMachines(t *testing.T) {
	heat(t, 10_000, func(c *Code, l *Loop) (Native, error) { return nativeSum, nil })
	f := sum(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				checkSum(t, f, 5000)
			}
		})
	}
	wg.Wait()
}

func TestBreathe(t *testing.T) {
	machines = sync.Pool{New: machines.New} // discard machines that have already counted
	breaths := 0
	Breathe = func() { breaths++ }
	defer func() { Breathe = nil }()
	checkSum(t, sum(t), 1000)
	if breaths < 1000/everyBreath-1 {
		t.Errorf("%d breaths in a loop", breaths)
	}
	breaths = 0
	call(noSite(t), fib(t), []uint64{15})
	if breaths < goFib(15)/everyBreath {
		t.Errorf("%d breaths in a recursion", breaths)
	}
}

// TestAllAreSeen: with any number of calls in a loop, the loop and each call are checked at some time. While
// a loop or call is being compiled, no other is requested, so each iteration waits until the compiler is
// done. On a busy machine a compilation may take longer than the whole loop.
func TestAllAreSeen(t *testing.T) {
	wait := func() {
		for compiling.Load() {
			time.Sleep(time.Millisecond)
		}
	}
	waiting := site(func(*Machine, int32) { wait() })
	nothing := function(t, "nothing", &Code{Ops: []Op{{Code: OpReturn}}, NN: 1, NP: 1})
	for calls := range 12 {
		seen := &seenCompiler{calls: map[int32]bool{}}
		oldHot, oldCompiler := Hot, NativeCompiler
		Hot, NativeCompiler = 100, seen
		code := &Code{NN: 3, NP: 1, ConstN: []uint64{0}, AtConstN: 2, Loops: []*Loop{{At: 1}}}
		code.Ops = []Op{{Code: OpMove, D: 1, A: 2}, {Code: OpLoop}, {Code: OpIfLT, A: 1, B: 0, To: 3, Or: int32(calls + 6)}, {Code: OpDo}}
		for i := range calls {
			code.Ops = append(code.Ops, Op{Code: OpCallOf, Or: int32(i)})
			code.Calls = append(code.Calls, Call{Func: nothing})
		}
		code.Ops = append(code.Ops, Op{Code: OpAddI, D: 1, A: 1, Imm: 1}, Op{Code: OpJump, To: 1}, Op{Code: OpReturn})
		verify(t, code)
		f := function(t, "loop", code)
		call(waiting, f, []uint64{100_000})
		wait()
		Hot, NativeCompiler = oldHot, oldCompiler
		if n := seen.number(); n != calls+1 {
			t.Errorf("of a loop with %d calls and these %d were looked at", calls, n)
		}
	}
}

// A seenCompiler compiles nothing, and records its arguments.
type seenCompiler struct {
	mu    sync.Mutex
	loop  bool
	calls map[int32]bool
}

func (s *seenCompiler) Compile(*Code, *Loop) (Native, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loop = true
	return nil, errors.New("not compiled")
}

func (s *seenCompiler) CompileCall(c *Code, i int32) (Native, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[i] = true
	return nil, errors.New("not compiled")
}

func (s *seenCompiler) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.calls)
	if s.loop {
		n++
	}
	return n
}
