package ixengine

import (
	"context"
	"fmt"
	"net"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestServersStop: when a cell or a goroutine that serves HTTP is stopped, the server's address is free again.
func TestServersStop(t *testing.T) {
	if !alone(t) {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no local network: ", err)
	}
	addr := l.Addr().String()
	l.Close()
	s := fresh(t, Options{})
	run(t, s, `import ("net"; "net/http"; "fmt")`)
	listens := func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
	for _, serve := range []string{
		`http.ListenAndServe(%q, nil)`,
		`srv := &http.Server{Addr: %q}; srv.ListenAndServe()`,
		`l, err := net.Listen("tcp", %q); if err != nil { panic(err) }; http.Serve(l, nil)`,
	} {
		serve := fmt.Sprintf(serve, addr)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			_, err := s.Run(ctx, engine.Cell{Name: "In[2]", Source: serve})
			ended <- err
		}()
		patience.Until(t, "the server listens", listens)
		cancel()
		if err := <-ended; err == nil || err.(*engine.Error).Kind != engine.Interrupted {
			t.Errorf("%s: %v", serve, err)
		}
		patience.Until(t, "the address of "+serve+" is free", func() bool { return !listens() })
		if list := s.Goroutines(); len(list) > 0 {
			t.Errorf("%s has left %v", serve, list)
		}

		run(t, s, "go func() { "+serve+" }()")
		patience.Until(t, "the server in a goroutine listens", listens)
		s.StopGoroutines()
		patience.Until(t, "the address of the goroutine is free", func() bool { return !listens() })
	}
}
