/**
 * Tasks of one node out of Slurm's `SLURM_TASKS_PER_NODE`, such as `4(x2),3`.
 *
 * @returns undefined when the text is no such list or has no such node
 */
export function tasksOfNode(text: string, node: number): number | undefined {
  let first = 0;
  for (const part of text.split(",")) {
    const match = /^(\d+)(?:\(x(\d+)\))?$/.exec(part.trim());
    if (!match) return undefined;
    first += Number(match[2] ?? 1);
    if (node < first) return Number(match[1]);
  }
  return undefined;
}

/**
 * First host of a Slurm node list, such as `gpu[003-006,010],login1` → `gpu003`.
 *
 * @returns undefined when the text is empty
 */
export function firstHost(text: string): string | undefined {
  const entry = /^(?:[^,[]|\[[^\]]*\])+/.exec(text.trim())?.[0];
  return entry?.replace(/\[([^\]]*)\]/g, (_, ranges: string) => /^[^,-]*/.exec(ranges)![0]);
}
