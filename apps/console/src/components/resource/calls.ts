import type { InputOf, Operations, ResponseOf } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { query, type Read } from '../../api/queries.ts';
import type { Resource } from '../../resources.ts';

/** The response of `get`: the message under the resource's own name, and more members. */
export type AnswerOf<R extends Resource> = ResponseOf<Operations[R]['get']>;
/** The message of a resource, which requests and responses carry under the resource's own name. */
export type MessageOf<R extends Resource> = R extends keyof AnswerOf<R> ? NonNullable<AnswerOf<R>[R]> : never;
type UpdateOf<R extends Resource> = InputOf<Operations[R]['update']>;
/** The part of a message that `create` and `update` need. */
export type GivenOf<R extends Resource> = R extends keyof UpdateOf<R> ? NonNullable<UpdateOf<R>[R]> : never;

type Calls = Record<'create' | 'update' | 'delete', (request: unknown) => Promise<unknown>>;

// The contract names the message of each resource like the resource; TypeScript cannot follow that through a variable.
const callsOf = (resource: Resource) => api[resource] as unknown as Calls;

export const readOne = <R extends Resource>(resource: R, id: string) =>
  query(resource, 'get', { id } as never) as unknown as Read<AnswerOf<R>>;

export const messageIn = <R extends Resource>(resource: R, answer: AnswerOf<R>) =>
  (answer as Record<R, MessageOf<R>>)[resource];

/** `more`: members of the request beside the message. */
export const create = <R extends Resource>(resource: R, message: GivenOf<R>, more: object = {}) =>
  callsOf(resource).create({ [resource]: message, ...more });

export const update = <R extends Resource>(resource: R, message: GivenOf<R>) =>
  callsOf(resource).update({ [resource]: message });

export const remove = (resource: Resource, id: string) => callsOf(resource).delete({ id });
