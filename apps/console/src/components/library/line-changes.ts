export interface ChangedLine {
  kind: 'same' | 'removed' | 'added' | 'skipped';
  text: string;
}

/** Lines around a change. */
const context = 2;
/** Between larger texts, everything between the first and the last change counts as changed. */
const mostCells = 4_000_000;

/** The lines that differ between two texts, with some lines around them. */
export function lineChanges(before: string, after: string): ChangedLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < young.length - start && old.at(-1 - end) === young.at(-1 - end)) end += 1;
  const [oldMiddle, youngMiddle] = [old.slice(start, old.length - end), young.slice(start, young.length - end)];
  const middle =
    oldMiddle.length * youngMiddle.length > mostCells
      ? [...toLines('removed', oldMiddle), ...toLines('added', youngMiddle)]
      : commonLines(oldMiddle, youngMiddle);
  const same = (lines: readonly string[]) => toLines('same', lines);
  return shortened([...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))]);
}

const toLines = (kind: ChangedLine['kind'], lines: readonly string[]) => lines.map((text) => ({ kind, text }));

/** By the longest common subsequence. */
function commonLines(old: readonly string[], young: readonly string[]): ChangedLine[] {
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = young.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        old[i] === young[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      lines.push({ kind: 'same', text: old[i]! });
      i += 1;
      j += 1;
    } else if (j === young.length || (i < old.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      lines.push({ kind: 'removed', text: old[i]! });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: young[j]! });
      j += 1;
    }
  }
  return lines;
}

/** Replaces lines far from a change by one that says how many they are. */
function shortened(lines: readonly ChangedLine[]): ChangedLine[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') for (let line = at - context; line <= at + context; line += 1) near.add(line);
  });
  const shown: ChangedLine[] = [];
  let skipped = 0;
  const flush = () => {
    if (skipped > 0) shown.push({ kind: 'skipped', text: skipped === 1 ? '1 same line' : `${skipped} same lines` });
    skipped = 0;
  };
  lines.forEach((line, at) => {
    if (near.has(at)) {
      flush();
      shown.push(line);
    } else skipped += 1;
  });
  flush();
  return shown;
}
