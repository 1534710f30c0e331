"""A client with Jupyter's own session and sockets (jupyter_client, libzmq) over a hand-over.

handover.py CONNECTION_FILE prints one line of JSON for each message that is sent or received, with its
time in milliseconds, its channel, its type, and what it belongs to. 22 cells are sent at once, of which
the second needs another program; while it is replaced, requests of other kinds are under way.
"""
import json
import sys
import time

import zmq
from jupyter_client.session import Session

NEEDS = 'import "example.com/other"\n'

with open(sys.argv[1]) as f:
    info = json.load(f)
session = Session(key=info["key"].encode(), signature_scheme=info["signature_scheme"])
context = zmq.Context()


def connect(kind, port):
    s = context.socket(kind)
    s.linger = 0
    if kind == zmq.DEALER:
        s.identity = session.bsession
    s.connect("tcp://%s:%d" % (info["ip"], info[port]))
    return s


shell, control, stdin = (connect(zmq.DEALER, port) for port in ("shell_port", "control_port", "stdin_port"))
iopub = connect(zmq.SUB, "iopub_port")
iopub.subscribe(b"")
heart = connect(zmq.REQ, "hb_port")
welcome = iopub.recv_multipart()  # nothing that is published from now on is missed
time.sleep(0.2)  # the other sockets are connected

start = time.monotonic()
names = {}  # message id -> what it is
begun = set()  # the cells that have begun
waiting = {}  # what -> the messages that are still to come: "reply", "idle"


def note(direction, channel, kind, of, content):
    print(json.dumps({"ms": round(1000 * (time.monotonic() - start), 2), "dir": direction, "channel": channel,
                      "type": kind, "of": of, "content": content}), flush=True)


def send(channel, kind, what, content):
    message = session.msg(kind, content)
    names[message["header"]["msg_id"]] = what
    waiting[what] = {"reply", "idle"}
    note("->", channel, kind, what, {k: v for k, v in content.items() if k == "code"})
    session.send({"shell": shell, "control": control}[channel], message)


def execute(what, code):
    send("shell", "execute_request", what, {"code": code, "silent": False, "store_history": True,
                                            "user_expressions": {}, "allow_stdin": True, "stop_on_error": True})


def brief(content):
    keep = ("execution_state", "status", "execution_count", "name", "text", "code", "prompt", "matches", "ename", "found")
    short = {k: v for k, v in content.items() if k in keep}
    if "data" in content:
        short["data"] = content["data"].get("text/plain")
    return short


poller = zmq.Poller()
sockets = {shell: "shell", control: "control", stdin: "stdin", iopub: "iopub", heart: "heartbeat"}
for s in sockets:
    poller.register(s, zmq.POLLIN)
beat_sent = None
next_beat = 0
beats = 0


def serve(until, limit=240):
    """Receives until nothing is waited for, and keeps the heart beating."""
    global beat_sent, next_beat, beats
    end = time.monotonic() + limit
    while not until():
        if time.monotonic() > end:
            note("--", "", "gave up", "", {k: sorted(v) for k, v in waiting.items() if v})
            sys.exit(1)
        if beat_sent is None and time.monotonic() > next_beat:
            heart.send(b"beat")
            beat_sent = time.monotonic()
            beats += 1
        for s, _ in poller.poll(5):
            channel = sockets[s]
            if channel == "heartbeat":
                s.recv()
                note("<-", channel, "beat", beats, {"took": round(1000 * (time.monotonic() - beat_sent), 2)})
                beat_sent = None
                next_beat = time.monotonic() + 0.01
                continue
            _, frames = session.feed_identities(s.recv_multipart())
            m = session.deserialize(frames)
            what = names.get(m["parent_header"].get("msg_id"), "?")
            kind = m["msg_type"]
            note("<-", channel, kind, what, brief(m["content"]))
            if kind == "execute_input":
                begun.add(what)
            if channel in ("shell", "control"):
                waiting[what].discard("reply")
            elif kind == "status" and m["content"]["execution_state"] == "idle" and what in waiting:
                waiting[what].discard("idle")
            elif kind == "input_request":
                session.send(stdin, session.msg("input_reply", {"value": "Ada"}, parent=m))
                note("->", "stdin", "input_reply", what, {"value": "Ada"})


def all_done():
    return not any(waiting.values())


execute("cell 0", "func twice(x int) int { return 2 * x }")
serve(all_done)
for i in range(1, 23):
    code = "twice(%d)" % i
    if i == 2:
        code = NEEDS + code
    if i == 7:
        code = 'import "fmt"\nvar name string\nfmt.Scanln(&name)\nfmt.Print("hello ", name)'
    execute("cell %d" % i, code)
send("shell", "complete_request", "completion", {"code": "tw", "cursor_pos": 2})
send("shell", "inspect_request", "inspection", {"code": "twice", "cursor_pos": 3, "detail_level": 0})
send("control", "kernel_info_request", "info", {})
send("shell", "comm_info_request", "comms", {})
serve(all_done)
execute("program", "generation")
serve(all_done)

# How long it takes, as this client sees it: a cell with a hand-over and one without.
took = []
for i in range(20):
    for code, kind in (("1", "plain"), (NEEDS + "1", "handed over")):
        began = time.monotonic()
        execute("%s %d" % (kind, i), code)
        serve(all_done)
        took.append((kind, 1000 * (time.monotonic() - began)))
for kind in ("plain", "handed over"):
    times = sorted(t for k, t in took if k == kind)
    note("--", "", "times", kind, {"median": round(times[len(times) // 2], 1), "least": round(times[0], 1), "most": round(times[-1], 1)})

execute("endless", "for {}")
execute("after it", "1")
serve(lambda: "endless" in begun)
time.sleep(0.3)
send("control", "interrupt_request", "interrupt", {})
serve(all_done)
execute("program at last", "generation")
serve(all_done)
send("control", "shutdown_request", "shutdown", {"restart": False})
waiting["shutdown"] = {"reply"}
serve(all_done)
context.destroy()
