// Package protocol maintains the protocols of the papers next to their records (paper/PROTOCOL.md
// says what a protocol is, record.Protocol how it is written).
//
// It determines from git when each rule was first in the record, and each commit that changed a
// rule or its verdict. What only people can know (kinds, claims, the origin of a tolerance,
// findings, the reasons for changes) is kept as they wrote it.
//
// In reading order: git.go (the record's history), update.go (what follows from it).
package protocol
