/** What a case of the bench gets and gives. */

export interface Bench {
  /** Fewer devices and shorter rungs, for people in a hurry. */
  quick: boolean;
  /** What the servers keep their data in; SQLite when not given. */
  database?: 'sqlite' | 'postgres';
  /** Of the soak: uplinks per second and minutes, when somebody wants other ones. */
  rate?: number | undefined;
  minutes?: number | undefined;
  /** Folder of an older checkout, with its packages, to be measured in turn by cases that can. */
  before?: string | undefined;
  /** Environment of the server processes a case starts. */
  settings: Record<string, string>;
  /** Tells whoever waits what is going on. */
  say: (line: string) => void;
}

/** One line of the table, as people read it. */
export interface Row {
  work: string;
  /** Figure of the previous generation, measured the same way on two cores over loopback. */
  before: string;
  target: string;
  ours: string;
  /** What was promised was broken: the run fails. */
  isBroken?: boolean;
}

export interface Outcome {
  rows: Row[];
  /** All that was measured, for the JSON file. */
  measured: unknown;
}

export type Case = (bench: Bench) => Promise<Outcome>;
