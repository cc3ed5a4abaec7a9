import { DeliveryError } from '../outgoing/delivery-error.ts';

export type Scalar = number | string | boolean;

/** A value in the object a codec made, and the names that lead to it. */
export interface ObjectLeaf {
  readonly path: readonly string[];
  readonly value: Scalar;
}

/** Where some part of the object says the device is. */
export interface ObjectLocation {
  readonly path: readonly string[];
  readonly latitude: number;
  readonly longitude: number;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names of deeper values would be longer than anybody can use. */
const deepest = 100;

function checkDepth(path: readonly string[]): void {
  if (path.length <= deepest) return;
  const why = `The decoded object is nested more than ${deepest} levels deep. Let the codec answer a flatter one.`;
  throw new DeliveryError('event', why);
}

/** Every number, text and boolean of the object; lists are passed over. Throws DeliveryTrouble when it is too deep. */
export function leavesOf(value: unknown, path: readonly string[] = []): ObjectLeaf[] {
  checkDepth(path);
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return [{ path, value }];
  return [];
}

/** Every object with latitude and longitude, however these are capitalized; both 0 is nowhere. */
export function locationsOf(value: unknown, path: readonly string[] = []): ObjectLocation[] {
  checkDepth(path);
  if (!isObject(value)) return [];
  const inner = Object.entries(value).flatMap(([name, one]) => locationsOf(one, [...path, name]));
  const [latitude, longitude] = ['latitude', 'longitude'].map((wanted) => {
    const [, found] = Object.entries(value).find(([name]) => name.toLowerCase() === wanted) ?? [];
    return typeof found === 'number' ? found : undefined;
  });
  if (latitude === undefined || longitude === undefined || (latitude === 0 && longitude === 0)) return inner;
  return [{ path, latitude, longitude }, ...inner];
}
