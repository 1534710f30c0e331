import io
import re


def run(n):
    log = io.StringIO()
    seed = 1
    for i in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        r = seed >> 8
        log.write(
            f"2026-11-{i % 28 + 1:02d} {r % 24:02d}:{r % 60:02d} host{r % 7} "
            f"GET /page/{r % 1000} {200 + r % 4 * 100} {r % 503}ms\n"
        )
    request = re.compile(r"^(\S+) (\d\d):(\d\d) \w+ GET /page/(\d+) (\d+) (\d+)ms$")
    total = 0
    for line in log.getvalue().split("\n"):
        m = request.match(line)
        if m is None or m[5] < "400":
            continue
        total += int(m[4]) % 10 * int(m[6]) + len(m[1])
    return total
