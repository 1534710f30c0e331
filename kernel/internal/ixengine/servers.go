package ixengine

import (
	"context"
	"net"
	"net/http"
)

// servers replaces the functions that serve HTTP until the server is closed. They take no context, so the server is
// closed when the calling goroutine must stop. Otherwise its address would stay in use until the kernel ends, and the
// cell could not run again.
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
}
