# Runs a program each time a line arrives; the first line is the program.
import json
import sys
import time

program = json.loads(sys.stdin.readline())
names = {}
exec(compile(program["Declare"], "declare", "exec"), names)
code = compile(program["Run"], "run", "exec")
for _ in sys.stdin:
    begin, used = time.perf_counter(), time.process_time()
    exec(code, names)
    # The smaller one, for the reasons in watch.go.
    took = min(time.perf_counter() - begin, time.process_time() - used)
    print(names["result"], took * 1e3, flush=True)
