// Package procgroup starts programs so that they can be ended together with all the processes that they
// started.
//
// On Unix it uses a process group, on Windows a job. On Windows, a process that a program starts before its
// job exists, within some ten microseconds of its own start, is not part of the job.
package procgroup
