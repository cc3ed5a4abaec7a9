import {
  type AuditChange,
  type AuditSecretChange,
  auditLimits,
  type Field,
  type Message,
  shownURL,
} from '@hilltop/contract';

/** Without the members that have their default value: these were half of the bytes of an entry. */
export type StoredChange = Pick<AuditChange, 'field'> & Partial<AuditChange>;

/** The changes of an entry; `isCut` when there were more. */
export interface StoredChanges {
  readonly changes: readonly StoredChange[];
  readonly isCut?: boolean;
}

type Fields = Message['fields'];
type Values = Readonly<Record<string, unknown>>;

/** Maps whose values are often credentials: variables of devices, also as jobs set them and imports fill them in. */
const hiddenMaps: readonly string[] = ['variables', 'set', 'constants'];
const hidden = '•••';
/** Up to a space, or to a comma before another URL. */
const url = /\b[a-z][a-z0-9+.-]*:\/\/(?:(?!,\s*[a-z][a-z0-9+.-]*:\/\/)\S)+/gi;

/**
 * What differs between two states of a record. Without `before` it was created, without `after` deleted. Secrets are only
 * named. An absent member of `after` is unchanged, as in updates.
 */
export function changesBetween(fields: Fields, before: Values | null, after: Values | null): StoredChanges {
  const changes: StoredChange[] = [];
  for (const change of differences(fields, before, after, '')) {
    if (changes.length === auditLimits.changes) return { changes, isCut: true };
    changes.push(change);
  }
  return { changes };
}

/** JSON for the row, at most so many bytes: the last changes are left out. */
export function storedChanges({ changes, isCut = false }: StoredChanges): string {
  if (changes.length === 0 && !isCut) return '';
  const stored = [...changes];
  for (;;) {
    const isShortened = isCut || stored.length < changes.length;
    const text = JSON.stringify({ changes: stored, ...(isShortened && { isCut: true }) });
    if (Buffer.byteLength(text) <= auditLimits.bytes) return text;
    stored.length = Math.min(
      stored.length - 1,
      Math.floor((stored.length * auditLimits.bytes) / Buffer.byteLength(text)),
    );
  }
}

const unchanged = { before: '', after: '', secret: 'NONE', isCut: false } as const;

/** The reverse of `storedChanges`. */
export function readChanges(text: string): { changes: AuditChange[]; isCut: boolean } {
  if (text === '') return { changes: [], isCut: false };
  const { changes, isCut = false } = JSON.parse(text) as StoredChanges;
  return { changes: changes.map((change) => ({ ...unchanged, ...change })), isCut };
}

function* differences(
  fields: Fields,
  before: Values | null,
  after: Values | null,
  prefix: string,
): Generator<StoredChange> {
  for (const [name, field] of Object.entries(fields)) {
    const [old, given] = [before?.[name], after?.[name]];
    const isUnchanged = after !== null && (given === undefined || (before !== null && field.facts.fixed === true));
    if (isUnchanged) continue;
    const path = prefix + name;
    const isSecret = isHidden(field);
    if (field.kind === 'message' && !isSecret)
      yield* differences(field.message!.fields, (old ?? null) as Values | null, (given ?? {}) as Values, `${path}.`);
    else if (field.kind === 'map')
      yield* ofMap(field, (old ?? {}) as Values, (given ?? {}) as Values, {
        path,
        isSecret: isSecret || hiddenMaps.includes(name),
      });
    else yield* ofValue(field, old, given, { path, isSecret });
  }
}

interface Place {
  path: string;
  isSecret: boolean;
}

function* ofMap(field: Field, before: Values, after: Values, { path, isSecret }: Place): Generator<StoredChange> {
  const of = field.of ?? field;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    yield* ofValue(of, before[key], after[key], { path: `${path}.${key}`, isSecret });
}

function* ofValue(field: Field, before: unknown, after: unknown, { path, isSecret }: Place): Generator<StoredChange> {
  const [old, given] = [raw(before), raw(after)];
  if (old === given) return;
  const [oldText, newText] = [shown(field, before), shown(field, after)];
  // What a URL has beside scheme, host and path is as secret as a password.
  if (isSecret || oldText === newText) {
    yield { field: path, secret: secretChange(old, given) };
    return;
  }
  const [cutBefore, cutAfter] = cutToDifference(oldText, newText);
  const isCut = cutBefore.length < oldText.length || cutAfter.length < newText.length;
  yield {
    field: path,
    ...(cutBefore !== '' && { before: cutBefore }),
    ...(cutAfter !== '' && { after: cutAfter }),
    ...(isCut && { isCut }),
  };
}

function secretChange(before: string, after: string): AuditSecretChange {
  if (before === '') return 'SET';
  return after === '' ? 'REMOVED' : 'CHANGED';
}

/** Zero, false and empty values are not set. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === '0') return true;
  if (value === 0 || value === false) return true;
  return typeof value === 'object' && !(value instanceof Uint8Array) && Object.keys(value).length === 0;
}

/** For comparison only. */
function raw(value: unknown): string {
  if (isEmpty(value)) return '';
  if (value instanceof Uint8Array) return value.toBase64();
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

/** As it is stored, without secrets. */
function shown(field: Field, value: unknown): string {
  if (isEmpty(value)) return field.kind === 'bool' && value === false ? 'false' : '';
  if (field.kind === 'bytes') return sizeOf(value);
  if (typeof value !== 'object') return shownText(field, String(value as string | number | boolean));
  return JSON.stringify(open(field, value));
}

/** A value for JSON, in which secrets are hidden. */
function open(field: Field, value: unknown): unknown {
  if (isHidden(field) && !isEmpty(value)) return hidden;
  if (field.kind === 'bytes') return sizeOf(value);
  if (field.kind === 'list') return (value as unknown[]).map((one) => open(field.of!, one));
  if (field.kind === 'map' && value)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, open(field.of!, one)]));
  if (typeof value === 'string') return shownText(field, value);
  if (field.kind !== 'message' || !value) return value;
  const members = Object.entries(value).flatMap(([name, one]) => {
    const member = field.message!.fields[name];
    if (!member || isEmpty(one)) return [];
    return [[name, open(member, one)] as const];
  });
  return Object.fromEntries(members);
}

/** Whether a value is, or can be, a secret: the names of headers that have one are not all known. */
function isHidden({ facts: { secret, secretWhen } }: Field): boolean {
  return secret === true || secretWhen !== undefined;
}

/** Payloads and files, which can contain keys. */
function sizeOf(value: unknown): string {
  const bytes =
    value instanceof Uint8Array ? value.length : Buffer.byteLength((value as string | undefined) ?? '', 'base64');
  return `${bytes} bytes`;
}

function shownText({ facts }: Field, text: string): string {
  return facts.secretPath ? shownURL(text) : withoutCredentials(text);
}

/** Only scheme, host and path of URLs. */
function withoutCredentials(text: string): string {
  return text.replace(url, (found) => {
    const parsed = URL.parse(found);
    return parsed ? `${parsed.protocol}//${parsed.host}${parsed.pathname}` : hidden;
  });
}

/** Of long texts only the lines that differ. */
function cutToDifference(before: string, after: string): [string, string] {
  const most = auditLimits.valueCharacters;
  if (before.length <= most && after.length <= most) return [before, after];
  const [old, given] = [before.split('\n'), after.split('\n')];
  let from = 0;
  while (from < old.length && from < given.length && old[from] === given[from]) from += 1;
  let same = 0;
  const mostSame = Math.min(old.length, given.length) - from;
  while (same < mostSame && old[old.length - 1 - same] === given[given.length - 1 - same]) same += 1;
  const different = (lines: string[]) =>
    lines
      .slice(from, lines.length - same)
      .join('\n')
      .slice(0, most);
  return [different(old), different(given)];
}
