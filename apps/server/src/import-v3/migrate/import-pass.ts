import type { Region } from '@hilltop/lorawan';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { ReportBook } from '../report/report.ts';
import type { Extent, SourceDatabase } from '../source/postgres.ts';
import type { SourceRedis } from '../source/redis.ts';
import type { SettingsFile } from '../source/settings-file.ts';
import type { RowDigests } from '../target/row-digests.ts';
import type { TargetRow } from '../target/target-rows.ts';

/** A network server of version 3 that becomes one inside this process. */
export interface ImportedNetwork {
  file: SettingsFile;
  database: SourceDatabase;
  redis: SourceRedis;
  region: Region;
}

/** What one reading of version 3 works with, and finds out for what is read after it. */
export interface ImportPass {
  file: SettingsFile;
  database: SourceDatabase;
  redis: SourceRedis;
  /** By the id of their row; the others stay where they are. */
  networks: ReadonlyMap<number, ImportedNetwork>;
  /** The id of this application server, by which network servers know it. */
  applicationServerID: string;
  keyEnvelopes: KeyEnvelopes;
  report: ReportBook;
  now: Date;
  /** Downlink counters go on so far beyond what is stored. */
  downlinkMargin: number;
  /** Whether the old servers have been stopped. */
  isFinal: boolean;
  /** Whether a pass before has carried what the last one has no time for. */
  isShort: boolean;
  /** By user and hash, what is stored in place of a weak one; null: nothing, since everybody knows the password. */
  passwords: Map<string, string | null>;
  /** What has been carried so far, by id. */
  imported: ImportedRecords;
  memory?: PassMemory | undefined;
}

/** What one pass leaves to the next one of the same process. */
export interface PassMemory {
  /** By row, what it was when it was last seen to be stored so. */
  rows: RowDigests;
  joins?: SeenJoins;
}

/** That all join nonces of these network-servers were carried, and of which devices. */
export interface SeenJoins {
  devices: ImportedRecords['devices'];
  extents: Map<number, Extent>;
}

/** Reads one thing of version 3 and says, batch by batch, which rows of ours it becomes. It writes nothing itself. */
export type ImportStep = (pass: ImportPass) => AsyncGenerator<TargetRow[]>;

export interface ImportedRecords {
  users: Set<number>;
  organizations: Set<number>;
  networkServers: Set<number>;
  /** With the id of their network-server. */
  serviceProfiles: Map<string, number>;
  deviceProfiles: Map<string, number>;
  /** Those of devices that join. */
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
