/** Messages between the main thread and the threads of the sandbox. */
import type { Quantities } from '@hilltop/contract';

export type SandboxCall = {
  /** The application whose time it takes. */
  owner: string;
  direction: ScriptDirection;
  script: string;
  fPort: number;
  /** When the payload was received, in milliseconds since 1970. */
  at: number;
  input: string;
  variables: string;
  /** A run for the author of the script, which also returns the lines of its console. */
  isTrial?: boolean;
  /** Only whether the script can be parsed and has a function of its direction. */
  isCheck?: boolean;
};
/** `isQuick`: so short that the answers before it may wait for it. */
export type ToSandbox = (Omit<SandboxCall, 'owner'> & { id: number; isQuick: boolean })[];
export type SandboxAnswer = { id: number; ms: number; console?: string[] } & (
  | { result: ScriptResult }
  | { error: string; position?: ScriptPosition | undefined }
);
export type SandboxLimits = {
  deadlineMs: number;
  killAfterMs: number;
  /** A thread that is not ready in this time is replaced. */
  startWithinMs: number;
  memoryBytes: number;
  resultBytes: number;
  /** The thread yields to other threads on a busy machine. */
  isBackground?: boolean;
};
/** What openSandbox needs. */
export type ScriptLimits = Pick<SandboxLimits, 'deadlineMs' | 'memoryBytes' | 'resultBytes'>;

export type ScriptRun = Omit<SandboxCall, 'owner' | 'isCheck'>;

/** The functions of each direction, in the order in which they are looked for: the recorded dialect comes first. */
export const functionsOf = { uplink: ['Decode', 'decodeUplink'], downlink: ['Encode', 'encodeDownlink'] } as const;
export type ScriptDirection = keyof typeof functionsOf;
export type ScriptFunction = (typeof functionsOf)[ScriptDirection][number];

export interface ScriptResult {
  func: ScriptFunction;
  /** The decoded object or the list of bytes, as JSON text. */
  json: string;
  /** The port that `encodeDownlink` returned. */
  fPort?: number;
  warnings?: string[];
  errors?: string[];
  /** Quantities of decoded numbers, from `normalizeUplink`. */
  quantities?: Quantities;
}

/** Both count from 1. */
export interface ScriptPosition {
  line: number;
  column: number;
}

export const timeExceeded = (deadlineMs: number) => `The script ran longer than ${deadlineMs} ms and was stopped.`;
export const isTimeExceeded = (message: string) => /^The script ran longer than \d+ ms and was stopped/.test(message);
