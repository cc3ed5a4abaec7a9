import type { InitOf, Kind, Message, MessageOf } from './message.ts';

const noBytes = new Uint8Array();

/**
 * A complete message from the members one cares about; the rest get their proto3 defaults.
 * Sub-messages may be given in part: `create(UplinkFrame, { rxInfo: { rssi: -60 } })`.
 */
export function create<M extends Message>(type: M, init?: InitOf<M>): MessageOf<M> {
  return fill(type, init ?? {}) as MessageOf<M>;
}

function fill(type: Message, init: object): object {
  const given = init as Readonly<Record<string, unknown>>;
  const filled: Record<string, unknown> = {};
  for (const [name, [, kind, options]] of Object.entries(type.fields)) {
    const value = given[name];
    if (value !== undefined && value !== null) filled[name] = complete(kind, value);
    else if (!options?.oneof) filled[name] = defaultOf(kind);
  }
  return filled;
}

function complete(kind: Kind, value: unknown): unknown {
  if (typeof kind === 'string' || kind.kind === 'enum') return value;
  if (kind.kind === 'message') return fill(kind, value as object);
  if (kind.kind === 'map') return { ...(value as object) };
  return (value as readonly unknown[]).map((item) => complete(kind.item, item));
}

/** What an unset member of this kind holds. */
export function defaultOf(kind: Kind): unknown {
  if (typeof kind !== 'string') {
    if (kind.kind === 'enum') return kind.zero;
    if (kind.kind === 'repeated') return [];
    return kind.kind === 'map' ? {} : null;
  }
  switch (kind) {
    case 'bool':
      return false;
    case 'string':
      return '';
    case 'bytes':
      return noBytes;
    case 'int64':
    case 'uint64':
      return '0';
    case 'timestamp':
    case 'duration':
      return null;
    default:
      return 0;
  }
}
