def quotient(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        return -1


def run(n):
    total = 0
    for i in range(n):
        total += quotient(i, i % 7 + 1)
    return total
