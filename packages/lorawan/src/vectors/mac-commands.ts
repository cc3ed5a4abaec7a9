import assert from 'node:assert/strict';
import { decodeMacCommands, encodeMacCommands } from '../mac-commands/codec.ts';
import type { MacCommand } from '../mac-commands/registry.ts';
import type { Check, ExpectedCommand, Vector } from './vector.ts';

/** Tests of MAC commands. The vectors use slightly different field names, without nesting. */
export const macCommandChecks: Record<string, Check> = {
  'mac.command': (vector) => expectCommands(vector, [vector.expect as unknown as ExpectedCommand]),
  'mac.stream': (vector) => expectCommands(vector, vector.expect.commands),
};

function expectCommands(vector: Vector, expected: ExpectedCommand[]): void {
  const commands = decodeMacCommands(vector.params.direction, Uint8Array.fromHex(vector.hex));
  assert.deepEqual(commands.map(inWordsOfTheVectors), expected);
  assert.equal(encodeMacCommands(vector.params.direction, commands).toHex(), vector.hex);
}

function inWordsOfTheVectors(command: MacCommand): ExpectedCommand {
  return { cid: command.cid, name: command.name, fields: flat(command.payload ?? {}) };
}

const names: Record<string, string> = {
  Class: 'class',
  nbRep: 'nbTrans',
  maxDCycle: 'maxDutyCycle',
  freq: 'frequency',
  maxEIRPCoded: 'maxEirpIndex',
  rx1DROffset: 'rx1DrOffset',
  rx1DROffsetAck: 'rx1DrOffsetAck',
  beaconFrequencyOK: 'frequencyOk',
};

function flat(payload: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(payload).flatMap(([name, value]) => members(name, value)));
}

function members(name: string, value: unknown): [string, unknown][] {
  switch (name) {
    case 'chMask':
      return [[name, (value as boolean[]).flatMap((isOn, channel) => (isOn ? [channel] : []))]];
    case 'timeSinceGPSEpoch': {
      const ms = value as number;
      return [
        ['gpsSeconds', Math.floor(ms / 1000)],
        ['fraction256', ((ms % 1000) * 256) / 1000],
      ];
    }
    case 'downlinkDwellTime':
    case 'uplinkDwellTime':
      return [[name.replace('Time', '400ms'), value === 1]];
    case 'optNeg':
      return [];
    case 'dr':
      return [['dataRate', value]];
  }
  if (typeof value === 'object' && value !== null) return Object.entries(flat(value));
  return [[names[name] ?? name.replace(/OK$/, 'Ok').replace(/DR$/, 'Dr'), value]];
}
