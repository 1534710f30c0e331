// Package protocol keeps the protocols of the papers beside their records (paper/PROTOCOL.md says
// what a protocol is, record.Protocol how it is written).
//
// What can be found out is found out, from git: when each rule was first in the record, and each
// commit that changed a rule or a verdict of it. What only people know (kinds, claims, where a
// tolerance comes from, findings, why something was changed) is kept as they wrote it.
//
// In reading order: git.go (the record's history), update.go (what follows from it).
package protocol
