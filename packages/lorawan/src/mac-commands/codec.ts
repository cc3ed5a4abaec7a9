import { concatBytes } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import type { Direction } from '../frame/frame.ts';
import { fieldsToJson, readFields, writeFields } from './layout.ts';
import { type Declaration, declarationOf, type MacCommand, macCommandsDown, macCommandsUp } from './registry.ts';

/** A MAC command stream = (CID 1, payload)*, in FOpts or in FRMPayload on FPort 0. */

const firstProprietary = 0x80;

const byCid = {
  up: indexByCid(macCommandsUp),
  down: indexByCid(macCommandsDown),
} satisfies Record<Direction, unknown>;

/**
 * Decodes a decrypted stream. A vendor or unknown command ends it and contains the remaining bytes. Throws FrameError
 * when a known command is incomplete.
 */
export function decodeMacCommands(direction: Direction, bytes: Uint8Array): MacCommand[] {
  const commands: MacCommand[] = [];
  let at = 0;
  while (at < bytes.length) {
    const cid = bytes[at++]!;
    const known = byCid[direction].get(cid);
    if (!known) {
      const name = cid >= firstProprietary ? 'Proprietary' : 'Unknown';
      commands.push({ cid, name, payload: { bytes: bytes.slice(at) } });
      break;
    }
    const size = known.layout?.size ?? 0;
    if (at + size > bytes.length) throw new FrameError(known.name, bytes.length, `the payload has ${size} bytes`);
    const payload = known.layout ? readFields(known.layout.fields, bytes.subarray(at, at + size)) : null;
    commands.push({ cid, name: known.name, payload } as MacCommand);
    at += size;
  }
  return commands;
}

/** Encodes a stream. Throws FrameError for a value that does not fit and for a command of the other direction. */
export function encodeMacCommands(direction: Direction, commands: readonly MacCommand[]): Uint8Array {
  return concatBytes(...commands.map((command) => encodeMacCommand(direction, command)));
}

function encodeMacCommand(direction: Direction, command: MacCommand): Uint8Array {
  if (command.name === 'Proprietary' || command.name === 'Unknown') {
    return concatBytes(new Uint8Array([command.cid]), command.payload.bytes);
  }
  const known = byCid[direction].get(command.cid);
  if (known?.name !== command.name) throw new FrameError(command.name, 0, `this command does not travel ${direction}`);
  const payload = new Uint8Array(known.layout?.size ?? 0);
  if (known.layout) writeFields(known.layout.fields, payload, (command.payload ?? {}) as Record<string, unknown>);
  return concatBytes(new Uint8Array([command.cid]), payload);
}

/** A command in the form of frame logs: the name of the request also for its answer, numbers and texts only. */
export function macCommandToJson(command: MacCommand): { cid: string; payload: Record<string, unknown> | null } {
  if (command.name === 'Proprietary' || command.name === 'Unknown') {
    return { cid: `CID(${command.cid})`, payload: { bytes: command.payload.bytes.toBase64() } };
  }
  const { layout } = declarationOf(command.name)!;
  return {
    cid: command.name.replace(/Ans$/, 'Req').replace(/Conf$/, 'Ind'),
    payload: layout && command.payload ? fieldsToJson(layout.fields, command.payload) : null,
  };
}

function indexByCid(table: Record<string, Declaration>): Map<number, Declaration & { name: string }> {
  return new Map(Object.entries(table).map(([name, declaration]) => [declaration.cid, { name, ...declaration }]));
}
