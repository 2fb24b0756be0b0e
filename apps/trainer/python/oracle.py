"""Writes the oracle fixtures of apps/trainer/test/fixtures from Hugging Face Qwen3 in float32.

    python -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python oracle.py ../test/fixtures

Each folder holds the model in Hugging Face layout (config.json, model.safetensors) and expected.safetensors:
ids, documents (their lengths), logits, loss, and "grad." + name for every parameter. Two documents of
unequal length are packed through position ids; use_cache=False, because with a cache transformers 5 lets
packed documents see each other. The generator checks packed logits against the documents run one by one.

bfloat16.json beside them says how far the same model in torch's bfloat16 is from that: loss, greatest
difference of the logits, and of every gradient the distance relative to its norm.
"""

import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers import Qwen3Config, Qwen3ForCausalLM

DOCUMENTS = [37, 19]

VARIANTS = {
    # hidden is not heads * head_dim on purpose: q_proj and o_proj are not square then
    "qwen3-untied": dict(
        vocab_size=96,
        hidden_size=48,
        intermediate_size=80,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        tie_word_embeddings=False,
    ),
    "qwen3-tied": dict(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=8,
        tie_word_embeddings=True,
    ),
}


def randomise(model: Qwen3ForCausalLM) -> None:
    """Larger than the usual 0.02, so that logits, softmax and every gradient are far from zero."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(1 + 0.2 * noise if parameter.dim() == 1 else 0.15 * noise)


def loss_of(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Sum over valid targets divided by their number; a document's last token has no target."""
    total, count, start = 0, 0, 0
    for length in DOCUMENTS:
        end = start + length
        total = total + torch.nn.functional.cross_entropy(
            logits[0, start : end - 1], ids[0, start + 1 : end], reduction="sum"
        )
        count += length - 1
        start = end
    return total / count


def rounded_results(folder: pathlib.Path, ids: torch.Tensor, positions: torch.Tensor, exact: dict) -> dict:
    """What torch makes of the model in bfloat16, against the float32 results."""
    model = Qwen3ForCausalLM.from_pretrained(
        folder, dtype=torch.bfloat16, attn_implementation="eager"
    ).train()
    logits = model(input_ids=ids, position_ids=positions, use_cache=False).logits.float()
    loss = loss_of(logits, ids)
    loss.backward()
    distances = {}
    for key, parameter in model.named_parameters():
        expected = exact["grad." + key].double()
        distance = (parameter.grad.double() - expected).norm() / expected.norm()
        distances[key] = float(f"{distance.item():.4g}")
    difference = (logits[0] - exact["logits"]).abs().max().item()
    return {"loss": loss.item(), "logits": float(f"{difference:.4g}"), "gradients": distances}


def build(name: str, sizes: dict, folder: pathlib.Path) -> None:
    config = Qwen3Config(
        **sizes,
        max_position_embeddings=256,
        rms_norm_eps=1e-6,
        rope_theta=1e6,
        attention_bias=False,
        attn_implementation="eager",
    )
    model = Qwen3ForCausalLM(config).float().train()
    randomise(model)
    torch.manual_seed(0)
    ids = torch.randint(0, sizes["vocab_size"], (1, sum(DOCUMENTS)))
    positions = torch.cat([torch.arange(length) for length in DOCUMENTS])[None]

    logits = model(input_ids=ids, position_ids=positions, use_cache=False).logits
    separate = torch.cat(
        [model(input_ids=part, use_cache=False).logits for part in ids.split(DOCUMENTS, dim=1)], 1
    )
    leak = (logits - separate).abs().max().item()
    assert leak < 1e-4, f"packed documents leak: {leak}"
    loss = loss_of(logits, ids)
    loss.backward()

    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    expected = {
        "ids": ids[0].to(torch.int32),
        "documents": torch.tensor(DOCUMENTS, dtype=torch.int32),
        "logits": logits[0].detach().contiguous(),
        "loss": loss.detach().reshape(1),
    }
    for key, parameter in model.named_parameters():
        expected["grad." + key] = parameter.grad.contiguous()
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    save_file(expected, folder / "expected.safetensors", metadata=versions)
    rounded = rounded_results(folder, ids, positions, expected)
    (folder / "bfloat16.json").write_text(json.dumps(rounded, indent=2) + "\n")
    print(name, json.dumps({"loss": loss.item(), "leak": leak, "max logit": logits.abs().max().item()}))


if __name__ == "__main__":
    torch.set_num_threads(1)
    for variant, sizes in VARIANTS.items():
        build(variant, sizes, pathlib.Path(sys.argv[1]) / variant)
