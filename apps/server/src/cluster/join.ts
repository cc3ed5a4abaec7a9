import type { Cluster, Member } from './cluster.ts';

/** By the name of a setting that must be equal at all instances: a hash of its value here. */
export type Agreement = Readonly<Record<string, string>>;

/** An instance that starts on a database with others: until it has joined, no other instance starts. */
export interface ClusterJoin {
  /** Of this instance. */
  id: string;
  /** The live instances; none before the first migration. */
  peers: () => Promise<Member[]>;
  /** Resolves once it is a member of the cluster. Throws SettingsMismatch. */
  join: (agreement: Agreement) => Promise<Cluster>;
  close: () => Promise<void>;
}

/** A setting that is different at another instance. */
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
