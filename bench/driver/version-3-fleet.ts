/** An installation of version 3 with many active devices. */
import { fillVersion3, fixture, receiversOf, sessionOf } from '../../apps/server/src/import-v3/testing/fixture.ts';
import type { Version3 } from '../../apps/server/src/import-v3/testing/version-3.ts';

const joinsEach = 3;
const sessionsAtOnce = 1000;
/** EUI and DevAddr of the device with this number. */
const devEUIOf = (device: number) => `0c${device.toString(16).padStart(14, '0')}`;
const devAddrOf = (device: number) => `02${device.toString(16).padStart(6, '0')}`;

/** Creates devices that joined three times and have a session (every hundredth has a queued downlink), and one record of each other kind. */
export async function fillWithDevices(v3: Version3, devices: number): Promise<void> {
  await fillVersion3(v3);
  const { deviceProfileID, serviceProfileID } = fixture;
  const devEUI = `decode('0c' || lpad(to_hex(n), 14, '0'), 'hex')`;
  const devAddr = `decode('02' || lpad(to_hex(n), 6, '0'), 'hex')`;
  const key = `decode(md5(n::text), 'hex')`;
  const all = `from generate_series(1, ${devices}) n`;
  await v3.query(
    'as',
    `insert into device (dev_eui, application_id, device_profile_id, name, description, last_seen_at, dr, tags,
       device_status_battery, device_status_margin, dev_addr, app_s_key)
     select ${devEUI}, 11, '${deviceProfileID}', 'house ' || n, 'cold water', now() - interval '1 hour', 3,
       hstore('street', 'no ' || n % 1000), 87.5, 12, ${devAddr}, ${key} ${all}`,
  );
  await v3.query('as', `insert into device_keys (dev_eui, nwk_key, join_nonce) select ${devEUI}, ${key}, 3 ${all}`);
  await v3.query(
    'ns',
    `insert into device (dev_eui, device_profile_id, service_profile_id, routing_profile_id)
     select ${devEUI}, '${deviceProfileID}', '${serviceProfileID}', routing_profile_id
     ${all}, (select routing_profile_id from routing_profile) r`,
  );
  await v3.query(
    'ns',
    `insert into device_activation (dev_eui, join_eui, dev_addr, dev_nonce, join_req_type)
     select ${devEUI}, '\\x${fixture.joinEUI}', ${devAddr}, j, 255 ${all}, generate_series(1, ${joinsEach}) j`,
  );
  await v3.query(
    'ns',
    `insert into device_queue (dev_addr, dev_eui, frm_payload, f_cnt, f_port)
     select ${devAddr}, ${devEUI}, '\\x0102', ${fixture.nFCntDown + 2}, 10 from generate_series(100, ${devices}, 100) n`,
  );
  for (const database of ['as', 'ns'] as const) await v3.query(database, 'analyze');
  await storeSessions(v3, { from: 1, to: devices, fCntUp: fixture.fCntUp });
}

/** Simulates the time between two passes: the first devices send another uplink. */
export async function addUplinks(v3: Version3, devices: number): Promise<void> {
  await v3.query('as', `update device set last_seen_at = now() where dev_eui <= $1`, [
    Buffer.from(devEUIOf(devices), 'hex'),
  ]);
  await storeSessions(v3, { from: 1, to: devices, fCntUp: fixture.fCntUp + 1 });
}

async function storeSessions(
  { redis }: Version3,
  { from, to, fCntUp }: { from: number; to: number; fCntUp: number },
): Promise<void> {
  for (let first = from; first <= to; first += sessionsAtOnce) {
    const values: (string | Buffer)[] = [];
    for (let device = first; device < Math.min(first + sessionsAtOnce, to + 1); device += 1) {
      const devEUI = Buffer.from(devEUIOf(device), 'hex');
      const session = sessionOf({ devEUI, devAddr: Buffer.from(devAddrOf(device), 'hex'), fCntUp });
      const key = `lora:ns:device:${devEUIOf(device)}`;
      values.push(key, Buffer.from(session), `${key}:gwrx`, Buffer.from(receiversOf(devEUI)));
    }
    await redis.mset(...values);
  }
}
