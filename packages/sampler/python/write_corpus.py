"""Writes one corpus for check_plans.py: lengths, tokens, a Megatron data set and its GPTDataset cache.

Usage: python write_corpus.py FOLDER
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np

WINDOW = 512
EOD = 60000


def document(index, length):
    """Tokens of a document: known from its index alone, the last one ends it."""
    tokens = (np.arange(length, dtype=np.int64) * 31 + index * 7919) % 50000
    tokens[-1:] = EOD
    return tokens.astype(np.uint16)


def lengths_of(count=900):
    random = np.random.default_rng(11)
    return np.minimum(random.lognormal(4.2, 1.4, count).astype(np.int32) + 1, 2500)


def main(folder):
    lengths = lengths_of()
    np.save(folder / "lengths.npy", lengths)
    tokens = np.concatenate([document(i, length) for i, length in enumerate(lengths.tolist())])
    tokens.tofile(folder / "tokens.u16")
    tokens.tofile(folder / "megatron.bin")
    write_index(folder / "megatron.idx", lengths)
    write_cache(folder / "cache", lengths)


def write_index(path, lengths):
    count = len(lengths)
    pointers = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))[:-1]]) * 2
    with open(path, "wb") as file:
        file.write(b"MMIDIDX\x00\x00" + struct.pack("<QBQQ", 1, 8, count, count + 1))
        file.write(lengths.astype("<i4").tobytes())
        file.write(pointers.astype("<i8").tobytes())
        file.write(np.arange(count + 1, dtype="<i8").tobytes())


def write_cache(folder, lengths):
    """As GPTDataset builds it: documents shuffled, cut into samples, samples shuffled."""
    folder.mkdir(exist_ok=True)
    random = np.random.RandomState(1234)
    documents = np.arange(len(lengths), dtype=np.int32)
    random.shuffle(documents)
    samples = (int(lengths.sum()) - 1) // WINDOW
    ends = np.cumsum(lengths[documents].astype(np.int64))
    index = np.zeros((samples + 1, 2), dtype=np.int32)
    for sample in range(samples + 1):
        token = sample * WINDOW
        entry = int(np.searchsorted(ends, token, side="right"))
        index[sample] = entry, token - (int(ends[entry - 1]) if entry else 0)
    shuffle = np.arange(samples, dtype=np.uint32)
    random.shuffle(shuffle)
    description = json.dumps(
        {"class": "GPTDataset", "dataset_path": "megatron", "sequence_length": WINDOW}, indent=4
    )
    prefix = folder / f"{hashlib.md5(description.encode()).hexdigest()}-GPTDataset-train"
    Path(f"{prefix}-description.txt").write_text(description)
    np.save(f"{prefix}-document_index.npy", documents)
    np.save(f"{prefix}-sample_index.npy", index)
    np.save(f"{prefix}-shuffle_index.npy", shuffle)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
