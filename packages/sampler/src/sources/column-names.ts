import { LibraError, nearest } from "@libra/base";

/** Usual names of a column that holds lengths, most telling first. */
const lengthNames = [
  "length",
  "lengths",
  "num_tokens",
  "n_tokens",
  "token_count",
  "num_token",
  "tokens_count",
  "seq_len",
  "seq_length",
  "seqlen",
  "sequence_length",
  "document_length",
  "doc_length",
  "len",
];

/** Usual names of a column whose lists are the tokens. */
const tokenNames = ["input_ids", "tokens", "token_ids", "ids"];

/** One column a file offers: `number` holds the length itself, `list` is as long as the document. */
export interface ColumnOffer {
  name: string;
  kind: "number" | "list" | "other";
}

/**
 * The column that gives lengths: the one asked for, else a usual length name, else a usual token
 * list, else the only list.
 *
 * @throws LibraError `ARGUMENT` that lists the columns, when none fits
 */
export function chooseColumn<Offer extends ColumnOffer>(
  path: string,
  offers: readonly Offer[],
  wanted: string | undefined,
): Offer {
  if (wanted !== undefined) {
    const asked = offers.find((offer) => offer.name === wanted);
    if (asked === undefined) throw noColumn(path, offers, wanted);
    if (asked.kind !== "other") return asked;
    throw new LibraError(
      "ARGUMENT",
      `${path}: column ${wanted} holds neither numbers nor lists of tokens; columns: ${listed(offers)}`,
      { details: { path, column: wanted } },
    );
  }
  const usual =
    named(offers, lengthNames, "number") ??
    named(offers, tokenNames, "list") ??
    only(offers.filter((offer) => offer.kind === "list"));
  if (usual === undefined) throw noColumn(path, offers, undefined);
  return usual;
}

function named<Offer extends ColumnOffer>(
  offers: readonly Offer[],
  names: readonly string[],
  kind: ColumnOffer["kind"],
): Offer | undefined {
  for (const name of names) {
    const found = offers.find((offer) => offer.name === name && offer.kind === kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

function only<Offer>(offers: readonly Offer[]): Offer | undefined {
  return offers.length === 1 ? offers[0] : undefined;
}

function noColumn(
  path: string,
  offers: readonly ColumnOffer[],
  wanted: string | undefined,
): LibraError {
  const names = offers.map((offer) => offer.name);
  const close = wanted === undefined ? [] : nearest(wanted, names);
  const hint = close.length === 0 ? "" : `; did you mean ${close.join(" or ")}?`;
  const problem =
    wanted === undefined
      ? "no column is named like a length or a token list; name one with the column option"
      : `there is no column ${wanted}`;
  return new LibraError("ARGUMENT", `${path}: ${problem}; columns: ${listed(offers)}${hint}`, {
    details: { path, columns: names },
  });
}

function listed(offers: readonly ColumnOffer[]): string {
  if (offers.length === 0) return "none";
  const shown = offers.slice(0, 20).map((offer) => `${offer.name} (${offer.kind})`);
  if (offers.length > shown.length) shown.push(`and ${offers.length - shown.length} more`);
  return shown.join(", ");
}
