package wire

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"strconv"

	"overcomplete/internal/atomicfile"
)

// ConnectionInfo is the content of a connection file: the addresses at which a
// kernel listens and the key with which messages are signed.
type ConnectionInfo struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // for ipc, a path; each socket appends "-<port>" to it
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	StdinPort       int    `json:"stdin_port"`
	IOPubPort       int    `json:"iopub_port"`
	HBPort          int    `json:"hb_port"`
	SignatureScheme string `json:"signature_scheme"` // "hmac-sha256"
	Key             string `json:"key"`              // signing key; "" disables signing
	KernelName      string `json:"kernel_name,omitempty"`
}

// ports returns the ports with their names in the connection file.
func (c ConnectionInfo) ports() []struct {
	name string
	port int
} {
	return []struct {
		name string
		port int
	}{
		{"shell_port", c.ShellPort}, {"control_port", c.ControlPort},
		{"stdin_port", c.StdinPort}, {"iopub_port", c.IOPubPort}, {"hb_port", c.HBPort},
	}
}

// Validate returns an error if c is invalid. The error names the field as in the connection file.
func (c ConnectionInfo) Validate() error {
	switch c.Transport {
	case "tcp", "ipc":
	case "":
		return errors.New("wire: connection file: transport is missing")
	default:
		return fmt.Errorf("wire: connection file: unknown transport %q (use tcp or ipc)", c.Transport)
	}
	if c.IP == "" {
		return errors.New("wire: connection file: ip is missing")
	}
	seen := map[int]string{}
	for _, p := range c.ports() {
		if p.port < 1 || p.port > 65535 {
			return fmt.Errorf("wire: connection file: %s is %d, not between 1 and 65535", p.name, p.port)
		}
		if other, dup := seen[p.port]; dup {
			return fmt.Errorf("wire: connection file: %s and %s are both %d", other, p.name, p.port)
		}
		seen[p.port] = p.name
	}
	if c.Key != "" && c.SignatureScheme != "hmac-sha256" {
		return fmt.Errorf("wire: connection file: unknown signature_scheme %q (use hmac-sha256)", c.SignatureScheme)
	}
	return nil
}

// ParseConnectionInfo parses the content of a connection file. It ignores
// unknown fields.
func ParseConnectionInfo(data []byte) (ConnectionInfo, error) {
	var c ConnectionInfo
	if err := json.Unmarshal(data, &c); err != nil {
		return ConnectionInfo{}, fmt.Errorf("wire: connection file: %w", err)
	}
	if err := c.Validate(); err != nil {
		return ConnectionInfo{}, err
	}
	return c, nil
}

// ReadConnectionFile reads and validates the connection file at path.
func ReadConnectionFile(path string) (ConnectionInfo, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return ConnectionInfo{}, fmt.Errorf("wire: connection file: %w", err)
	}
	c, err := ParseConnectionInfo(data)
	if err != nil {
		return ConnectionInfo{}, fmt.Errorf("%w (in %s)", err, path)
	}
	return c, nil
}

// WriteFile writes c to path atomically, readable only by the owner.
func (c ConnectionInfo) WriteFile(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("wire: connection file: %w", err)
	}
	if err := atomicfile.Write(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("wire: connection file: %w", err)
	}
	return nil
}

// NewConnectionInfo returns a ConnectionInfo with a random key and five free TCP ports of the loopback interface. The
// ports are not reserved, as is usual for front ends: another program may take a port before the kernel listens.
func NewConnectionInfo() (ConnectionInfo, error) {
	c := ConnectionInfo{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", KernelName: "overcomplete"}
	for _, p := range []*int{&c.ShellPort, &c.ControlPort, &c.StdinPort, &c.IOPubPort, &c.HBPort} {
		// All five listeners stay open until this function returns, so that the ports differ.
		l, err := listenAnywhere()
		if err != nil {
			return ConnectionInfo{}, fmt.Errorf("wire: no free port: %w", err)
		}
		defer l.Close()
		*p = l.Addr().(*net.TCPAddr).Port
	}
	var key [32]byte
	rand.Read(key[:]) // never fails: if there is no randomness, it ends the program
	c.Key = hex.EncodeToString(key[:])
	return c, nil
}

// listenAnywhere listens on a random loopback port below the ephemeral ports, which systems hand out for port 0 and
// for outgoing connections. So the port is likely to stay free from the moment at which the caller closes the listener
// until the kernel, a different process, listens on it. If no such port is found, an ephemeral port is used.
func listenAnywhere() (net.Listener, error) {
	const lowest, beyond = 20000, 32768
	for range 100 {
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", lowest+mathrand.IntN(beyond-lowest))); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// address returns the arguments of net.Listen or net.Dial for one of the ports of c.
func (c ConnectionInfo) address(port int) (network, addr string) {
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + strconv.Itoa(port)
	}
	ip := c.IP
	if ip == "*" { // ZeroMQ's notation for all interfaces
		ip = "0.0.0.0"
	}
	return "tcp", net.JoinHostPort(ip, strconv.Itoa(port))
}
