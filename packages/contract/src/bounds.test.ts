import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allOperations } from './operations.ts';
import type { Field, Message } from './wire.ts';

/** The parts of a request field without a limit. */
function unboundedParts(field: Field, path: string, visited: Set<Message>): string[] {
  const { maxLength, values, maxBytes, maxEntries, maxNameLength } = field.facts;
  const missing: string[] = [];
  if (field.kind === 'text' && maxLength === undefined && !values) missing.push(`${path}: maxLength`);
  if (field.kind === 'bytes' && maxBytes === undefined) missing.push(`${path}: maxBytes`);
  if ((field.kind === 'list' || field.kind === 'map') && maxEntries === undefined) missing.push(`${path}: maxEntries`);
  if (field.kind === 'map' && field.keys === 'text' && maxNameLength === undefined)
    missing.push(`${path}: maxNameLength`);
  if (field.of) missing.push(...unboundedParts(field.of, `${path}[]`, visited));
  if (field.message) missing.push(...unboundedFields(field.message, visited));
  return missing;
}

function unboundedFields(of: Message, visited: Set<Message>): string[] {
  if (visited.has(of)) return [];
  visited.add(of);
  return Object.entries(of.fields).flatMap(([name, field]) => unboundedParts(field, `${of.name}.${name}`, visited));
}

describe('bounds of requests', () => {
  it('limit every text, every bytes value, every list and every map of every request', () => {
    const visited = new Set<Message>();
    assert.deepEqual(
      allOperations.flatMap(({ request }) => unboundedFields(request, visited)),
      [],
    );
  });

  it('sum up to less than 2 MB for the texts of one request outside lists and maps, unless it sends a file', () => {
    const lengthOf = ({ fields }: Message): number =>
      Object.values(fields).reduce(
        (sum, { message, facts }) => sum + (message ? lengthOf(message) : (facts.maxLength ?? facts.maxBytes ?? 0)),
        0,
      );
    for (const { key, request, largestBody = 2_000_000 } of allOperations)
      assert.ok(lengthOf(request) < largestBody, `${key} may be too long`);
  });
});
