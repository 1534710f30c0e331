"""Completes and inspects as a front end does, also while a cell runs."""
import statistics
import sys
import time

from jupyter_client.manager import start_new_kernel

km, kc = start_new_kernel(kernel_name="overcomplete")
failed = []


def reply(msg_id):
    while True:
        msg = kc.get_shell_msg(timeout=120)
        if msg["parent_header"].get("msg_id") == msg_id:
            return msg["content"]


def check(what, ok):
    if not ok:
        failed.append(what)
        print("FAIL", what)


def complete(code, cursor=None):
    return reply(kc.complete(code, cursor))


def inspect(code, cursor=None, detail=0):
    return reply(kc.inspect(code, cursor, detail))


try:
    kc.execute_interactive('''import "gonum.org/v1/gonum/mat"
// Point is a place.
type Point struct{ X, Y float64 }
// Norm is the distance from the origin.
func (p Point) Norm() float64 { return p.X + p.Y }
where := Point{1, 2}
m := mat.NewDense(2, 3, nil)''', timeout=240)

    c = complete("where.")
    check("fields and methods: %s" % c, c["matches"] == ["Norm", "X", "Y"])
    kinds = [t["type"] for t in c["metadata"]["_jupyter_types_experimental"]]
    check("types: %s" % kinds, kinds == ["method", "field", "field"])

    smile = '"\U0001f600"; wher'  # cursor_pos counts code points
    c = complete(smile)
    check("cursor behind an emoji: %s" % c,
          c["matches"] == ["where"] and smile[c["cursor_start"]:c["cursor_end"]] == "wher")

    i = inspect("mat.NewDense(2, ")
    text = i["data"].get("text/plain", "")
    check("inspect a call: %s" % i, i["found"] and "c int" in text and "NewDense creates" in text
          and "text/markdown" in i["data"])
    i = inspect("where.Norm", detail=1)
    check("inspect a method: %s" % i, "return p.X + p.Y" in i["data"].get("text/plain", ""))
    i = inspect("where", 3)
    check("inspect a variable: %s" % i, "{X: 1, Y: 2}" in i["data"].get("text/plain", ""))
    check("nothing is found", not inspect("nosuch")["found"])
    check("a magic", "%time" in complete("%ti")["matches"])

    running = kc.execute("n := 0\nfor n >= 0 { n++ }")
    time.sleep(0.3)
    took = []
    for code in ["where.", "m.", "mat.", "n", "for i := range 3 { where.N"] * 4:
        begin = time.monotonic()
        c = complete(code)
        took.append(1000 * (time.monotonic() - begin))
        check("while a cell runs: %s" % code, c["matches"])
    i = inspect("where")
    check("no value while a cell runs", i["found"] and "value" not in i["data"]["text/plain"])
    print("complete while a cell runs: median %.1f ms, most %.1f ms" % (statistics.median(took), max(took)))
    km.interrupt_kernel()
    check("the cell was interrupted", reply(running)["status"] == "error")
finally:
    kc.stop_channels()
    km.shutdown_kernel(now=True)
sys.exit(1 if failed else 0)
