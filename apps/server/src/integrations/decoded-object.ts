import { DeliveryError } from '../outgoing/delivery-error.ts';

export type Scalar = number | string | boolean;

/** A value in the object that a codec has decoded, and the names on the path to it. */
export interface ObjectLeaf {
  readonly path: readonly string[];
  readonly value: Scalar;
}

/** A location of the device in some part of the object. */
export interface ObjectLocation {
  readonly path: readonly string[];
  readonly latitude: number;
  readonly longitude: number;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names of deeper values would be too long to use. */
const maxDepth = 100;

function checkDepth(path: readonly string[]): void {
  if (path.length <= maxDepth) return;
  const message = `The decoded object is nested more than ${maxDepth} levels deep. Let the codec answer a flatter one.`;
  throw new DeliveryError('event', message);
}

/** Every number, text and boolean of the object, without lists. Throws DeliveryError when the object is too deep. */
export function leavesOf(value: unknown, path: readonly string[] = []): ObjectLeaf[] {
  checkDepth(path);
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return [{ path, value }];
  return [];
}

/** Every object with a latitude and a longitude, in any capitalization. Two zeros are no location. */
export function locationsOf(value: unknown, path: readonly string[] = []): ObjectLocation[] {
  checkDepth(path);
  if (!isObject(value)) return [];
  const inner = Object.entries(value).flatMap(([name, member]) => locationsOf(member, [...path, name]));
  const [latitude, longitude] = ['latitude', 'longitude'].map((wanted) => {
    const [, found] = Object.entries(value).find(([name]) => name.toLowerCase() === wanted) ?? [];
    return typeof found === 'number' ? found : undefined;
  });
  if (latitude === undefined || longitude === undefined || (latitude === 0 && longitude === 0)) return inner;
  return [{ path, latitude, longitude }, ...inner];
}
