# Threads and queue.SimpleQueue, which takes less time than queue.Queue; None closes it.
from queue import SimpleQueue
from threading import Thread


def run(n):
    ping, pong = SimpleQueue(), SimpleQueue()

    def answer():
        while (x := ping.get()) is not None:
            pong.put(x + 1)

    t = Thread(target=answer)
    t.start()
    x = 0
    for _ in range(n):
        ping.put(3 * x % 1009)
        x = pong.get()
    ping.put(None)
    t.join()
    return x
