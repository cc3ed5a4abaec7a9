/**
 * A form that was left to make what it lacks, and what it held, until the new thing is made. Only in memory: forms hold
 * keys, and a page that was loaded anew has forgotten them.
 */
interface ReturnPath {
  /** Address of the form. */
  back: string;
  /** What its page is called. */
  from: string;
  draft?: Draft;
}

interface Draft {
  /** The message the form is over, and its values so far. */
  message: string;
  values: object;
  /** The field that waits for the new thing. */
  field: string;
}

const most = 10;
const detours = new Map<string, ReturnPath>();
let count = 0;
let returned: { address: string; draft: Draft } | undefined;

const here = () => location.pathname + location.search;

/** Leaves this page for a while; answers what the address of the next one is given as `for`. */
export function saveReturnPath(draft?: Draft): string {
  const id = String(++count);
  const [from = ''] = document.title.split(' · ');
  detours.set(id, { back: here(), from, ...(draft && { draft }) });
  const [oldest] = detours.keys();
  if (detours.size > most && oldest !== undefined) detours.delete(oldest);
  return id;
}

/** Where a page leads back to; undefined where nobody waits. */
export const returnPathOf = (id: string | undefined): ReturnPath | undefined =>
  id === undefined ? undefined : detours.get(id);

/** Ends it, with the id of what was made if it was; answers where to go. */
export function takeReturnPath(id: string, made?: string): string | undefined {
  const detour = detours.get(id);
  detours.delete(id);
  if (!detour) return undefined;
  const { back, draft } = detour;
  if (draft) {
    const values = made === undefined ? draft.values : { ...draft.values, [draft.field]: made };
    returned = { address: back, draft: { ...draft, values } };
  }
  return back;
}

/** What a form held before, when somebody has come back to it. */
export function draftOf<Values>(message: string): Values | undefined {
  if (returned?.address !== here() || returned.draft.message !== message) return undefined;
  return returned.draft.values as Values;
}

/** It was filled in again. */
export function discardDraft(): void {
  returned = undefined;
}
