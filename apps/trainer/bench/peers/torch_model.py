"""Trains Hugging Face's Qwen3 with PyTorch on request: one line `step N` gives one step on window N.

    torch_model.py FOLDER DTYPE THREADS [WAY]

FOLDER holds the model in Hugging Face layout, ids.bin (int32), and setting.json: lengths of the documents
of each window, and the optimizer's constants. Documents do not see each other. WAY is such as
packed,grouped or single,repeated,copy; without it the quickest is taken after a trial of each, which the
line `setting` tells. In bfloat16 the model runs under autocast, or (copy) as a bfloat16 copy beside
float32 masters, whichever is quicker.
"""

import copy
import json
import pathlib
import resource
import sys
import time

import torch
import torch.nn.functional as F
from transformers import AttentionInterface, AttentionMaskInterface, Qwen3ForCausalLM

folder, dtype, threads = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
torch.set_num_threads(threads)
setting = json.loads((folder / "setting.json").read_text())
ids_of_all = torch.frombuffer(bytearray((folder / "ids.bin").read_bytes()), dtype=torch.int32).long()
grouped = True
lengths_now: list[int] = []


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


def documents_attention(module, query, key, value, attention_mask, scaling, dropout=0.0, **_):
    """PyTorch's attention for each document of one packed row; [1, heads, rows, width]."""
    repeats = query.shape[1] // key.shape[1]
    if not grouped:
        key, value = (x.repeat_interleave(repeats, dim=1) for x in (key, value))
    parts = [
        F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling, enable_gqa=grouped)
        for q, k, v in zip(*(x.split(lengths_now, dim=2) for x in (query, key, value)))
    ]
    return torch.cat(parts, dim=2).transpose(1, 2), None


AttentionInterface.register("documents", documents_attention)
AttentionMaskInterface.register("documents", lambda *_, **__: None)
model = Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="documents")
model.train()
parameters = list(model.parameters())
rounded = copy.deepcopy(model).to(torch.bfloat16) if dtype == "bfloat16" else None
optimizer = torch.optim.AdamW(
    [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": setting["weightDecay"]},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ],
    betas=(setting["beta1"], setting["beta2"]),
    eps=setting["epsilon"],
    fused=True,
)


def window_of(index):
    index %= len(setting["windows"])
    lengths = setting["windows"][index]
    start = sum(sum(window) for window in setting["windows"][:index])
    return lengths, ids_of_all[start : start + sum(lengths)]


def loss_sum(network, ids, lengths):
    """Sum of the loss over documents side by side; a document's last token has no target."""
    global lengths_now
    lengths_now = lengths
    positions = torch.cat([torch.arange(n) for n in lengths])
    targets = torch.cat([F.pad(part[1:], (0, 1), value=-100) for part in ids.split(lengths)])
    logits = network(input_ids=ids[None], position_ids=positions[None], use_cache=False).logits[0]
    return F.cross_entropy(logits.float(), targets, ignore_index=-100, reduction="sum")


def gradients(index, packed, rounds):
    """One pass forward and backward over a window; all documents at once, or one by one."""
    lengths, ids = window_of(index)
    targets = sum(n - 1 for n in lengths)
    groups = [(ids, lengths)] if packed else [(part, [len(part)]) for part in ids.split(lengths)]
    network = rounded if rounds == "copy" else model
    total = 0.0
    for part, lengths_of_part in groups:
        with torch.autocast("cpu", torch.bfloat16, enabled=rounds == "autocast"):
            loss = loss_sum(network, part, lengths_of_part) / targets
        loss.backward()
        total += loss.item()
    if rounds == "copy":
        for master, parameter in zip(parameters, rounded.parameters()):
            master.grad = parameter.grad.float()
            parameter.grad = None
    return total


def step(index, packed, rounds):
    rate = setting["learningRate"] * min(1.0, (index + 1) / max(1, setting["warmupSteps"]))
    for group in optimizer.param_groups:
        group["lr"] = rate
    loss = gradients(index, packed, rounds)
    torch.nn.utils.clip_grad_norm_(parameters, setting["clipNorm"], foreach=True)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if rounds == "copy":
        with torch.no_grad():
            torch._foreach_copy_(list(rounded.parameters()), parameters)
    return loss


def choose(way):
    """The quickest of: packed or one by one, grouped or repeated keys, autocast or a copy."""
    global grouped
    rounds = "none" if rounded is None else "copy" if "copy" in way else "autocast"
    if way:
        grouped = "grouped" in way
        return {"packed": "packed" in way, "rounds": rounds}, []
    tried = []

    def trial(packed, group, rounds):
        global grouped
        grouped = group
        start = time.perf_counter()
        gradients(0, packed, rounds)
        optimizer.zero_grad(set_to_none=True)
        seconds = time.perf_counter() - start
        tried.append({"packed": packed, "grouped": group, "rounds": rounds, "seconds": seconds})

    # The first run warms up.
    trial(True, True, rounds)
    tried.clear()
    for packed in (True, False):
        for group in (True, False):
            trial(packed, group, rounds)
    best = min(tried, key=lambda entry: entry["seconds"])
    if rounded is not None:
        trial(best["packed"], best["grouped"], "copy")
        best = min(tried, key=lambda entry: entry["seconds"])
    grouped = best["grouped"]
    return {"packed": best["packed"], "rounds": best["rounds"]}, tried


chosen, tried = choose(sys.argv[4] if len(sys.argv) > 4 else "")
for request in sys.stdin:
    word, index = request.split()
    if word == "setting":
        print(json.dumps({**chosen, "grouped": grouped, "tried": tried}), flush=True)
        continue
    busy, own, start = busy_seconds(), own_seconds(), time.perf_counter()
    loss = step(int(index), **chosen)
    seconds = time.perf_counter() - start
    foreign = max(0.0, busy_seconds() - busy - (own_seconds() - own)) / seconds
    print(json.dumps({"loss": loss, "seconds": seconds, "foreign": foreign}), flush=True)
