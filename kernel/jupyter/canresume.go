package jupyter

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
)

// trialTime is how long a program may take to report the Format it knows.
const trialTime = 30 * time.Second

// knownSuffix is the suffix of the file that caches the Format that a program has reported.
const knownSuffix = ".format"

// CanResume returns an error unless another program can resume a Server from the Handover that this program writes.
// program is the path of the other program. CanResume runs that program with the arguments kernel -can-resume, and that
// program must print this program's Format. A positive answer is cached in a file next to the other program, and holds
// while that program's size and modification time stay the same.
func CanResume(ctx context.Context, program string) error {
	info, err := os.Stat(program)
	if err != nil {
		return fmt.Errorf("the program no longer exists: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a program", program)
	}
	line := fmt.Sprintf("format %d, %d bytes, written %d\n", Format, info.Size(), info.ModTime().UnixNano())
	if known, err := os.ReadFile(program + knownSuffix); err == nil && string(known) == line {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "kernel", "-can-resume")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the program does not start: %w: %.500s", err, errs.String())
	}
	if got := strings.TrimSpace(out.String()); got != fmt.Sprint(Format) {
		return fmt.Errorf("the program reads handovers of format %.20q, not %d", got, Format)
	}
	atomicfile.Write(program+knownSuffix, []byte(line), 0o600) // if this fails, the program is asked again next time
	return nil
}
