package jupyter

import (
	"os"
	"os/signal"
)

// Interrupts receives the interrupt signals of the process (Ctrl-C). Create it as early as possible, because until then
// a signal ends the process.
//
// While one program replaces another, the process ignores interrupt signals, because a signal would end it before the
// new program handles signals. A user who interrupts in these milliseconds must repeat the interrupt. Front ends send
// interrupt_request messages instead of signals; no such message is lost.
type Interrupts struct{ c chan os.Signal }

// NewInterrupts starts receiving interrupt signals.
func NewInterrupts() *Interrupts {
	i := &Interrupts{make(chan os.Signal, 8)}
	// When Notify is called, the runtime remembers how the signal was treated before. If Ignore is called later,
	// after a signal has arrived but before its handler runs, the handler falls back on that earlier treatment. So
	// ignore signals now: otherwise the handler would end the process.
	signal.Ignore(os.Interrupt)
	i.heed()
	return i
}

// A barrier is a pseudo-signal in the queue of signals. When it is closed, all signals before it have been
// passed on.
type barrier chan struct{}

func (barrier) Signal()        {}
func (barrier) String() string { return "barrier" }

// pass calls the function fn for each interrupt.
func (i *Interrupts) pass(fn func()) {
	for sig := range i.c {
		if b, ok := sig.(barrier); ok {
			close(b)
			continue
		}
		fn()
	}
}

// ignore makes the process ignore interrupt signals, until this program or the program that replaces it calls
// heed. It returns when all earlier signals have been passed on.
func (i *Interrupts) ignore() {
	signal.Ignore(os.Interrupt)
	passed := make(barrier)
	i.c <- passed
	<-passed
}

func (i *Interrupts) heed() { signal.Notify(i.c, os.Interrupt) }
