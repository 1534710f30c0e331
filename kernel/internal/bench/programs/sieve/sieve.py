# The loop is written out, as in Go: a slice that is assigned at once would be C's loop.
def run(n):
    composite = [False] * (n + 1)
    primes = 0
    for i in range(2, n + 1):
        if composite[i]:
            continue
        primes += 1
        for j in range(i * i, n + 1, i):
            composite[j] = True
    return primes
