import type { Cluster, Member } from './cluster.ts';

/** Setting names and hashes of their values, for settings that must be equal at all instances. */
export type Agreement = Readonly<Record<string, string>>;

/** An instance that is starting. No other instance starts until it has joined. */
export interface ClusterJoin {
  /** The id of this instance. */
  id: string;
  /** The live instances; none before the first migration. */
  peers: () => Promise<Member[]>;
  /** Resolves when this instance is a member of the cluster. Throws SettingsMismatch. */
  join: (agreement: Agreement) => Promise<Cluster>;
  close: () => Promise<void>;
}

/** Another instance has a different value of this setting. */
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
