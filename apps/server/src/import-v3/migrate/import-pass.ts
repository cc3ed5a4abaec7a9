import type { Region } from '@hilltop/lorawan';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { ReportBook } from '../report/report.ts';
import type { Extent, SourceDatabase } from '../source/postgres.ts';
import type { SourceRedis } from '../source/redis.ts';
import type { SettingsFile } from '../source/settings-file.ts';
import type { RowDigests } from '../target/row-digests.ts';
import type { TargetRow } from '../target/target-rows.ts';

/** A network server of version 3 that becomes an embedded one. */
export interface ImportedNetwork {
  file: SettingsFile;
  database: SourceDatabase;
  redis: SourceRedis;
  region: Region;
}

/** The input of one pass over version 3, and what each phase records for the later ones. */
export interface ImportPass {
  file: SettingsFile;
  database: SourceDatabase;
  redis: SourceRedis;
  /** The network servers that become embedded ones, by the id of their row. The others stay remote. */
  networks: ReadonlyMap<number, ImportedNetwork>;
  /** The id of the application server, by which network servers know it. */
  applicationServerID: string;
  keyEnvelopes: KeyEnvelopes;
  report: ReportBook;
  now: Date;
  /** Imported downlink counters are this much higher than the stored ones. */
  downlinkMargin: number;
  /** Whether the old servers have been stopped. */
  isFinal: boolean;
  /** Whether an earlier pass has imported what the last one skips. */
  isShort: boolean;
  /**
   * By user and hash, the hash that is stored in place of a weak one; null for the well-known password, which is not
   * imported.
   */
  passwords: Map<string, string | null>;
  /** The ids of the records that were imported so far. */
  imported: ImportedRecords;
  memory?: PassMemory | undefined;
}

/** What one pass passes on to the next one of the same process. */
export interface PassMemory {
  /** Digests of the rows that were seen stored. */
  rows: RowDigests;
  joins?: SeenJoins;
}

/** The devices whose join nonces were all imported, and the extents of the tables at that time. */
export interface SeenJoins {
  devices: ImportedRecords['devices'];
  extents: Map<number, Extent>;
}

/** Reads one kind of record of version 3 and yields the target rows batch by batch. It writes nothing itself. */
export type ImportStep = (pass: ImportPass) => AsyncGenerator<TargetRow[]>;

export interface ImportedRecords {
  users: Set<number>;
  organizations: Set<number>;
  networkServers: Set<number>;
  /** With the id of their network-server. */
  serviceProfiles: Map<string, number>;
  deviceProfiles: Map<string, number>;
  /** Profiles of devices that join. */
  joining: Set<string>;
  gatewayProfiles: Map<string, number>;
  applications: Map<number, { organizationID: number; serviceProfileID: string }>;
  gateways: Map<string, number>;
  /** By DevEUI, the id of their network-server. */
  devices: Map<string, number>;
  multicastGroups: Map<string, number>;
}

export function noImportedRecords(): ImportedRecords {
  return {
    users: new Set(),
    organizations: new Set(),
    networkServers: new Set(),
    serviceProfiles: new Map(),
    deviceProfiles: new Map(),
    joining: new Set(),
    gatewayProfiles: new Map(),
    applications: new Map(),
    gateways: new Map(),
    devices: new Map(),
    multicastGroups: new Map(),
  };
}
