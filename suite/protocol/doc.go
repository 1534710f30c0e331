// Package protocol maintains the protocols of the papers (paper/PROTOCOL.md explains protocols, record.Protocol their
// format).
//
// It finds out from git in which commit each rule first appeared, and which commits changed a row's rule, verdict,
// kind or description. It preserves what only people can write: kinds, claims, the origin of a tolerance, findings,
// and the reasons for changes.
//
// In reading order: git.go (the record's history), update.go (the update of a protocol from that history).
package protocol
