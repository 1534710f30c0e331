package capture

// A Stream is standard output or standard error.
type Stream int

// Standard output and standard error.
const (
	Stdout Stream = iota
	Stderr
)

// String returns the stream's name in the Jupyter protocol.
func (s Stream) String() string { return [...]string{"stdout", "stderr"}[s] }

// valid returns the text of b. As in JSON, each byte that is not part of valid UTF-8 becomes U+FFFD.
func valid(b []byte) string { return string([]rune(string(b))) }
