import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import classes from './column-strip.module.css';

interface ColumnStripProps<Column> {
  label: string;
  /** Undefined while they are loaded. */
  columns: readonly Column[] | undefined;
  keyOf: (column: Column) => string | number;
  textOf: (column: Column) => string;
  isChosen: (column: Column) => boolean;
  onChoose: (column: Column) => void;
  /** What a column looks like. */
  draw: (column: Column) => ReactNode;
  /** The text below while no column is under the pointer or has the focus. */
  hint: string;
  /** Marks and their meaning. */
  legend: readonly (readonly [mark: ReactNode, label: string])[];
  className?: string | undefined;
  columnClassName?: string | undefined;
}

/** A strip of columns over time. Arrow keys move between the columns, Enter chooses one. */
export function ColumnStrip<Column>({
  label,
  columns,
  keyOf,
  textOf,
  isChosen,
  onChoose,
  draw,
  hint,
  legend,
  className = '',
  columnClassName = '',
}: ColumnStripProps<Column>) {
  const { strip, current, shown, setActive, setInside, onKeyDown } = useColumns(columns);
  return (
    <div>
      {/* Arrow keys and the pointer concern the columns, which are buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <fieldset
        ref={strip}
        className={`${classes.strip} ${className}`}
        data-loading={columns === undefined || undefined}
        aria-label={label}
        onKeyDown={onKeyDown}
        onMouseEnter={() => setInside(true)}
        onMouseLeave={() => {
          setInside(false);
          setActive(undefined);
        }}
        onFocus={() => setInside(true)}
        onBlur={() => setInside(false)}
      >
        {columns?.map((column, at) => (
          <button
            key={keyOf(column)}
            type="button"
            className={`${classes.column} ${columnClassName}`}
            tabIndex={at === current ? 0 : -1}
            aria-label={textOf(column)}
            aria-pressed={isChosen(column)}
            onMouseEnter={() => setActive(at)}
            onFocus={() => setActive(at)}
            onClick={() => onChoose(column)}
          >
            {draw(column)}
          </button>
        ))}
      </fieldset>
      <div className={classes.below}>
        <p aria-hidden>{shown ? textOf(shown) : hint}</p>
        <ul className={classes.legend}>
          {legend.map(([mark, meaning]) => (
            <li key={meaning}>
              {mark} {meaning}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** The column that has the focus or is under the pointer; at first the last one can get the focus. */
function useColumns<Column>(columns: readonly Column[] | undefined) {
  const [active, setActive] = useState<number | undefined>();
  const [isInside, setInside] = useState(false);
  const strip = useRef<HTMLFieldSetElement>(null);
  const last = (columns?.length ?? 0) - 1;
  const current = Math.min(active ?? last, last);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, current + step));
    setActive(next);
    strip.current?.querySelectorAll('button')[next]?.focus();
  };
  const shown = isInside && active !== undefined ? columns?.[current] : undefined;
  return { strip, current, shown, setActive, setInside, onKeyDown };
}
