"""A data set of documents that hands out pieces, and a collate function that packs them."""

import numpy as np
import torch

IGNORED = -100


class DocumentPieces(torch.utils.data.Dataset):
    """Tokens of many documents end to end; an item is (document, start, length)."""

    def __init__(self, tokens, lengths):
        self.tokens = tokens
        self.starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, piece):
        document, start, length = piece
        first = int(self.starts[document]) + start
        return torch.from_numpy(self.tokens[first : first + length].astype(np.int64))


def pack(pieces):
    """One packed sequence: tokens, targets, positions and document borders for varlen attention.

    Positions restart at each piece and a piece's last token has no target, so that nothing crosses a
    document's border. An empty list (a filler) gives empty tensors and weight 0.
    """
    if not pieces:
        empty = torch.zeros(0, dtype=torch.int64)
        borders = torch.zeros(1, dtype=torch.int32)
        return {"tokens": empty, "targets": empty, "positions": empty, "cu_seqlens": borders, "weight": 0}
    lengths = torch.tensor([len(piece) for piece in pieces])
    end = torch.tensor([IGNORED])
    return {
        "tokens": torch.cat(pieces),
        "targets": torch.cat([torch.cat([piece[1:], end]) for piece in pieces]),
        "positions": torch.cat([torch.arange(len(piece)) for piece in pieces]),
        "cu_seqlens": torch.cat([torch.zeros(1, dtype=torch.int32), lengths.cumsum(0).int()]),
        "weight": 1,
    }
