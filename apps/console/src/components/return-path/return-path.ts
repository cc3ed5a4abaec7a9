/**
 * The forms that a user left to create a missing object, with their input. Stored only in memory: forms contain keys,
 * and a reload discards them.
 */
interface ReturnPath {
  /** Address of the form. */
  back: string;
  /** Title of its page. */
  from: string;
  draft?: Draft;
}

interface Draft {
  /** The message of the form, and its values so far. */
  message: string;
  values: object;
  /** The field that needs the new object. */
  field: string;
}

const most = 10;
const detours = new Map<string, ReturnPath>();
let count = 0;
let returned: { address: string; draft: Draft } | undefined;

const here = () => location.pathname + location.search;

/** Remembers this page; returns the value of the `for` parameter of the next page. */
export function saveReturnPath(draft?: Draft): string {
  const id = String(++count);
  const [from = ''] = document.title.split(' · ');
  detours.set(id, { back: here(), from, ...(draft && { draft }) });
  const [oldest] = detours.keys();
  if (detours.size > most && oldest !== undefined) detours.delete(oldest);
  return id;
}

/** The form that a page returns to; undefined when there is none. */
export const returnPathOf = (id: string | undefined): ReturnPath | undefined =>
  id === undefined ? undefined : detours.get(id);

/** Ends the detour, with the id of the created object if there is one; returns the address of the form. */
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

/** The previous input of a form to which the user has returned. */
export function draftOf<Values>(message: string): Values | undefined {
  if (returned?.address !== here() || returned.draft.message !== message) return undefined;
  return returned.draft.values as Values;
}

/** Discards the input after the form has been filled in again. */
export function discardDraft(): void {
  returned = undefined;
}
