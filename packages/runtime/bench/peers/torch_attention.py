"""Times PyTorch's CPU attention on request; the same lines as native/bench/attention.cc."""

import json
import resource
import sys
import time

import torch
import torch.nn.functional as F


def busy_seconds():
    try:
        with open("/proc/stat") as file:
            fields = [int(x) for x in file.readline().split()[1:8]]
    except OSError:
        return 0.0
    return (sum(fields) - fields[3] - fields[4]) / 100


def own_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


problems = {}


def documents(lengths, query_heads, kv_heads, dim, dtype):
    """Contiguous [1, heads, length, dim] for each document: the layout this kernel likes best."""
    torch.manual_seed(1)

    def tensor(heads, length):
        return torch.randn(1, heads, length, dim).to(dtype).requires_grad_()

    return [
        (tensor(query_heads, n), tensor(kv_heads, n), tensor(kv_heads, n), tensor(query_heads, n).detach())
        for n in lengths
    ]


def forward(problem, grouped):
    return [F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=grouped) for q, k, v, _ in problem]


def once(problem, grouped, passes):
    """Returns what remains to be done and timed; for the backward pass alone, forward ran already."""

    def inference():
        with torch.no_grad():
            forward(problem, grouped)

    def backward(outputs):
        for (q, k, v, gradient), out in zip(problem, outputs):
            q.grad = k.grad = v.grad = None
            out.backward(gradient)

    if passes == "forward":
        return inference
    if passes == "backward":
        outputs = forward(problem, grouped)
        return lambda: backward(outputs)
    return lambda: backward(forward(problem, grouped))


def answer(line):
    _, dtype, passes, lengths, query_heads, kv_heads, dim, threads = line.split()
    torch.set_num_threads(int(threads))
    grouped = query_heads != kv_heads
    key = (dtype, lengths, query_heads, kv_heads, dim)
    if key not in problems:
        problems.clear()
        sizes = [int(x) for x in lengths.split(",")]
        problems[key] = documents(sizes, int(query_heads), int(kv_heads), int(dim), getattr(torch, dtype))
        once(problems[key], grouped, passes)()
    run = once(problems[key], grouped, passes)
    busy, own, start = busy_seconds(), own_seconds(), time.perf_counter()
    run()
    seconds = time.perf_counter() - start
    own = own_seconds() - own
    foreign = max(0.0, busy_seconds() - busy - own) / seconds
    return {"seconds": own if threads == "1" else seconds, "foreign": foreign}


for request in sys.stdin:
    print(json.dumps(answer(request)), flush=True)
