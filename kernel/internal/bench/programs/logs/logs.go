// Package logs writes a log with fmt.Fprintf and parses it with a regular expression.
package logs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Run writes a log of n requests, parses it, and returns a checksum of the failed requests.
func Run(n int) int {
	var log strings.Builder
	seed := 1
	for i := range n {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		r := seed >> 8
		fmt.Fprintf(&log, "2026-11-%02d %02d:%02d host%d GET /page/%d %d %dms\n",
			i%28+1, r%24, r%60, r%7, r%1000, 200+r%4*100, r%503)
	}
	request := regexp.MustCompile(`^(\S+) (\d\d):(\d\d) \w+ GET /page/(\d+) (\d+) (\d+)ms$`)
	sum := 0
	for _, line := range strings.Split(log.String(), "\n") {
		m := request.FindStringSubmatch(line)
		if m == nil || m[5] < "400" {
			continue
		}
		page, _ := strconv.Atoi(m[4])
		ms, _ := strconv.Atoi(m[6])
		sum += page%10*ms + len(m[1])
	}
	return sum
}
