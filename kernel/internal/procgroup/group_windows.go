package procgroup

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/windows"
)

// A Group is a program and all processes started by it.
type Group struct {
	cmd *exec.Cmd
	job windows.Handle // 0 if the system provides no job
}

// Start starts cmd in a new group.
func Start(cmd *exec.Cmd) (*Group, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &Group{cmd: cmd}
	if job, err := newJob(cmd.Process.Pid); err == nil {
		g.job = job
		runtime.AddCleanup(g, func(job windows.Handle) { windows.CloseHandle(job) }, job)
	}
	return g, nil
}

// newJob returns a job with the process pid and all processes that this process will start. The processes continue when
// the job's handle is closed.
func newJob(pid int) (windows.Handle, error) {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(p)
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	if err := windows.AssignProcessToJobObject(job, p); err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// Interrupt does nothing: a Windows program without its own console cannot be asked to stop.
func (g *Group) Interrupt() {}

// Kill ends all remaining processes of the group.
func (g *Group) Kill() {
	if g.job == 0 || windows.TerminateJobObject(g.job, 1) != nil {
		g.cmd.Process.Kill()
	}
	runtime.KeepAlive(g)
}

// Nice does nothing.
func (g *Group) Nice() {}
