import { useNavigate, useSearch } from '@tanstack/react-router';
import { type LogTimes, lastTimes } from './log-filters.tsx';

/** The members of the address that are the filter of a log; `empty` has them all. The text stays the same while they do. */
export function useAddressFilter<Text extends LogTimes>(empty: Text) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const text = { ...empty };
  for (const name of Object.keys(empty) as (keyof Text & string)[]) text[name] = (address[name] ?? '') as never;
  const written = JSON.stringify(text);
  const change = (next: Partial<Text>) => {
    const changed = Object.entries({ ...text, ...next }).map(([name, value]) => [name, value || undefined]);
    // A link to one item shows its surroundings, whatever they are.
    void navigate({ to: '.', replace: true, search: { ...address, ...Object.fromEntries(changed), event: undefined } });
  };
  return {
    text,
    /** The text as JSON. */
    written,
    change,
    /** Undefined when no filter is set. */
    clear: written === JSON.stringify(empty) ? undefined : () => change(empty),
  };
}

interface FilterTimes {
  /** The time before each read. */
  readonly lastMs?: number;
  /** ISO 8601. */
  readonly start?: string;
  readonly end?: string;
}

/** Times that cannot be read are ignored. */
export function timesOf({ last, from, to }: LogTimes): FilterTimes {
  const lastMs = lastTimes[last];
  return lastMs ? { lastMs } : { ...(isTime(from) && { start: from }), ...(isTime(to) && { end: to }) };
}

const isTime = (at: string) => !Number.isNaN(Date.parse(at));

/** The parts of a list with commas. */
export const partsOf = (list: string) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The filter at this moment. */
export const filterNow = <Filter extends object>({
  lastMs,
  ...filter
}: Filter & { readonly lastMs?: number | undefined }) => ({
  ...filter,
  ...(lastMs && { start: new Date(Date.now() - lastMs).toISOString() }),
});
