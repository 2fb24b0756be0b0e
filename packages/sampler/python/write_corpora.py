"""Writes the same lengths in every layout that the real libraries can write them in.

Usage: python write_corpora.py FOLDER [DOCUMENTS]. FOLDER/corpora.json lists what was written: path, options of
openLengths, and the lengths to expect. test/fixtures/corpora.tar.gz was made with 24 documents.
"""

import gzip
import io
import json
import sys
import tarfile
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

folder = Path(sys.argv[1])
written = []
random = np.random.default_rng(5)
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 400
LENGTHS = np.minimum(random.lognormal(3.5, 1.2, COUNT).astype(np.int64) + 1, 10 * COUNT)
LENGTHS[7] = 0
SMALL = LENGTHS % 100


def add(name, lengths, **options):
    values = [int(length) for length in lengths]
    written.append({"path": name, "options": options, "lengths": values})


def write_numpy():
    for code in ["i1", "u1", "<i2", ">i2", "<u2", ">u4", "<i4", "<u4", ">i8", "<i8", "<u8", "<f4", "<f8"]:
        lengths = SMALL if code.endswith("1") else LENGTHS
        for version in [(1, 0), (2, 0), (3, 0)]:
            name = f"{code.strip('<>')}_{'be' if '>' in code else 'le'}_{version[0]}.npy"
            with open(folder / name, "wb") as file:
                np.lib.format.write_array(file, lengths.astype(code), version=version)
            add(name, lengths)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)])
    np.save(folder / "border.npy", offsets)
    add("border.npy", LENGTHS, values="offsets")
    np.savez(folder / "two.npz", length=LENGTHS, other=SMALL)
    np.savez_compressed(folder / "packed.npz", length=LENGTHS, other=SMALL)
    for name in ["two.npz", "packed.npz"]:
        add(name, LENGTHS)
        add(name, SMALL, column="other")


def table():
    tokens = [list(range(length)) for length in LENGTHS.tolist()]
    return pa.table(
        {
            "text": [f"document {i}" for i in range(len(LENGTHS))],
            "kind": pa.array([f"k{i % 3}" for i in range(len(LENGTHS))]).dictionary_encode(),
            "meta": [{"length": int(length), "note": "n"} for length in LENGTHS],
            "input_ids": pa.array(tokens, pa.list_(pa.int32())),
            "large": pa.array(tokens, pa.large_list(pa.int64())),
            "length": pa.array(LENGTHS, pa.int32()),
            "wide": pa.array(LENGTHS, pa.int64()),
            "unsigned": pa.array(LENGTHS, pa.uint32()),
            "short": pa.array(LENGTHS, pa.uint16()),
            "real": pa.array(LENGTHS, pa.float64()),
        }
    )


NUMBERS = ["length", "wide", "unsigned", "short", "real"]
LISTS = ["input_ids", "large"]


def gaps():
    """Lists of which some are null and some are empty: both are no tokens."""
    tokens = [None if i % 5 == 0 else list(range(length)) for i, length in enumerate(SMALL.tolist())]
    lengths = [0 if i % 5 == 0 else length for i, length in enumerate(SMALL.tolist())]
    return pa.table({"id": list(range(len(SMALL))), "tokens": pa.array(tokens, pa.list_(pa.int16()))}), lengths


def write_parquet():
    whole = table()
    holes, hole_lengths = gaps()
    variants = [
        {"compression": codec, "data_page_version": version, "use_dictionary": dictionary}
        for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]
        for version in ["1.0", "2.0"]
        for dictionary in [True, False]
    ]
    for encoding in ["DELTA_BINARY_PACKED", "PLAIN"]:
        for version in ["1.0", "2.0"]:
            variants.append(
                {
                    "use_dictionary": False,
                    "column_encoding": {name: encoding for name in ["length", "wide", "unsigned"]},
                    "data_page_version": version,
                }
            )
    variants.append({"use_dictionary": False, "column_encoding": {"real": "BYTE_STREAM_SPLIT"}})
    variants.append({"write_page_index": True, "data_page_size": 200})
    for index, variant in enumerate(variants):
        name = f"table{index}.parquet"
        sizes = {"row_group_size": 3 * COUNT // 8, "data_page_size": 700, **variant}
        pq.write_table(whole, folder / name, **sizes)
        add(name, LENGTHS)
        for column in NUMBERS + LISTS + ["meta.length"]:
            add(name, LENGTHS, column=column)
        name = f"holes{index}.parquet"
        sizes.pop("column_encoding", None)
        pq.write_table(holes, folder / name, **sizes)
        add(name, hole_lengths)


def write_arrow():
    whole = table()
    holes, hole_lengths = gaps()
    for compression in [None, "lz4", "zstd"]:
        options = pa.ipc.IpcWriteOptions(compression=compression)
        for kind, writer in [("file", pa.ipc.new_file), ("stream", pa.ipc.new_stream)]:
            name = f"{compression}_{kind}.arrow"
            with writer(str(folder / name), whole.schema, options=options) as sink:
                for batch in whole.to_batches(max_chunksize=COUNT // 3):
                    sink.write_batch(batch)
            for column in NUMBERS + LISTS:
                add(name, LENGTHS, column=column)
            name = f"{compression}_{kind}_sliced.arrow"
            with writer(str(folder / name), holes.schema, options=options) as sink:
                sink.write_table(holes.slice(13))
            add(name, hole_lengths[13:])
    fixed = pa.table({"tokens": pa.array([[1, 2, 3]] * 9, pa.list_(pa.int32(), 3))})
    pa.feather.write_feather(fixed, str(folder / "fixed.feather"))
    add("fixed.feather", [3] * 9)


def write_datasets():
    whole = datasets.Dataset.from_dict(
        {"input_ids": [list(range(length)) for length in LENGTHS.tolist()], "n": list(range(len(LENGTHS)))}
    )
    whole.save_to_disk(str(folder / "hf_shards"), num_shards=3)
    add("hf_shards", LENGTHS)
    shuffled = whole.shuffle(seed=3).select(range(0, 3 * COUNT // 4, 2))
    shuffled.save_to_disk(str(folder / "hf_shuffled"))
    add("hf_shuffled", [LENGTHS[n] for n in shuffled["n"]])
    datasets.DatasetDict({"train": whole}).save_to_disk(str(folder / "hf_dict"))
    add("hf_dict/train", LENGTHS)


def write_text():
    records = [{"length": int(length), "input_ids": list(range(length))} for length in LENGTHS]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "records.jsonl").write_text(text)
    with gzip.open(folder / "records.jsonl.gz", "wt") as file:
        file.write(text)
    for name in ["records.jsonl", "records.jsonl.gz"]:
        add(name, LENGTHS)
        add(name, LENGTHS, column="input_ids")
    rows = "".join(f'"a, ""{i}""\nb",{length}\r\n' for i, length in enumerate(LENGTHS))
    (folder / "quoted.csv").write_text("name,num_tokens\r\n" + rows, newline="")
    add("quoted.csv", LENGTHS)


def write_tar():
    for kind, layout in [("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT), ("ustar", tarfile.USTAR_FORMAT)]:
        for mode in ["w", "w:gz"]:
            name = f"{kind}.tar{'.gz' if mode == 'w:gz' else ''}"
            with tarfile.open(folder / name, mode, format=layout) as tar:
                for i, length in enumerate(LENGTHS.tolist()[:40]):
                    deep = "d" * 90 + "/" if kind != "ustar" else ""
                    array = io.BytesIO()
                    np.save(array, np.arange(length, dtype=np.uint16))
                    put(tar, f"{deep}sample{i:04d}.tokens.npy", array.getvalue())
                    put(tar, f"{deep}sample{i:04d}.json", json.dumps({"num_tokens": length}).encode())
            add(name, LENGTHS[:40])
            add(name, LENGTHS[:40], column="num_tokens")


def put(tar, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


for write in [write_numpy, write_parquet, write_arrow, write_datasets, write_text, write_tar]:
    write()
(folder / "corpora.json").write_text(json.dumps(written))
print(f"{len(written)} corpora written")
