"""Records the debug messages that ipykernel and its debugpy exchange with jupyter_client, as the
reference for the form of this package's own. Prints one JSON object a line: what was sent and
received, without what changes from run to run.

    /usr/bin/python3 record.py >ipykernel.jsonl
"""
import json
import re
import sys
import time

from jupyter_client.manager import KernelManager

TIMEOUT = 20
CELL = """def double(x):
    y = 2 * x
    return y

values = [1.5, 2.5]
table = {"a": 1}
print(double(3))"""


def steady(v):
    """v without process numbers, times, addresses and long lists."""
    if isinstance(v, dict):
        return {k: steady(x) for k, x in v.items()}
    if isinstance(v, list):
        return [steady(x) for x in v[:3]]
    if isinstance(v, str):
        v = re.sub(r"ipykernel_\d+", "ipykernel_PID", v)
        return re.sub(r"0x[0-9a-f]{6,}", "0xADDRESS", v)
    if isinstance(v, int) and not isinstance(v, bool) and v > 1_000_000 and v != 0xC70F6907:
        return 1_000_000
    return v


def say(direction, content):
    print(json.dumps({"dir": direction, "content": steady(content)}, sort_keys=True), flush=True)


class Client:
    def __init__(self):
        self.km = KernelManager(kernel_name="python3")
        self.km.start_kernel(cwd="/")  # not here: a module of this name would be found first
        self.kc = self.km.client()
        self.kc.start_channels()
        self.kc.wait_for_ready(timeout=TIMEOUT)
        self.seq = 0

    def events(self, until=None, timeout=TIMEOUT):
        """Prints debug events; returns the event called until."""
        end = time.time() + timeout
        while time.time() < end:
            try:
                m = self.kc.get_iopub_msg(timeout=0.3)
            except Exception:
                if until is None:
                    return None
                continue
            if m["msg_type"] == "debug_event":
                if m["content"]["event"] not in ("module", "output", "thread"):  # Python's own
                    say("event", m["content"])
                if m["content"]["event"] == until:
                    return m["content"]
        return None

    def ask(self, command, arguments=None):
        self.seq += 1
        request = {"type": "request", "seq": self.seq, "command": command, "arguments": arguments or {}}
        say("request", request)
        m = self.kc.session.msg("debug_request", request)
        self.kc.control_channel.send(m)
        while True:
            r = self.kc.get_control_msg(timeout=TIMEOUT)
            if r["parent_header"].get("msg_id") == m["header"]["msg_id"]:
                say("reply", r["content"])
                return r["content"]


def main():
    c = Client()
    c.ask("debugInfo")
    c.ask("initialize", {"clientID": "jupyterlab", "clientName": "JupyterLab", "adapterID": "python3",
                         "pathFormat": "path", "linesStartAt1": True, "columnsStartAt1": True,
                         "supportsVariableType": True, "supportsVariablePaging": True,
                         "supportsRunInTerminalRequest": True, "locale": "en"})
    c.ask("attach", {})
    c.events(timeout=1)
    c.ask("inspectVariables")
    path = c.ask("dumpCell", {"code": CELL})["body"]["sourcePath"]
    c.ask("setBreakpoints", {"breakpoints": [{"line": 3}], "source": {"path": path}, "sourceModified": False})
    c.ask("setExceptionBreakpoints", {"filters": ["uncaught"]})
    c.ask("configurationDone")
    c.ask("debugInfo")
    run = c.kc.execute(CELL)
    stop = c.events(until="stopped")
    thread = stop["body"]["threadId"]
    c.ask("debugInfo")
    c.ask("threads")
    frames = c.ask("stackTrace", {"threadId": thread})["body"]["stackFrames"]
    scopes = c.ask("scopes", {"frameId": frames[0]["id"]})["body"]["scopes"]
    for scope in scopes:
        c.ask("variables", {"variablesReference": scope["variablesReference"]})
    c.ask("evaluate", {"expression": "x + 1", "frameId": frames[0]["id"], "context": "repl"})
    c.ask("evaluate", {"expression": "no_such_name", "frameId": frames[0]["id"], "context": "repl"})
    c.ask("setVariable", {"variablesReference": scopes[0]["variablesReference"], "name": "x", "value": "7"})
    c.ask("richInspectVariables", {"variableName": "x", "frameId": frames[0]["id"]})
    c.ask("source", {"source": {"path": path}, "sourceReference": 0})
    c.ask("next", {"threadId": thread})
    c.events(until="stopped")
    c.ask("noSuchCommand", {})
    c.ask("continue", {"threadId": thread})
    c.events(timeout=2)
    c.kc.get_shell_msg(timeout=TIMEOUT)
    listed = c.ask("inspectVariables")["body"]["variables"]
    lists = [v for v in listed if v["name"] == "values"]
    c.ask("variables", {"variablesReference": lists[0]["variablesReference"]})
    c.ask("richInspectVariables", {"variableName": "table"})
    c.ask("disconnect", {"restart": False, "terminateDebuggee": False})
    c.events(timeout=1)
    c.ask("debugInfo")
    c.kc.stop_channels()
    c.km.shutdown_kernel(now=True)


if __name__ == "__main__":
    sys.exit(main())
