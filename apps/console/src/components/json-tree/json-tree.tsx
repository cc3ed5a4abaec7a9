import { useMemo, useState } from 'react';
import { flatten, type JsonLine } from './json-lines.ts';
import classes from './json-tree.module.css';
import { useTreeKeys } from './use-tree-keys.ts';

interface Props {
  value: unknown;
  label: string;
  /** Members that are folded initially. */
  folded?: readonly string[] | undefined;
}

/** A JSON value as a tree that folds by click, or by arrow keys when it has the focus. */
export function JsonTree({ value, label, folded: atFirst = [] }: Props) {
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
          isCurrent={index === keys.current}
          onFocus={() => keys.setCurrent(index)}
          onFold={() => line.isFolded !== null && fold(line.path, !line.isFolded)}
        />
      ))}
    </ul>
  );
}

interface LineProps {
  line: JsonLine;
  isCurrent: boolean;
  onFocus: () => void;
  onFold: () => void;
}

function Line({ line, isCurrent, onFocus, onFold }: LineProps) {
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
    </li>
  );
}
