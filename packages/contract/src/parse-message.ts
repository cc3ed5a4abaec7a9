/**
 * Parses messages: both spellings of names, null as absent, defaults for absent fields. Enforces every fact of a field.
 */
import { parseDuration } from './duration.ts';
import { type FieldViolation, invalidFields, shortened } from './errors.ts';
import { type Kind, kinds } from './kinds.ts';
import { type Condition, type Facts, type Field, type Message, type PartOf, protoName, type ValueOf } from './wire.ts';

export type Json = Record<string, unknown>;

export interface Reading {
  readonly violations: FieldViolation[];
  /** The values come from a path or query, so they are all text. */
  readonly isText: boolean;
}

/** The most violations that are reported. */
const enough = 20;
/** Names that would reach the prototype of an object. */
export const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype']);
const wrong = Symbol('wrong');

export function refuse(reading: Reading, field: string, description: string): typeof wrong {
  if (reading.violations.length < enough) reading.violations.push({ field, description });
  return wrong;
}

/** The value of a field that was not given. */
export function emptyValue(field: Field): unknown {
  if (field.oneof) return undefined;
  switch (field.kind) {
    case 'enumeration':
      return field.enumeration?.names[0];
    case 'message':
      return null;
    case 'list':
      return [];
    case 'map':
      return {};
    default:
      return kinds[field.kind].empty;
  }
}

/** Whether a value counts as not given for a required field. */
function isEmpty(value: unknown, kind: Field['kind']): boolean {
  if (value === null || value === undefined || value === 0) return true;
  if (typeof value === 'string') return value.trim() === '' || (kind !== 'text' && value === '0');
  return Array.isArray(value) && value.length === 0;
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (!pattern) {
    pattern = new RegExp(source, 'u');
    patterns.set(source, pattern);
  }
  return pattern;
}

/** Counts code points; the length of a text counts those beyond U+FFFF twice. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && Array.from(text).length > most;
}

function checkText(value: string, facts: Facts): string | null {
  const { minLength = 0, maxLength = Infinity, pattern, values } = facts;
  if (values && !values.includes(value)) return `Must be one of ${values.join(', ')}.`;
  if (value.length < minLength) return `Must have at least ${minLength} characters.`;
  if (isLonger(value, maxLength)) return `Must have at most ${maxLength} characters.`;
  if (pattern === undefined || patternOf(pattern).test(value)) return null;
  return facts.message ?? `Must match ${pattern}.`;
}

function checkBytes(base64: string | null, { maxBytes = Infinity }: Facts): string | null {
  const length = base64 === null ? 0 : (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
  return length > maxBytes ? `Must have at most ${maxBytes} bytes.` : null;
}

function checkNumber(value: number, { min = -Infinity, max = Infinity }: Facts): string | null {
  if (value >= min && value <= max) return null;
  if (min === -Infinity) return `Must be at most ${max}.`;
  return max === Infinity ? `Must be at least ${min}.` : `Must be from ${min} to ${max}.`;
}

function readEnumeration(value: unknown, field: Field, path: string, reading: Reading): unknown {
  const names = field.enumeration?.names ?? [];
  if (typeof value === 'string' && names.includes(value)) return value;
  const number = reading.isText && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const name = typeof number === 'number' ? names[number] : undefined;
  return name ?? refuse(reading, path, `Must be one of ${names.join(', ')}.`);
}

function readList(value: unknown, field: Field, path: string, reading: Reading): unknown {
  if (!Array.isArray(value)) return refuse(reading, path, 'Must be a list.');
  const { maxEntries = Infinity } = field.facts;
  if (value.length > maxEntries) return refuse(reading, path, `Must have at most ${maxEntries} entries.`);
  const of = field.of!;
  return value.map((item, index) => {
    const at = `${path}[${index}]`;
    return of.facts.required && isEmpty(item, of.kind)
      ? refuse(reading, at, 'Must be given.')
      : readGiven(item, of, at, reading);
  });
}

function readMap(value: unknown, field: Field, path: string, reading: Reading): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(reading, path, 'Must be an object.');
  const { maxEntries = Infinity, maxNameLength = Infinity } = field.facts;
  if (Object.keys(value).length > maxEntries) return refuse(reading, path, `Must have at most ${maxEntries} entries.`);
  const result: Json = {};
  for (const [given, inner] of Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const key = kinds.text.read(given, true);
    if (key === undefined) refuse(reading, path, `The names must be ${kinds.text.expects}.`);
    else if (unsafeKeys.has(key)) refuse(reading, path, `The name ${key} is not allowed.`);
    else if (isLonger(key, maxNameLength))
      refuse(reading, path, `The names must have at most ${maxNameLength} characters.`);
    else if (field.keys === 'uint32' && kinds.uint32.read(key, true) === undefined)
      refuse(reading, path, 'The names must be numbers.');
    else result[key] = readValue(inner, field.of!, `${path}.${shortened(key)}`, reading);
  }
  return result;
}

function readScalar(value: unknown, kind: Kind, facts: Facts, path: string, reading: Reading): unknown {
  const result = kinds[kind].read(value, reading.isText);
  if (result === undefined) return refuse(reading, path, `Must be ${kinds[kind].expects}.`);
  let problem: string | null = null;
  if (typeof result === 'number' && result > (facts.clamp ?? Infinity)) return facts.clamp;
  if (kind === 'bytes') problem = checkBytes(result as string | null, facts);
  else if (kind === 'duration') problem = checkNumber((parseDuration(String(result)) ?? 0) / 1000, facts);
  else if (typeof result === 'string' && result !== '') problem = checkText(result, facts);
  else if (typeof result === 'number') problem = checkNumber(result, facts);
  return problem === null ? result : refuse(reading, path, problem);
}

function readGiven(value: unknown, field: Field, path: string, reading: Reading): unknown {
  switch (field.kind) {
    case 'enumeration':
      return readEnumeration(value, field, path, reading);
    case 'message':
      return readMessage(value, field.message!, path, reading);
    case 'list':
      return readList(value, field, path, reading);
    case 'map':
      return readMap(value, field, path, reading);
    default:
      return readScalar(value, field.kind, field.facts, path, reading);
  }
}

function readValue(value: unknown, field: Field, path: string, reading: Reading): unknown {
  if (field.facts.required && isEmpty(value, field.kind)) return refuse(reading, path, 'Must be given.');
  if (value === null && field.facts.notNull)
    return refuse(reading, path, `Must be ${kinds[field.kind as Kind].expects}.`);
  if (value === undefined || value === null) return emptyValue(field);
  return readGiven(value, field, path, reading);
}

export interface Member {
  readonly name: string;
  readonly proto: string;
  readonly field: Field;
}

const membersOf = new WeakMap<Message, readonly Member[]>();

export function members(of: Message): readonly Member[] {
  let found = membersOf.get(of);
  if (!found) {
    found = Object.entries(of.fields).map(([name, field]) => ({ name, proto: protoName(name, field), field }));
    membersOf.set(of, found);
  }
  return found;
}

function holds(condition: Condition, value: Json): boolean {
  return value[condition.field] === condition.is;
}

/** False when a time is absent or was refused. */
function isBeforeStart(value: Json, name: string, { facts: { notBefore } }: Field): boolean {
  if (notBefore === undefined) return false;
  const [start, end] = [value[notBefore], value[name]];
  return typeof start === 'string' && typeof end === 'string' && Date.parse(end) < Date.parse(start);
}

export function readMessage(raw: unknown, of: Message, path: string, reading: Reading): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return refuse(reading, path, path === '' ? 'The body must be a JSON object.' : 'Must be an object.');
  }
  const given = raw as Json;
  const result: Json = {};
  const prefix = path === '' ? '' : `${path}.`;
  for (const { name, proto, field } of members(of)) {
    const value = readValue(
      given[name] === undefined ? given[proto] : (given[name] ?? given[proto] ?? null),
      field,
      prefix + name,
      reading,
    );
    if (value !== undefined) result[name] = value;
  }
  for (const { name, field } of members(of)) {
    const condition = field.facts.requiredWhen;
    if (condition && holds(condition, result) && isEmpty(result[name], field.kind)) {
      refuse(reading, prefix + name, 'Must be given.');
    }
    if (isBeforeStart(result, name, field)) refuse(reading, prefix + name, 'Must not be before the start.');
  }
  return result;
}

/**
 * Reads a message from parsed JSON. Absent fields get their defaults; unknown ones are ignored. Throws an ApiError with
 * code 3 that names every invalid field.
 */
export function parseMessage<M extends Message>(of: M, json: unknown): ValueOf<M> {
  const reading: Reading = { violations: [], isText: false };
  const value = readMessage(json, of, '', reading);
  if (reading.violations.length > 0) throw invalidFields(reading.violations);
  return value as ValueOf<M>;
}

function completeValue(value: unknown, field: Field): unknown {
  if (value === undefined || value === null) return emptyValue(field);
  if (field.message) return complete(field.message, value);
  const items = field.of?.message;
  return items && Array.isArray(value) ? value.map((item: object) => complete(items, item)) : value;
}

/**
 * Completes a message from our own code, sub-objects included: defaults for absent fields, in declaration order.
 * Nothing is checked. A needed sub-object must be given.
 */
export function complete<M extends Message>(of: M, part: PartOf<ValueOf<M>>): ValueOf<M> {
  const given = part as Json;
  const result: Json = {};
  for (const { name, field } of members(of)) {
    const value = completeValue(given[name], field);
    if (value !== undefined) result[name] = value;
  }
  return result as ValueOf<M>;
}
