package display

import (
	"fmt"
	"sync"
	"time"
)

// soonest is the shortest time between two updates of one display by UpdateSoon: nobody can see more than ten
// updates a second, and front ends draw every update.
const soonest = 100 * time.Millisecond

// pending holds the updates that UpdateSoon has not shown yet.
var pending = struct {
	sync.Mutex
	waiting map[string]*update
}{waiting: map[string]*update{}}

// An update belongs to one display id. It holds the value that UpdateSoon has not shown yet, and the timer that limits
// how often values are shown under this id.
type update struct {
	next  func() Data // the next value to show; nil if the latest value has been shown
	timer *time.Timer // runs while the next update has to wait
	show  sync.Mutex  // held while a value is being shown, so that the latest value is shown last
}

// UpdateSoon is like UpdateDisplay, for content that changes often. For each id it shows at most ten values a second,
// and it always shows the last value, at the latest when the cell ends. It calls fn only for values that are shown,
// possibly in another goroutine.
func UpdateSoon(id string, fn func() Data) {
	pending.Lock()
	u := pending.waiting[id]
	if u == nil {
		u = &update{}
		pending.waiting[id] = u
	}
	u.next = fn
	if u.timer != nil {
		pending.Unlock()
		return
	}
	u.timer = time.AfterFunc(soonest, func() { u.endWait(id) })
	pending.Unlock()
	u.flush(id)
}

// endWait shows the latest value that arrived during the wait. If none arrived, endWait forgets the id.
func (u *update) endWait(id string) {
	pending.Lock()
	if u.next == nil {
		u.timer = nil
		delete(pending.waiting, id)
		pending.Unlock()
		return
	}
	u.timer.Reset(soonest)
	pending.Unlock()
	defer func() {
		if r := recover(); r != nil { // nothing else recovers a panic in a timer's goroutine
			show(withID(Text(fmt.Sprint("panic: ", r)), id), true)
		}
	}()
	u.flush(id)
}

// flush shows the value that is waiting to be shown under the id, if there is one.
func (u *update) flush(id string) {
	u.show.Lock()
	defer u.show.Unlock()
	pending.Lock()
	next := u.next
	u.next = nil
	pending.Unlock()
	if next != nil {
		show(withID(next(), id), true)
	}
}

// Flush immediately shows all values that UpdateSoon holds back. Kernels call Flush when a cell ends.
func Flush() {
	pending.Lock()
	all := make(map[string]*update, len(pending.waiting))
	for id, u := range pending.waiting {
		all[id] = u
	}
	pending.Unlock()
	for id, u := range all {
		u.flush(id)
	}
}

// Attached reports whether a kernel shows displayed values. If not, their text is printed.
func Attached() bool { return publisher() != nil }
