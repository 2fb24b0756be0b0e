/**
 * The valid words closest to a mistyped one, for "did you mean".
 *
 * @param word - what was typed; case is ignored
 * @param valid - words that would have been right
 * @returns at most three words within a third of the typed word's length (at least 1, at most 4)
 *   edits, closest first, ties in the order of `valid`
 */
export function nearest(word: string, valid: readonly string[]): string[] {
  const typed = word.toLowerCase();
  const reach = Math.min(4, Math.max(1, Math.floor(word.length / 3)));
  return valid
    .map((candidate, index) => ({ candidate, index, edits: edits(typed, candidate.toLowerCase()) }))
    .filter((entry) => entry.edits <= reach)
    .sort((a, b) => a.edits - b.edits || a.index - b.index)
    .slice(0, 3)
    .map((entry) => entry.candidate);
}

// Optimal string alignment: insert, delete, replace, or swap two neighbours, each one edit.
function edits(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replace, previous[j]! + 1, current[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, beforePrevious[j - 2]! + 1);
      }
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
