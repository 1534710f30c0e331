package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A typed event bus, and a broker whose subscribers end with their contexts.

type Handler interface{ handle(event any) }

type handlerOf[E any] struct{ f func(E) }

func (h handlerOf[E]) handle(event any) { h.f(event.(E)) }

type Bus struct {
	mu       sync.RWMutex
	handlers map[reflect.Type][]Handler
	log      []string
}

func On[E any](b *Bus, f func(E)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.handlers == nil {
		b.handlers = map[reflect.Type][]Handler{}
	}
	t := reflect.TypeFor[E]()
	b.handlers[t] = append(b.handlers[t], handlerOf[E]{f})
}

func (b *Bus) Emit(e any) int {
	b.mu.RLock()
	list := slices.Clone(b.handlers[reflect.TypeOf(e)])
	b.mu.RUnlock()
	for _, h := range list {
		h.handle(e)
	}
	return len(list)
}

type (
	UserCreated struct {
		ID   int
		Name string
	}
	UserDeleted struct{ ID int }
	Tick        int
)

type Broker[T any] struct {
	mu   sync.Mutex
	subs map[string]map[chan T]struct{}
	wg   sync.WaitGroup
}

func NewBroker[T any]() *Broker[T] { return &Broker[T]{subs: map[string]map[chan T]struct{}{}} }

func (b *Broker[T]) Subscribe(ctx context.Context, topic string) <-chan T {
	ch := make(chan T, 16)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs[topic] == nil {
		b.subs[topic] = map[chan T]struct{}{}
	}
	b.subs[topic][ch] = struct{}{}
	b.wg.Add(1)
	context.AfterFunc(ctx, func() {
		defer b.wg.Done()
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs[topic], ch)
		close(ch)
	})
	return ch
}

func (b *Broker[T]) Publish(topic string, v T) (sent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.subs[topic] {
		select {
		case ch <- v:
			sent++
		default:
		}
	}
	return sent
}

func main() {
	bus := &Bus{}
	names := map[int]string{}
	On(bus, func(e UserCreated) { names[e.ID] = e.Name; bus.log = append(bus.log, "created "+e.Name) })
	On(bus, func(e UserCreated) {
		if strings.HasPrefix(e.Name, "b") {
			n := bus.Emit(Tick(e.ID))
			bus.log = append(bus.log, fmt.Sprint("again ", n))
		}
	})
	On(bus, func(e *UserDeleted) { bus.log = append(bus.log, "deleted "+names[e.ID]); delete(names, e.ID) })
	On(bus, func(t Tick) { bus.log = append(bus.log, fmt.Sprintf("tick %d %T", t, t)) })
	fmt.Println(bus.Emit(UserCreated{1, "ann"}), bus.Emit(UserCreated{2, "bob"}), bus.Emit(&UserDeleted{1}), bus.Emit(UserDeleted{2}), bus.Emit("text"))
	fmt.Println(strings.Join(bus.log, "; "), names)

	b := NewBroker[string]()
	first, stopFirst := context.WithCancel(context.Background())
	second, stopSecond := context.WithCancel(first)
	var mu sync.Mutex
	got := map[string][]string{}
	var readers sync.WaitGroup
	for name, sub := range map[string]<-chan string{"a": b.Subscribe(first, "news"), "b": b.Subscribe(second, "news"), "c": b.Subscribe(first, "sport")} {
		readers.Go(func() {
			for s := range sub {
				mu.Lock()
				got[name] = append(got[name], s)
				mu.Unlock()
			}
		})
	}
	counts := []int{b.Publish("news", "one"), b.Publish("sport", "goal"), b.Publish("none", "?")}
	stopSecond()
	for {
		b.mu.Lock()
		n := len(b.subs["news"])
		b.mu.Unlock()
		if n == 1 {
			break
		}
	}
	counts = append(counts, b.Publish("news", "two"))
	stopFirst()
	b.wg.Wait()
	readers.Wait()
	fmt.Println(counts, got, b.Publish("news", "three"))
}
