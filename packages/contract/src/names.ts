import type { Enumeration as ProtoEnumeration } from '@hilltop/protobuf';
import { type Enumeration, enumeration } from './wire.ts';

/** An enumeration of the protobuf package; its names are in the order of their numbers. */
export function namesOf<Name extends string>({ typeName, numbers }: ProtoEnumeration<Name>): Enumeration<Name> {
  return enumeration(typeName, Object.keys(numbers) as Name[]);
}
