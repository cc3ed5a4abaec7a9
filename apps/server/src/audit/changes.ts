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
  addDifferences(changes, fields, { before, after, prefix: '' });
  if (changes.length <= auditLimits.changes) return { changes };
  return { changes: changes.slice(0, auditLimits.changes), isCut: true };
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

interface States {
  before: Values | null;
  after: Values | null;
  /** The path of the record, with a point at its end. */
  prefix: string;
}

function addDifferences(changes: StoredChange[], fields: Fields, { before, after, prefix }: States): void {
  for (const name in fields) {
    const field = fields[name]!;
    const old = before?.[name];
    const given = after?.[name];
    const isUnchanged = after !== null && (given === undefined || (before !== null && field.facts.fixed === true));
    if (isUnchanged) continue;
    const path = prefix + name;
    const isSecret = isHidden(field);
    if (field.kind === 'message' && !isSecret)
      addDifferences(changes, field.message!.fields, {
        before: (old ?? null) as Values | null,
        after: (given ?? {}) as Values,
        prefix: `${path}.`,
      });
    else if (field.kind === 'map')
      addMapChanges(changes, field, { path, old, given, isSecret: isSecret || hiddenMaps.includes(name) });
    else addChange(changes, field, { path, old, given, isSecret });
  }
}

interface FieldValues {
  path: string;
  old: unknown;
  given: unknown;
  isSecret: boolean;
}

function addMapChanges(changes: StoredChange[], field: Field, { path, old, given, isSecret }: FieldValues): void {
  const [before, after] = [(old ?? {}) as Values, (given ?? {}) as Values];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    addChange(changes, field.of ?? field, { path: `${path}.${key}`, old: before[key], given: after[key], isSecret });
}

function addChange(changes: StoredChange[], field: Field, { path, old, given, isSecret }: FieldValues): void {
  // One more shows that there are more.
  if (changes.length > auditLimits.changes) return;
  const [rawOld, rawGiven] = [raw(old), raw(given)];
  if (rawOld === rawGiven) return;
  // What a URL has beside scheme, host and path is as secret as a password.
  const [before, after] = isSecret ? ['', ''] : [shown(field, old), shown(field, given)];
  if (before === after) {
    changes.push({ field: path, secret: secretChange(rawOld, rawGiven) });
    return;
  }
  const [cutBefore, cutAfter] = cutToDifference(before, after);
  const isCut = cutBefore.length < before.length || cutAfter.length < after.length;
  changes.push({
    field: path,
    ...(cutBefore !== '' && { before: cutBefore }),
    ...(cutAfter !== '' && { after: cutAfter }),
    ...(isCut && { isCut }),
  });
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
  if (!text.includes('://')) return text;
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
