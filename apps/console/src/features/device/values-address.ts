import { useNavigate, useSearch } from '@tanstack/react-router';

const hourMs = 3_600_000;

/** The time ranges of the values of a device. */
export const valueRanges = {
  '1h': { label: '1 h', ms: hourMs },
  '24h': { label: '24 h', ms: 24 * hourMs },
  '7d': { label: '7 d', ms: 7 * 24 * hourMs },
  '30d': { label: '30 d', ms: 30 * 24 * hourMs },
  '90d': { label: '90 d', ms: 90 * 24 * hourMs },
} as const;
export type ValueRange = keyof typeof valueRanges;
const usual: ValueRange = '7d';

/** The most devices that are compared with the one of the page. */
export const mostCompared = 4;
const shortestZoomMs = 10_000;

export interface ValuesAddress {
  readonly range: ValueRange;
  /** Milliseconds since 1970; undefined: the range ends now. */
  readonly between: { readonly from: number; readonly to: number } | undefined;
  /** Decoded fields with a chart; undefined: the usual ones. */
  readonly fields: readonly string[] | undefined;
  /** DevEUIs. */
  readonly compared: readonly string[];
}

type Search = Readonly<Record<string, string | undefined>>;

const isDevEUI = /^[0-9a-f]{16}$/;
const listOf = (text: string | undefined) => (text ? text.split(',').map((one) => decodeURIComponent(one)) : undefined);
const textOf = (list: readonly string[]) => list.map((one) => encodeURIComponent(one)).join(',');

/** What the charts show, as the address says. */
export function readAddress({ range = '', from = '', to = '', fields, with: compared }: Search): ValuesAddress {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  return {
    range: range in valueRanges ? (range as ValueRange) : usual,
    between: begin < end ? { from: begin, to: end } : undefined,
    fields: listOf(fields),
    compared: (listOf(compared) ?? []).filter((one) => isDevEUI.test(one)).slice(0, mostCompared),
  };
}

/** The address of the page, and how to change it. A zoom is a step of the browser's history. */
export function useValuesAddress() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (change: Search, replace = true) =>
    void navigate({ to: '.', replace, resetScroll: false, search: { ...search, ...change } as never });
  return {
    ...readAddress(search),
    chooseRange: (range: ValueRange) =>
      go({ range: range === usual ? undefined : range, from: undefined, to: undefined }),
    zoom: (from: number, to: number) => {
      // Also of a time that is not complete.
      if (!(to - from >= shortestZoomMs)) return;
      go({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }, false);
    },
    leaveZoom: () => go({ from: undefined, to: undefined }),
    chooseFields: (fields: readonly string[]) => go({ fields: textOf(fields) }),
    compare: (devEUIs: readonly string[]) => go({ with: textOf(devEUIs) }),
  };
}
