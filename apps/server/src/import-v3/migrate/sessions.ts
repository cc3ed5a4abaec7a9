import type { KeyEnvelope, Receiver } from '@hilltop/network-server';
import { fromBinary, RpcError } from '@hilltop/protobuf';
import { KeyEnvelopeError } from '../../key-envelopes.ts';
import { sessionColumns, sessionKeysBody, sessionKeysPurpose } from '../../network/session-rows.ts';
import type { SourceRow } from '../source/postgres.ts';

import { BrokenRow, bytes, flag, isZero, optionalDate, text } from '../source/read-row.ts';
import { ReceiversMessage, SessionMessage } from '../source/session-message.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { importRows, rowsBy, textOfKey } from './each-row.ts';
import type { ImportedNetwork, ImportPass, ImportStep } from './import-pass.ts';
import { receiversOf, type SessionSurroundings, sessionOf } from './session.ts';

const what = 'sessions';
/** The time for which version 3 stores sessions by default. */
const silentMs = 31 * 86_400_000;

/** Columns of devices that complete the session: of the application server and of the network server. */
const ofDevice = ['dev_eui', 'device_profile_id', 'dev_addr', 'last_seen_at', 'updated_at'];
const ofRecord = ['dev_eui', 'mode', 'skip_fcnt_check'];

/** A device with all parts of its session. */
interface StoredSession {
  devEUI: string;
  device: SourceRow;
  record: SourceRow | undefined;
  session: Uint8Array | null;
  receivers: Uint8Array | null;
}

export const importSessions: ImportStep = async function* (pass) {
  const { imported, database, networks, report } = pass;
  report.count(what);
  const profiles = await profilesOf(pass);
  /** The number of devices with a recent uplink, and of sessions found for them. */
  const sums = new Map<number, { lately: number; found: number }>();
  for await (const rows of database.rows('device', ofDevice)) {
    for (const [networkServerID, network] of networks) {
      const ofNetwork = rows.filter((row) => imported.devices.get(textOfKey(row['dev_eui'])) === networkServerID);
      const found = await read(network, ofNetwork);
      const sum = sums.get(networkServerID) ?? { lately: 0, found: 0 };
      sums.set(networkServerID, sum);
      sum.found += found.filter(({ session }) => session !== null).length;
      sum.lately += ofNetwork.filter((row) => sentLately(pass, row)).length;
      const withSession = found.filter((one) => reportMissingPart(pass, one));
      yield importRows(pass, withSession as unknown as SourceRow[], {
        what,
        nameInReport: (one) => (one as unknown as StoredSession).devEUI,
        toTargetRows: (one) => importSession(pass, networkServerID, profiles, one as unknown as StoredSession),
      });
    }
  }
  for (const [networkServerID, { lately, found }] of sums)
    if (lately > 0 && found === 0)
      report.find(
        'stops',
        what,
        'Redis has no session of any device, although some sent uplinks within the last month: check redis.database and redis.key_prefix of the file',
        `network-server ${networkServerID}`,
      );
};

const key = (devEUI: string) => `lora:ns:device:${devEUI}`;

async function read({ database, redis }: ImportedNetwork, rows: readonly SourceRow[]): Promise<StoredSession[]> {
  const devEUIs = rows.map((row) => textOfKey(row['dev_eui']));
  const asked = rows.map((row) => row['dev_eui']);
  const [records, sessions, receivers] = await Promise.all([
    rowsBy(database, 'device', 'dev_eui', asked, ofRecord),
    redis.strings(devEUIs.map(key)),
    redis.strings(devEUIs.map((devEUI) => `${key(devEUI)}:gwrx`)),
  ]);
  return rows.map((device, index) => {
    const devEUI = devEUIs[index]!;
    return {
      devEUI,
      device,
      record: records.get(devEUI),
      session: sessions[index] ?? null,
      receivers: receivers[index] ?? null,
    };
  });
}

function sentLately({ now }: ImportPass, row: SourceRow): boolean {
  const seen = row['last_seen_at'];
  return seen instanceof Date && now.getTime() - seen.getTime() < silentMs;
}

/** Whether there is a session. Reports a device that was activated once and has none. */
function reportMissingPart({ report }: ImportPass, { devEUI, device, session }: StoredSession): boolean {
  if (session) return true;
  if (!isZero(bytes(device, 'dev_addr', 4)))
    report.find(
      'notice',
      what,
      'the session has expired after a month without uplinks: these devices must join or be activated again',
      devEUI,
    );
  return false;
}

function importSession(
  pass: ImportPass,
  networkServerID: number,
  profiles: ReadonlyMap<string, Pick<SessionSurroundings, 'origin' | 'macVersion'>>,
  { devEUI, device, record, session, receivers }: StoredSession,
): TargetRow[] {
  const { report, imported } = pass;
  const given = decoded(SessionMessage, session!);
  if (given.devEUI.length > 0 && given.devEUI.toHex() !== devEUI)
    throw new BrokenRow('the session in Redis belongs to another device');
  const profile = profiles.get(`${networkServerID}/${text(device, 'device_profile_id')}`);
  const mode = text(record ?? {}, 'mode').trim();
  const beside: SessionSurroundings = {
    devEUI,
    role: 'current',
    mode: mode === 'B' || mode === 'C' ? mode : 'A',
    origin: profile?.origin ?? 'OTAA',
    macVersion: profile?.macVersion ?? '1.0.3',
    activatedAt: (optionalDate(device, 'last_seen_at') ?? optionalDate(device, 'updated_at') ?? pass.now).getTime(),
    lastUplinkAt: optionalDate(device, 'last_seen_at')?.getTime() ?? null,
    receivers:
      ifReadable(
        pass,
        devEUI,
        'the gateways that received its last uplink cannot be read: its next uplink sets them',
        () => receiversIn(receivers, (gatewayID) => imported.gateways.get(gatewayID) === networkServerID),
      ) ?? [],
    appSKey: appSKeyOf(pass, devEUI, given),
    downlinkMargin: pass.downlinkMargin,
  };
  const current = sessionOf(given, beside);
  if (given.skipFCntCheck && !flag(record ?? {}, 'skip_fcnt_check'))
    report.find(
      'notice',
      what,
      'the session skips the frame counter check and the device does not: Hilltop checks frame counters',
      devEUI,
    );
  if (!current.keys.appSKey && bytes(device, 'dev_addr', 4).toHex() !== current.devAddr)
    report.find(
      'notice',
      what,
      'the application server missed the last join and cannot decrypt payloads: these devices must join again',
      devEUI,
    );
  const pending = given.pendingRejoinDeviceSession;
  if (pending.length === 0) return [rowOf(networkServerID, current)];
  const next = ifReadable(
    pass,
    devEUI,
    'the session of its last rejoin cannot be read: it continues with the current one',
    () => {
      const session = decoded(SessionMessage, pending);
      return sessionOf(session, { ...beside, role: 'pending', appSKey: appSKeyOf(pass, devEUI, session) });
    },
  );
  return [current, next].filter((one) => one !== undefined).map((one) => rowOf(networkServerID, one));
}

function rowOf(networkServerID: number, session: ReturnType<typeof sessionOf>): TargetRow {
  return {
    table: 'ns_session',
    values: { network_server_id: networkServerID, ...sessionColumns(session) },
    sealed: { keys: { plain: sessionKeysBody(session.keys), purpose: sessionKeysPurpose(session.id) } },
    nameInReport: session.devEUI,
  };
}

/** The AppSKey of a device that joined but has not sent an uplink is not known to the application server yet. */
function appSKeyOf(
  { keyEnvelopes, report }: ImportPass,
  devEUI: string,
  { appSKeyEnvelope }: SessionMessage,
): KeyEnvelope | null {
  if (!appSKeyEnvelope || appSKeyEnvelope.aesKey.length === 0) return null;
  const { kekLabel, aesKey } = appSKeyEnvelope;
  try {
    return { kekLabel: '', aesKey: new Uint8Array(keyEnvelopes.open({ kekLabel, aesKey })) };
  } catch (error) {
    if (!(error instanceof KeyEnvelopeError)) throw error;
    report.find(
      'notice',
      what,
      `the AppSKey is wrapped with the key-encryption key "${kekLabel}", which the files do not contain: it is imported wrapped, and can be used once HILLTOP_JOIN_SERVER_KEK has that key`,
      devEUI,
    );
    return { kekLabel, aesKey: new Uint8Array(aesKey) };
  }
}

/** Parts of a session that may be missing. */
function ifReadable<Value>(
  { report }: ImportPass,
  devEUI: string,
  because: string,
  read: () => Value,
): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BrokenRow)) throw error;
    report.find('notice', what, because, devEUI);
    return undefined;
  }
}

function receiversIn(bytesOfSet: Uint8Array | null, isImported: (gatewayID: string) => boolean): Receiver[] {
  return bytesOfSet ? receiversOf(decoded(ReceiversMessage, bytesOfSet), isImported) : [];
}

function decoded<M extends Parameters<typeof fromBinary>[0]>(type: M, given: Uint8Array) {
  try {
    return fromBinary(type, given);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new BrokenRow('its data in Redis cannot be read: the device must join again');
  }
}

/** What a session takes from its device-profile, by network-server and id. */
async function profilesOf({
  networks,
}: ImportPass): Promise<Map<string, Pick<SessionSurroundings, 'origin' | 'macVersion'>>> {
  const found = new Map<string, Pick<SessionSurroundings, 'origin' | 'macVersion'>>();
  for (const [networkServerID, { database }] of networks)
    for await (const rows of database.rows('device_profile'))
      for (const row of rows)
        found.set(`${networkServerID}/${text(row, 'device_profile_id')}`, {
          origin: flag(row, 'supports_join') ? 'OTAA' : 'ABP',
          macVersion: text(row, 'mac_version'),
        });
  return found;
}
