# Threads and queue.SimpleQueue, which takes less time than queue.Queue; None closes it.
# It has no bound, so that threads wait less often than Go's goroutines.
from queue import SimpleQueue
from threading import Thread


def run(n):
    into, out, total = SimpleQueue(), SimpleQueue(), SimpleQueue()

    def send():
        for i in range(n):
            into.put(i)
        for _ in range(2):
            into.put(None)

    def work():
        while (x := into.get()) is not None:
            out.put(x * x % 1009)

    def collect():
        s = 0
        while (y := out.get()) is not None:
            s += y
        total.put(s)

    workers = [Thread(target=work) for _ in range(2)]
    others = [Thread(target=send), Thread(target=collect)]
    for t in others + workers:
        t.start()
    for t in workers:
        t.join()
    out.put(None)
    for t in others:
        t.join()
    return total.get()
