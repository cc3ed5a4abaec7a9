import type { Cluster, Member } from './cluster.ts';

/** By the name of a setting: what it is here, for those that all instances must have alike. */
export type Agreement = Readonly<Record<string, string>>;

/** An instance that has the database with others and is not one of them yet: while it starts no other does. */
export interface ClusterJoin {
  /** Of this instance. */
  id: string;
  /** Who is there already: nobody before the first migration. */
  peers: () => Promise<Member[]>;
  /** Answers once it is among the others. Throws SettingsMismatch. */
  join: (agreement: Agreement) => Promise<Cluster>;
  close: () => Promise<void>;
}

/** What another instance has otherwise. */
export class SettingsMismatch extends Error {
  override readonly name = 'SettingsMismatch';
  readonly setting: string;
  readonly other: Member;

  constructor(setting: string, other: Member) {
    super(`${setting} is different at ${other.name}`);
    this.setting = setting;
    this.other = other;
  }
}
