package ixengine

import (
	"context"
	"net"
	"net/http"
	"time"
)

// servers replaces the functions that serve HTTP until the server is closed, and methods that wait for the network. They
// take no context. So the server is closed, and the wait ends, when the calling goroutine must stop. Otherwise the
// address would stay in use until the kernel ends, and the cell could not run again.
func (s *Session) servers(set func(name string, f any)) {
	until := func(srv *http.Server, serve func() error) error {
		defer context.AfterFunc(s.Context(), func() { _ = srv.Close() })()
		return serve()
	}
	set("(*net/http.Server).ListenAndServe", func(srv *http.Server) error { return until(srv, srv.ListenAndServe) })
	set("(*net/http.Server).ListenAndServeTLS", func(srv *http.Server, cert, key string) error {
		return until(srv, func() error { return srv.ListenAndServeTLS(cert, key) })
	})
	set("(*net/http.Server).Serve", func(srv *http.Server, l net.Listener) error {
		return until(srv, func() error { return srv.Serve(l) })
	})
	set("(*net/http.Server).ServeTLS", func(srv *http.Server, l net.Listener, cert, key string) error {
		return until(srv, func() error { return srv.ServeTLS(l, cert, key) })
	})
	set("net/http.ListenAndServe", func(addr string, h http.Handler) error {
		srv := &http.Server{Addr: addr, Handler: h}
		return until(srv, srv.ListenAndServe)
	})
	set("net/http.ListenAndServeTLS", func(addr, cert, key string, h http.Handler) error {
		srv := &http.Server{Addr: addr, Handler: h}
		return until(srv, func() error { return srv.ListenAndServeTLS(cert, key) })
	})
	set("net/http.Serve", func(l net.Listener, h http.Handler) error {
		srv := &http.Server{Handler: h}
		return until(srv, func() error { return srv.Serve(l) })
	})
	set("net/http.ServeTLS", func(l net.Listener, h http.Handler, cert, key string) error {
		srv := &http.Server{Handler: h}
		return until(srv, func() error { return srv.ServeTLS(l, cert, key) })
	})
	set("(*net.TCPListener).Accept", func(l *net.TCPListener) (net.Conn, error) { defer s.awaitNetwork(l)(); return l.Accept() })
	set("(*net.TCPListener).AcceptTCP", func(l *net.TCPListener) (*net.TCPConn, error) { defer s.awaitNetwork(l)(); return l.AcceptTCP() })
	set("(*net.UDPConn).ReadFrom", func(c *net.UDPConn, b []byte) (int, net.Addr, error) { defer s.awaitNetwork(c)(); return c.ReadFrom(b) })
	set("(*net.UDPConn).ReadFromUDP", func(c *net.UDPConn, b []byte) (int, *net.UDPAddr, error) {
		defer s.awaitNetwork(c)()
		return c.ReadFromUDP(b)
	})
}

// networkWaits lists the methods of package net's interfaces that may wait endlessly.
var networkWaits = map[string]bool{"(net.Listener).Accept": true, "(net.Conn).Read": true, "(net.PacketConn).ReadFrom": true}

// awaitNetwork is called before a call of a method of x that waits for the network. If the calling goroutine must stop
// during the call, x gets a deadline, and the call ends. The function that awaitNetwork returns must be called after the
// call; it removes the deadline.
func (s *Session) awaitNetwork(x any) (after func()) {
	c, ok := x.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return func() {}
	}
	set := make(chan bool)
	cancel := context.AfterFunc(s.Context(), func() {
		_ = c.SetDeadline(time.Now())
		close(set)
	})
	return func() {
		if !cancel() {
			<-set
			_ = c.SetDeadline(time.Time{})
		}
	}
}
