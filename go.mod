module overcomplete

go 1.26.0

require (
	codeberg.org/go-fonts/latin-modern v0.4.0
	codeberg.org/go-fonts/liberation v0.5.0
	codeberg.org/go-pdf/fpdf v0.11.1
	github.com/andybalholm/brotli v1.2.1
	github.com/ebitengine/purego v0.11.3
	github.com/go-gota/gota v0.12.0
	github.com/go-zeromq/zmq4 v0.17.0
	github.com/google/pprof v0.0.0-20260802141513-ef3492d7dac3
	github.com/goplus/ixgo v1.1.1
	github.com/goplus/reflectx v1.7.8
	github.com/landlock-lsm/go-landlock v0.11.0
	github.com/microcosm-cc/bluemonday v1.0.27
	github.com/mmcloughlin/avo v0.5.0
	github.com/tetratelabs/wazero v1.12.0
	github.com/visualfc/funcval v0.1.5
	github.com/visualfc/gid v0.3.1
	github.com/yuin/goldmark v1.8.7
	golang.org/x/image v0.30.0
	golang.org/x/mod v0.39.0
	golang.org/x/net v0.58.0
	golang.org/x/sys v0.49.0
	golang.org/x/tools v0.49.0
	gonum.org/v1/gonum v0.17.0
	gonum.org/v1/plot v0.17.0
)

require (
	codeberg.org/go-latex/latex v0.2.0 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/go-zeromq/goczmq/v4 v4.2.2 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/gorilla/css v1.0.1 // indirect
	github.com/timandy/routine v1.1.6 // indirect
	github.com/visualfc/goembed v0.3.4 // indirect
	github.com/visualfc/xtype v0.3.3 // indirect
	golang.org/x/sync v0.22.0
	golang.org/x/text v0.41.0 // indirect
	kernel.org/pub/linux/libs/security/libcap/psx v1.2.77 // indirect
)
