import type { Quantities } from '@hilltop/contract';
import { useMemo, useState } from 'react';
import { flatten, type JsonLine } from './json-lines.ts';
import classes from './json-tree.module.css';
import { useTreeKeys } from './use-tree-keys.ts';

interface Props {
  value: unknown;
  label: string;
  /** Members that are folded initially. */
  folded?: readonly string[] | undefined;
  /** Units of numbers by their member names joined with a dot. */
  quantities?: Quantities | undefined;
}

/** A JSON value as a tree that folds by click, or by arrow keys when it has the focus. */
export function JsonTree({ value, label, folded: atFirst = [], quantities = {} }: Props) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set(atFirst.map((name) => `$.${name}`)));
  const lines = useMemo(() => flatten(value, folded), [value, folded]);
  const fold = (path: string, isFolded: boolean) =>
    setFolded((paths) => {
      const next = new Set(paths);
      if (isFolded) next.add(path);
      else next.delete(path);
      return next;
    });
  const keys = useTreeKeys(lines, fold);
  return (
    <ul role="tree" aria-label={label} className={classes.tree} onKeyDown={keys.onKeyDown}>
      {lines.map((line, index) => (
        <Line
          key={line.path}
          line={line}
          unit={unitOf(line, quantities)}
          isCurrent={index === keys.current}
          onFocus={() => keys.setCurrent(index)}
          onFold={() => line.isFolded !== null && fold(line.path, !line.isFolded)}
        />
      ))}
    </ul>
  );
}

/** Paths of lines begin with the root, `$.`. */
const unitOf = ({ path, kind }: JsonLine, quantities: Quantities): string =>
  kind === 'number' && Object.hasOwn(quantities, path.slice(2)) ? quantities[path.slice(2)]!.unit : '';

interface LineProps {
  line: JsonLine;
  unit: string;
  isCurrent: boolean;
  onFocus: () => void;
  onFold: () => void;
}

function Line({ line, unit, isCurrent, onFocus, onFold }: LineProps) {
  return (
    // The tree handles the keys of its items.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <li
      role="treeitem"
      aria-level={line.depth + 1}
      aria-selected={isCurrent}
      {...(line.isFolded === null ? {} : { 'aria-expanded': !line.isFolded })}
      tabIndex={isCurrent ? 0 : -1}
      className={classes.line}
      style={{ paddingInlineStart: `${line.depth * 14 + 16}px` }}
      onFocus={onFocus}
      onClick={onFold}
    >
      {line.isFolded !== null && <span aria-hidden className={classes.mark} data-folded={line.isFolded} />}
      {line.name !== null && <span className={classes.name}>{line.name}</span>}
      <span className={classes[line.kind]}>{line.text}</span>
      {unit && <span className={classes.unit}> {unit}</span>}
    </li>
  );
}
