// Package protocol maintains the protocols of the papers next to their records (paper/PROTOCOL.md explains
// protocols, record.Protocol their format).
//
// It determines from git when each rule was first in the record, and which commits changed a rule or its verdict. It
// keeps the entries that only people can write: kinds, claims, the origin of a tolerance, findings, the reasons for
// changes.
//
// In reading order: git.go (the record's history), update.go (the update of a protocol from that history).
package protocol
