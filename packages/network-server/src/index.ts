export type { ApplicationServer, Effect } from './application-server.ts';
export type { JoinAnswer, JoinRequest, JoinServer } from './join-server.ts';
export { createInMemoryState } from './state/in-memory.ts';
export type * from './state/records.ts';
export type * from './state/session.ts';
export type * from './state/state.ts';
export type { Clock, Count, Log, Random } from './surroundings.ts';
