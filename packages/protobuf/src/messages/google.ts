import type { MessageOf } from '../message.ts';
import { message } from '../message.ts';

export const Empty = message('google.protobuf.Empty', {});
export type Empty = MessageOf<typeof Empty>;
