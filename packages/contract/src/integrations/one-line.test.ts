import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors.ts';
import { parseMessage } from '../parse-message.ts';
import type { Message } from '../wire.ts';
import { integrationKinds } from './kinds.ts';

/** The fields that a message refuses. */
function refusedFields(of: Message, value: object): string[] {
  try {
    parseMessage(of, value);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.fieldViolations.map(({ field }) => field);
    throw error;
  }
}

/** A JSON file, which has several lines. */
const severalLines = ['credentialsFile'];

describe('settings of integrations', () => {
  for (const { kind, config } of Object.values<{ kind: string; config: Message }>(integrationKinds)) {
    it(`of kind ${kind} refuse a carriage return or line feed in every text`, () => {
      for (const [name, { kind: of, of: items }] of Object.entries(config.fields))
        for (const end of ['\r\n', '\n', '\r'])
          for (const wrong of [`a${end}X-Injected: b`, `https://example.org/${end}a`, `a${end}`]) {
            if (of === 'text' && !severalLines.includes(name))
              assert.ok(refusedFields(config, { [name]: wrong }).includes(name), name);
            for (const part of Object.keys(items?.message?.fields ?? {}))
              assert.ok(
                refusedFields(config, { [name]: [{ [part]: wrong }] }).includes(`${name}[0].${part}`),
                `${name}.${part}`,
              );
          }
    });
  }
});
