/** A small installation of version 3: one record of each kind, and a device with a session. */
import { create, toBinary } from '@hilltop/protobuf';
import { bucketStart, type Interval } from '../../statistics/interval.ts';
import { ReceiversMessage, SessionMessage } from '../source/session-message.ts';
import { applicationServerID, secondPrefix, type Version3 } from './version-3.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

/** The ids, keys and counters of the fixture. */
export const fixture = {
  serviceProfileID: 'a1d9c1f8-5a07-4a37-b43b-7dd6c4d40d01',
  deviceProfileID: 'a1d9c1f8-5a07-4a37-b43b-7dd6c4d40d02',
  gatewayProfileID: 'a1d9c1f8-5a07-4a37-b43b-7dd6c4d40d03',
  multicastGroupID: 'a1d9c1f8-5a07-4a37-b43b-7dd6c4d40d04',
  apiKeyID: '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11',
  /** Signed with the secret `verysecret`. */
  apiToken:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhcGlfa2V5X2lkIjoiM2QxZjdjNTItNWYwZS00YzUzLTlkMmEtNmE0ZDBhNmE3YzExIiwiYXVkIjoiYXMiLCJpc3MiOiJhcyIsIm5iZiI6MTY3NzY2NTczMCwic3ViIjoiYXBpX2tleSJ9.94SqRTc00rTnRlsNFZltDvobjZA_SuopurwSdF0FUMY',
  password: 'hill top ä',
  passwordHash:
    'PBKDF2$sha512$100000$AAECAwQFBgcICQoLDA0ODw==$GlABI/IIhVNzj5VP9eX1euVSahpm2qjP5alWNVtijX7fNKX9FXkhO8Cs3rbXmENGapYbpDypTsCmmP/4Gmi5bA==',
  /** A hash of the same password, with few rounds. */
  weakHash:
    'PBKDF2$sha512$1000$EBESExQVFhcYGRobHB0eHw==$hgcnvlkyOFMap61P/ztUOuNadKzMuiVt5pEy0JR22NbJKf6//07QQA58AuoimhMUlCcdovknB3dkvm8gKGFD8Q==',
  /** The first administrator of version 3, whose password is `admin`. */
  hashOfAdmin:
    'PBKDF2$sha512$1$l8zGKtxRESq3PA2kFhHRWA==$H3lGMxOt55wjwoc+myeOoABofJY9oDpldJa7fhqdjbh700V6FLPML75UmBOt9J5VFNjAL1AvqCozA1HJM0QVGA==',
  gatewayID: 'b827ebfffe112233',
  devEUI: '0a1b2c3d4e5f6071',
  joinEUI: '70b3d57ed0000001',
  devAddr: '01abcdef',
  nwkKey: '000102030405060708090a0b0c0d0e0f',
  nwkSKey: '2d13898ea763059d8acdfe65f15f3233',
  appSKey: '04d3df89c8a14f26ace47e8242616a6f',
  fCntUp: 43,
  nFCntDown: 13,
  joinNonce: 7,
  usedNonce: 0x1234,
} as const;

const ids = {
  organization_id: 7,
  network_server_id: 3,
} as const;

export async function fillVersion3({ insert, redis }: Version3): Promise<void> {
  const lastSeen = new Date(Date.now() - 60_000);
  await insertOwners(insert);
  await insertThings(insert, lastSeen);
  await insertNetworkProfiles(insert, lastSeen);
  await insertNetworkDevice(insert);
  await redis.set(`lora:ns:device:${fixture.devEUI}`, Buffer.from(sessionOf({})));
  await redis.set(`lora:ns:device:${fixture.devEUI}:gwrx`, Buffer.from(receiversOf(hex(fixture.devEUI))));
}

/** Users, the organization, its profiles, application and integration. */
async function insertOwners(insert: Version3['insert']): Promise<void> {
  const { serviceProfileID, deviceProfileID, gatewayProfileID } = fixture;
  await insert(
    'as',
    'user',
    { id: 1, email: 'admin', password_hash: fixture.hashOfAdmin, is_admin: true },
    { id: 4, email: 'anna@example.org', password_hash: fixture.passwordHash, is_admin: true, session_ttl: 30 },
    { id: 6, email: 'wim@example.org', password_hash: fixture.weakHash },
    { id: 5, email: 'olga@example.org', external_id: 'sub-5', email_verified: true },
  );
  await insert('as', 'organization', { id: 7, name: 'acme', display_name: 'Acme' });
  await insert('as', 'organization_user', { id: 9, user_id: 5, organization_id: 7, is_device_admin: true });
  await insert('as', 'network_server', { id: 3, name: 'ns', server: 'ns.example.org:8000' });
  await insert('as', 'service_profile', { ...ids, service_profile_id: serviceProfileID, name: 'service' });
  await insert('as', 'device_profile', {
    ...ids,
    device_profile_id: deviceProfileID,
    name: 'meters',
    payload_codec: 'CUSTOM_JS',
    payload_decoder_script: 'function Decode(fPort, bytes) { return { first: bytes[0] }; }',
    tags: 'kind=>meter',
    uplink_interval: 3_600_000_000_000,
  });
  await insert('as', 'gateway_profile', {
    gateway_profile_id: gatewayProfileID,
    network_server_id: 3,
    name: 'outdoor',
    stats_interval: 30_000_000_000,
  });
  await insert('as', 'application', {
    id: 11,
    name: 'water',
    organization_id: 7,
    service_profile_id: serviceProfileID,
  });
  await insert('as', 'integration', {
    id: 21,
    application_id: 11,
    kind: 'HTTP',
    settings: JSON.stringify({
      headers: { 'X-Api-Key': 'a header secret' },
      eventEndpointURL: 'https://example.com/events',
      marshaler: '',
      timeout: 0,
    }),
  });
  await insert('as', 'api_key', { id: fixture.apiKeyID, name: 'script', organization_id: 7 });
}

/** The gateway, the device and its multicast-group. */
async function insertThings(insert: Version3['insert'], lastSeen: Date): Promise<void> {
  const { deviceProfileID, gatewayProfileID, multicastGroupID } = fixture;
  await insert('as', 'gateway', {
    ...ids,
    mac: hex(fixture.gatewayID),
    name: 'roof',
    gateway_profile_id: gatewayProfileID,
    latitude: 52.1,
    longitude: 5.2,
    altitude: 3,
    tags: '"on"=>NULL',
    first_seen_at: lastSeen,
    last_seen_at: lastSeen,
  });
  await insert('as', 'device', {
    dev_eui: hex(fixture.devEUI),
    application_id: 11,
    device_profile_id: deviceProfileID,
    name: 'meter 1',
    last_seen_at: lastSeen,
    dr: 3,
    device_status_battery: '87.5',
    device_status_margin: 12,
    variables: 'token=>abc',
    dev_addr: hex(fixture.devAddr),
    app_s_key: hex(fixture.appSKey),
  });
  await insert('as', 'device_keys', {
    dev_eui: hex(fixture.devEUI),
    nwk_key: hex(fixture.nwkKey),
    join_nonce: fixture.joinNonce,
  });
  await insert('as', 'multicast_group', {
    id: multicastGroupID,
    name: 'all',
    application_id: 11,
    mc_app_s_key: hex(fixture.appSKey),
  });
  await insert('as', 'device_multicast_group', { dev_eui: hex(fixture.devEUI), multicast_group_id: multicastGroupID });
}

/** The profiles and the gateway at the network server. */
async function insertNetworkProfiles(insert: Version3['insert'], lastSeen: Date): Promise<void> {
  const { serviceProfileID, deviceProfileID, gatewayProfileID } = fixture;
  await insert('ns', 'routing_profile', { routing_profile_id: applicationServerID });
  await insert('ns', 'service_profile', { service_profile_id: serviceProfileID, ul_rate_policy: 'Mark' });
  await insert('ns', 'device_profile', {
    device_profile_id: deviceProfileID,
    max_eirp: 14,
    adr_algorithm_id: 'plugin',
  });
  await insert('ns', 'gateway_profile', {
    gateway_profile_id: gatewayProfileID,
    channels: [0, 1, 2],
    stats_interval: 30_000_000_000,
  });
  await insert('ns', 'gateway_profile_extra_channel', {
    gateway_profile_id: gatewayProfileID,
    modulation: 'LORA',
    frequency: 867_100_000,
    bandwidth: 125,
    spreading_factors: [7, 8, 9],
  });
  await insert('ns', 'gateway', {
    gateway_id: hex(fixture.gatewayID),
    routing_profile_id: applicationServerID,
    first_seen_at: lastSeen,
    last_seen_at: lastSeen,
  });
  await insert('ns', 'gateway_board', {
    gateway_id: hex(fixture.gatewayID),
    id: 0,
    fpga_id: hex('0102030405060708'),
    fine_timestamp_key: hex(fixture.nwkKey),
  });
}

/** The device and its multicast-group at the network server. */
async function insertNetworkDevice(insert: Version3['insert']): Promise<void> {
  const { serviceProfileID, deviceProfileID, multicastGroupID } = fixture;
  await insert('ns', 'device', {
    dev_eui: hex(fixture.devEUI),
    device_profile_id: deviceProfileID,
    service_profile_id: serviceProfileID,
    routing_profile_id: applicationServerID,
  });
  await insert('ns', 'device_activation', {
    dev_eui: hex(fixture.devEUI),
    join_eui: hex(fixture.joinEUI),
    dev_addr: hex(fixture.devAddr),
    dev_nonce: fixture.usedNonce,
    join_req_type: 255,
  });
  await insert('ns', 'multicast_group', {
    id: multicastGroupID,
    mc_addr: hex('01020304'),
    mc_nwk_s_key: hex(fixture.nwkSKey),
    f_cnt: 5,
    group_type: 'C',
    dr: 0,
    frequency: 869_525_000,
    ping_slot_period: 0,
    routing_profile_id: applicationServerID,
    service_profile_id: serviceProfileID,
  });
}

/** The gateway of the fixture received the last uplink of a device. */
export function receiversOf(devEUI: Uint8Array): Uint8Array {
  const receiver = {
    gatewayID: hex(fixture.gatewayID),
    rssi: -61,
    loraSNR: 8.5,
    board: 0,
    antenna: 0,
    context: hex('01020304'),
  };
  return toBinary(ReceiversMessage, create(ReceiversMessage, { devEUI, dr: 3, items: [receiver] }));
}

/** The session of the fixture's device, as version 3 stores it. */
export function sessionOf(more: Parameters<typeof create<typeof SessionMessage>>[1]): Uint8Array {
  const key = hex(fixture.nwkSKey);
  const session = create(SessionMessage, {
    devAddr: hex(fixture.devAddr),
    devEUI: hex(fixture.devEUI),
    joinEUI: hex(fixture.joinEUI),
    fNwkSIntKey: key,
    sNwkSIntKey: key,
    nwkSEncKey: key,
    fCntUp: fixture.fCntUp,
    nFCntDown: fixture.nFCntDown,
    rxDelay: 1,
    rx2DR: 0,
    rx2Frequency: 869_525_000,
    dr: 3,
    nbTrans: 1,
    adr: true,
    enabledUplinkChannels: [0, 1, 2],
    uplinkADRHistory: [{ fCnt: 42, maxSNR: 8.5, txPowerIndex: 2, gatewayCount: 1, maxRSSI: -61 }],
    macVersion: '1.0.3',
    ...more,
  });
  return toBinary(SessionMessage, session);
}

const uuid = (last: number) => `a1d9c1f8-5a07-4a37-b43b-7dd6c4d40d${last}`;
const session = (prefix: string, devEUI: string) => `${prefix}lora:ns:device:${devEUI}`;

/**
 * A class C device at the second network server, a gateway there, and one device at a network server that stays remote.
 */
export const lamp = { devEUI: '0a1b2c3d4e5f6072', devAddr: '01abcdf0', gatewayID: 'b827ebfffe112244' } as const;
const far = '0a1b2c3d4e5f6073';

export async function addNetworks(v3: Version3): Promise<void> {
  const { insert, redis } = v3;
  const lastSeen = new Date(Date.now() - 60_000);
  for (const [id, name] of [
    [4, 'second'],
    [5, 'far'],
  ] as const) {
    const of = { organization_id: 7, network_server_id: id, name };
    await insert('as', 'network_server', { id, name, server: `${name}.example.org:8000` });
    await insert('as', 'service_profile', { ...of, service_profile_id: uuid(id + 10) });
    await insert('as', 'device_profile', { ...of, device_profile_id: uuid(id + 20) });
    const application = { id: id + 10, name, organization_id: 7, service_profile_id: uuid(id + 10) };
    await insert('as', 'application', application);
  }
  const device = (devEUI: string, of: number) => ({
    dev_eui: hex(devEUI),
    application_id: of + 10,
    device_profile_id: uuid(of + 20),
    name: devEUI,
  });
  const activated = { dev_addr: hex(lamp.devAddr), app_s_key: hex(fixture.appSKey), last_seen_at: lastSeen };
  await insert('as', 'device', { ...device(lamp.devEUI, 4), ...activated }, device(far, 5));
  const gateway = { organization_id: 7, network_server_id: 4, name: 'mast' };
  await insert('as', 'gateway', { ...gateway, mac: hex(lamp.gatewayID) });

  const routing = { routing_profile_id: applicationServerID };
  await insert('ns2', 'routing_profile', routing);
  await insert('ns2', 'service_profile', { service_profile_id: uuid(14) });
  const classC = { supports_class_c: true, class_c_timeout: 5 };
  await insert('ns2', 'device_profile', { device_profile_id: uuid(24), max_eirp: 16, ...classC });
  await insert('ns2', 'gateway', { gateway_id: hex(lamp.gatewayID), ...routing });
  const atSecond = { ...routing, device_profile_id: uuid(24), service_profile_id: uuid(14) };
  await insert('ns2', 'device', { ...atSecond, dev_eui: hex(lamp.devEUI), mode: 'C' });
  const item = { f_port: 2, frm_payload: hex('0102') };
  const ofLamp = { ...item, dev_eui: hex(lamp.devEUI), dev_addr: hex(lamp.devAddr) };
  await insert('ns2', 'device_queue', { ...ofLamp, f_cnt: fixture.nFCntDown, confirmed: true });
  const ofMeter = { ...item, dev_eui: hex(fixture.devEUI) };
  await insert('ns', 'device_queue', { ...ofMeter, dev_addr: hex(fixture.devAddr), f_cnt: fixture.nFCntDown });
  await insert('ns', 'device_queue', { ...ofMeter, dev_addr: hex('01020304'), f_cnt: 3 });

  // The second network server also knows the device of the first, with another session and its dependent rows.
  await insert('ns2', 'device', { ...atSecond, dev_eui: hex(fixture.devEUI) });
  const nonce = { dev_eui: hex(fixture.devEUI), join_eui: hex(fixture.joinEUI), dev_addr: hex('05060708') };
  await insert('ns2', 'device_activation', { ...nonce, dev_nonce: 1, join_req_type: 255 });
  await insert('ns2', 'device_queue', { ...ofMeter, dev_addr: hex('05060708'), f_cnt: 1 });
  const other = sessionOf({ devAddr: hex('05060708'), fCntUp: 9000 });
  await redis.set(session(secondPrefix, fixture.devEUI), Buffer.from(other));

  const radio = { rx2DR: 2, rx2Frequency: 923_200_000, enabledUplinkChannels: [0, 1] };
  const ofLampSession = { devAddr: hex(lamp.devAddr), devEUI: hex(lamp.devEUI), ...radio };
  await redis.set(session(secondPrefix, lamp.devEUI), Buffer.from(sessionOf(ofLampSession)));
  const receiver = { gatewayID: hex(lamp.gatewayID), rssi: -61, loraSNR: 8.5, context: hex('01020304') };
  const receivers = create(ReceiversMessage, { devEUI: hex(lamp.devEUI), dr: 3, items: [receiver] });
  await redis.set(`${session(secondPrefix, lamp.devEUI)}:gwrx`, Buffer.from(toBinary(ReceiversMessage, receivers)));
}

/** Statistics of a device and a gateway at the application server, with older sums and fields that are not numbers. */
export async function addStatistics({ redis }: Version3, now: number): Promise<void> {
  const applicationServer = redis.duplicate({ db: 1 });
  const set = (subject: string, interval: Interval, start: number, counters: Record<string, string | number>) =>
    applicationServer.hset(`lora:as:metrics:{${subject}}:${interval}:${start / 1000}`, counters);
  const today = bucketStart('DAY', now);
  const signal = { gw_rssi_sum: -610, gw_snr_sum: 85, rx_freq_868100000: 10, rx_dr_3: 10 };
  await set(`device:${fixture.devEUI}`, 'DAY', today, { rx_count: 10, ...signal, broken: 'x' });
  await set(`device:${fixture.devEUI}`, 'MONTH', bucketStart('MONTH', now), { rx_count: 40 });
  await set(`device:${fixture.devEUI}`, 'DAY', bucketStart('DAY', today - 60 * 86_400_000), { rx_count: 1 });
  await set(`device:${fixture.devEUI}`, 'HOUR', bucketStart('HOUR', now), { rx_count: 2 });
  await set(`gw:${fixture.gatewayID}`, 'DAY', today, { rx_count: 12, rx_ok_count: 11, tx_count: 3, tx_ok_count: 2 });
  applicationServer.disconnect();
}
