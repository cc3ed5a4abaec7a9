import { WireType } from '@bufbuild/protobuf/wire';
import type { Kind } from './message.ts';

/** The wire type of a single value of this kind; lists and maps consist of such values. */
export function wireTypeOf(kind: Kind): WireType {
  if (typeof kind !== 'string') return kind.kind === 'enum' ? WireType.Varint : WireType.LengthDelimited;
  switch (kind) {
    case 'double':
      return WireType.Bit64;
    case 'float':
      return WireType.Bit32;
    case 'string':
    case 'bytes':
    case 'timestamp':
    case 'duration':
      return WireType.LengthDelimited;
    default:
      return WireType.Varint;
  }
}
