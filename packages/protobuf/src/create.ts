import { compileMapper, type MappedMember } from './compile-mapper.ts';
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
  const members = Object.entries(type.fields).map(([name, [, kind, options]]) => {
    const map = completionOf(kind);
    return { name, code: codeOf(kind), isOptional: options?.oneof !== undefined, ...(map && { map }) };
  });
  return compileMapper(members);
}

function codeOf(kind: Kind): MappedMember['code'] {
  if (kind === 'bytes') return (member, map) => `${member} ?? ${map}()`;
  const unset = JSON.stringify(defaultOf(kind));
  if (typeof kind === 'string' || kind.kind === 'enum') return (member) => `${member} ?? ${unset}`;
  return (member, map) => `${member} === undefined || ${member} === null ? ${unset} : ${map}(${member})`;
}

/**
 * The function that completes a value of this kind, if there is anything to complete. A sub-message is looked up later:
 * messages may contain each other.
 */
function completionOf(kind: Kind): ((value: unknown) => unknown) | undefined {
  if (kind === 'bytes') return () => noBytes;
  if (typeof kind === 'string' || kind.kind === 'enum') return undefined;
  if (kind.kind === 'map') return (value) => ({ ...(value as object) });
  if (kind.kind === 'repeated') {
    const complete = kind.item === 'bytes' ? undefined : completionOf(kind.item);
    return complete
      ? (value) => (value as readonly unknown[]).map((item) => complete(item))
      : (value) => [...(value as readonly unknown[])];
  }
  let fill: Fill | undefined;
  return (value) => (fill ??= fillOf(kind))(value as object);
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
