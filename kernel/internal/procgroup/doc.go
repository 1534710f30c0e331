// Package procgroup starts programs so that they can be ended together with all the processes that they
// started.
//
// On Unix it uses a process group, on Windows a job. On Windows a program's job is created about ten
// microseconds after the program starts. A process that the program starts before that is not part of the
// job.
package procgroup
