import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { APIKey } from './api-key.ts';
import { Application } from './application.ts';
import { DeviceProfile } from './device-profile.ts';
import { ApiError } from './errors.ts';
import { GatewayProfile } from './gateway-profile.ts';
import { MulticastGroup } from './multicast-group.ts';
import { NetworkServer } from './network-server.ts';
import { Organization } from './organization.ts';
import { parseMessage } from './parse-message.ts';
import { ServiceProfile } from './service-profile.ts';
import type { Message } from './wire.ts';

/** The fields of the message that refuse `value`. */
function refusedFields(of: Message, value: object): string[] {
  try {
    parseMessage(of, value);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.fieldViolations.map(({ field }) => field);
    throw error;
  }
}

const fieldsOf: readonly (readonly [Message, readonly string[]])[] = [
  [ServiceProfile, ['name']],
  [DeviceProfile, ['name', 'macVersion', 'regParamsRevision', 'rfRegion', 'payloadCodec', 'adrAlgorithmID']],
  [GatewayProfile, ['name']],
  [MulticastGroup, ['name']],
  [NetworkServer, ['name']],
  [Organization, ['displayName']],
  [Application, ['payloadCodec']],
  [APIKey, ['name']],
];

describe('control characters', () => {
  for (const [message, fields] of fieldsOf)
    for (const field of fields)
      it(`are refused in ${message.name}.${field}`, () => {
        for (const character of ['\r', '\n', '\t', '\u001B', '\u007F', '\u0085'])
          for (const value of [`a${character}b`, `a${character}`, `${character}a`])
            assert.ok(refusedFields(message, { [field]: value }).includes(field), JSON.stringify(value));
        assert.ok(!refusedFields(message, { [field]: 'Größe 5' }).includes(field));
      });
});
