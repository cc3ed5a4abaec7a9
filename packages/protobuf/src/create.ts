import type { InitOf, Kind, Message, MessageOf } from './message.ts';

const noBytes = new Uint8Array();

/**
 * A complete message from some of its members; the others get their proto3 defaults. Sub-messages may be partial:
 * `create(UplinkFrame, { rxInfo: { rssi: -60 } })`.
 */
export function create<M extends Message>(type: M, init?: InitOf<M>): MessageOf<M> {
  return fillOf(type)(init ?? {}) as MessageOf<M>;
}

type Fill = (init: object) => object;

// Every frame and event is created here, so each table is compiled once per message type.
const fills = new WeakMap<Message, Fill>();

function fillOf(type: Message): Fill {
  let fill = fills.get(type);
  if (!fill) {
    fill = compile(type);
    fills.set(type, fill);
  }
  return fill;
}

function compile(type: Message): Fill {
  const members = Object.entries(type.fields).map(([name, [, kind, options]]) => ({
    name,
    complete: completionOf(kind),
    unset: options?.oneof ? undefined : () => defaultOf(kind),
  }));
  return (init) => {
    const given = init as Readonly<Record<string, unknown>>;
    const filled: Record<string, unknown> = {};
    for (const { name, complete, unset } of members) {
      const value = given[name];
      if (value !== undefined && value !== null) filled[name] = complete(value);
      else if (unset) filled[name] = unset();
    }
    return filled;
  };
}

/**
 * The function that completes a value of this kind. A sub-message is looked up later: messages may contain each other.
 */
function completionOf(kind: Kind): (value: unknown) => unknown {
  if (typeof kind === 'string' || kind.kind === 'enum') return (value) => value;
  if (kind.kind === 'message') return (value) => fillOf(kind)(value as object);
  if (kind.kind === 'map') return (value) => ({ ...(value as object) });
  const complete = completionOf(kind.item);
  return (value) => (value as readonly unknown[]).map(complete);
}

/** The value of an unset member of this kind. */
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
