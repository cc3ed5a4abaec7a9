import { classADownlink, classAUplink } from './class-a.ts';
import { classBDownlink, classBUplink } from './class-b.ts';
import type { Fields, Layout, ValuesOf } from './layout.ts';
import { relayUplink } from './relay.ts';

/** Every known MAC command, by direction and name. */
export const macCommandsUp = { ...classAUplink, ...classBUplink, ...relayUplink };
export const macCommandsDown = { ...classADownlink, ...classBDownlink };

type Table = typeof macCommandsUp & typeof macCommandsDown;
export type MacCommandName = keyof Table;

/** Payload of a command: its declared members, or null for a command without a body. */
export type MacPayload<N extends MacCommandName> =
  Table[N]['layout'] extends Layout<infer F extends Fields> ? ValuesOf<F> : null;

export type KnownMacCommand = {
  [N in MacCommandName]: { cid: Table[N]['cid']; name: N; payload: MacPayload<N> };
}[MacCommandName];

/**
 * A command of unknown length: id 80 and above belongs to the vendor, others are unknown. Contains the remaining
 * stream.
 */
export interface RawMacCommand {
  cid: number;
  name: 'Proprietary' | 'Unknown';
  payload: { bytes: Uint8Array };
}

export type MacCommand = KnownMacCommand | RawMacCommand;

/** Commands of one name, for handlers: MacCommandOf<'LinkADRAns'>. */
export type MacCommandOf<N extends MacCommandName> = Extract<KnownMacCommand, { name: N }>;

export interface Declaration {
  cid: number;
  layout: Layout<Fields> | null;
}

const declarations: Readonly<Record<string, Declaration>> = { ...macCommandsUp, ...macCommandsDown };

export function declarationOf(name: string): Declaration | undefined {
  return Object.hasOwn(declarations, name) ? declarations[name] : undefined;
}

/** Creates a command from its name and payload. */
export function macCommand<N extends MacCommandName>(
  name: N,
  ...[payload]: MacPayload<N> extends null ? [] : [payload: MacPayload<N>]
): MacCommandOf<N> {
  return { cid: declarations[name]!.cid, name, payload: payload ?? null } as unknown as MacCommandOf<N>;
}
