import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FileImport, type InputOf, type Job, operations } from '@hilltop/contract';
import { workbook } from '../../table-files/testing/workbook.ts';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createApplication,
  createDeviceProfile,
  createOrganization,
  createServiceProfile,
  createUser,
  networkServerID,
} from '../../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createSurroundings,
  nwkKey,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';
import { loadUsedNonces } from '../device/used-nonces.ts';
import { removeExpired } from './store.ts';

const { fileImport, device, job } = operations;
type Plan = Partial<Pick<InputOf<typeof fileImport.update>, 'columns' | 'constants' | 'namePattern' | 'whenExists'>>;

const base64 = (file: string | Uint8Array) => Buffer.from(file).toString('base64');
const eui = (number: number) => `0102030405${number.toString(16).padStart(6, '0')}`;
const key = (number: number) => number.toString(16).padStart(32, 'a');

for (const database of databases) {
  describe(`imports from files on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    let applicationID: string;
    let deviceProfileID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
      const serviceProfileID = await createServiceProfile(app, { organizationID });
      applicationID = await createApplication(app, { organizationID, serviceProfileID, name: 'greenhouse' });
      deviceProfileID = await createDeviceProfile(app, { organizationID, name: 'sensor' });
    });
    after(() => app[Symbol.asyncDispose]());

    /** An import of this file. */
    async function upload(file: string | Uint8Array, kind: FileImport['kind'] = 'DEVICES'): Promise<FileImport> {
      const { id } = await app.call(fileImport.create, { organizationID, kind });
      return app.call(fileImport.upload, { id, name: 'devices.csv', file: base64(file) });
    }
    const check = ({ id, columns }: FileImport, plan: Plan = {}) =>
      app.call(fileImport.update, {
        id,
        columns: columns.map(({ field, isReversed }) => ({ field, isReversed })),
        constants: { application: 'greenhouse', deviceProfile: 'sensor' },
        whenExists: 'REFUSE',
        ...plan,
      });
    /** The problems of each row: `2 devEUI: Must be given.` */
    async function problemsOf(file: string | Uint8Array, plan: Plan = {}): Promise<string[]> {
      const checked = await check(await upload(file), plan);
      const { result } = await app.call(fileImport.listRows, { id: checked.id, problemsOnly: true, limit: 100 });
      return result.flatMap(({ number, problems }) => problems.map(({ field, text }) => `${number} ${field}: ${text}`));
    }
    const countsOf = async (file: string, plan: Plan = {}) => (await check(await upload(file), plan)).check;

    /** Runs an import to its end. */
    async function run(checked: FileImport, at: TestApp = app): Promise<Job> {
      const { jobID } = await at.call(fileImport.start, { id: checked.id });
      return jobEnd(jobID, at);
    }
    async function jobEnd(id: string, at: TestApp = app): Promise<Job> {
      for (;;) {
        const { job: found } = await at.call(job.get, { id });
        if (found.endedAt || found.state === 'PAUSED') return found;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    const runFile = async (file: string, plan: Plan = {}) => run(await check(await upload(file), plan));

    it('read EUIs that are the other way round', async () => {
      const uploaded = await upload(`DevEUI (LSB),name\n${Uint8Array.fromHex(eui(5)).reverse().toHex()},n5\n`);
      assert.equal((await run(await check(uploaded))).done, 1);
      assert.equal((await app.call(device.get, { devEUI: eui(5) })).device.name, 'n5');
    });

    it('read the DevEUI of an onboarding tag, and the counters of The Things Stack', async () => {
      const tag = `LW:D0:1122334455667788:${eui(6)}:00000000`;
      const names = 'qr;name;dev_addr;app_s_key;f_nwk_s_int_key;last_f_cnt_up;last_n_f_cnt_down';
      const uploaded = await upload(`${names}\n${tag};n6;01020304;${key(1)};${key(2)};41;7\n`);
      assert.equal((await run(await check(uploaded))).done, 1);
      const { deviceActivation: found } = await app.call(device.getActivation, { devEUI: eui(6) });
      assert.deepEqual(
        [found?.devAddr, found?.appSKey, found?.sNwkSIntKey, found?.fCntUp, found?.nFCntDown, found?.aFCntDown],
        ['01020304', key(1), key(2), 42, 8, 0],
      );
    });

    it('show three values of each column', async () => {
      const { columns, rowCount, fileName } = await upload(
        `devEUI,name\n${[1, 2, 3, 4].map((at) => `${eui(at)},n${at}\n`).join('')}`,
      );
      assert.deepEqual([columns[1]?.samples, rowCount, fileName], [['n1', 'n2', 'n3'], 4, 'devices.csv']);
    });

    it('count what they would do', async () => {
      await app.call(device.create, {
        device: { devEUI: eui(1), name: 'one', description: 'd', applicationID, deviceProfileID },
      });
      const file = `devEUI,name\n${eui(1)},one\n${eui(2)},two\n,three\n`;
      const counts = { createCount: 1, updateCount: 0, skipCount: 0, problemCount: 2 };
      assert.deepEqual(await countsOf(file), counts);
      assert.deepEqual(await countsOf(file, { whenExists: 'SKIP' }), { ...counts, skipCount: 1, problemCount: 1 });
      assert.deepEqual(await countsOf(file, { whenExists: 'UPDATE' }), { ...counts, updateCount: 1, problemCount: 1 });
      await refused(5, app.call(device.get, { devEUI: eui(2) }));
    });

    it('report problems of cells', async () => {
      const sheet = workbook([
        ['devEUI', 'name', 'appKey', 'latitude', 'isDisabled', 'longitude'],
        [{ number: '1.0203040500001E+15' }, 'a', key(1), '', '', ''],
        [{ number: '12' }, 'b', key(1), '', '', ''],
        [eui(11), 'c d', `${key(1)}00`, '91', 'perhaps', '1'],
        [eui(12), 'e', 'xyz', '1', 'yes', ''],
        [eui(13), 'e', { xml: '<c t="e"><f>A1</f><v>#N/A</v></c>' }, '1,5', 'no', '2'],
        [eui(13), 'f', key(1), '', '', ''],
        ['', 'g', '', '', '', ''],
      ]);
      assert.deepEqual(await problemsOf(sheet), [
        '2 devEUI: Excel turned this into a number. Format the column as text.',
        '3 devEUI: Has 2 of 16 hexadecimal digits. Excel removes leading zeros: format the column as text.',
        '4 appKey: Has 34 of 32 hexadecimal digits.',
        '4 isDisabled: Must be true or false.',
        '4 name: The name may only contain words, numbers and dashes.',
        '4 latitude: Must be from -90 to 90.',
        '5 appKey: Must be 32 hexadecimal digits.',
        '5 longitude: A position needs latitude and longitude.',
        '6 appKey: The formula in this cell ends in #N/A. Replace it by a value.',
        '7 devEUI: Row 6 has it already.',
        '8 devEUI: Must be given.',
      ]);
    });

    it('report names that are unknown, used or not unique', async () => {
      const other = await createDeviceProfile(app, { organizationID, name: 'twice' });
      await createDeviceProfile(app, { organizationID, name: 'twice' });
      const lines = [
        `${eui(21)},one,greenhouse,sensor`,
        `${eui(22)},n,nowhere,sensor`,
        `${eui(23)},m,${applicationID},twice`,
        `${eui(24)},k,,${other}`,
        `${eui(25)},k,,sensor`,
      ];
      assert.deepEqual(await problemsOf(`devEUI,name,application,deviceProfile\n${lines.join('\n')}\n`), [
        '2 name: Another device has this name already.',
        '3 application: The organization has no application of this name or ID.',
        '4 deviceProfile: Several of its kind have this name: give the ID of the device-profile.',
        '6 name: Row 5 has this name already.',
      ]);
    });

    it('report rows beyond the limit of the organization', async () => {
      const small = await createOrganization(app, { maxDeviceCount: 1 });
      const serviceProfileID = await createServiceProfile(app, { organizationID: small });
      await createApplication(app, { organizationID: small, serviceProfileID, name: 'greenhouse' });
      await createDeviceProfile(app, { organizationID: small, name: 'sensor' });
      const { id } = await app.call(fileImport.create, { organizationID: small, kind: 'DEVICES' });
      const found = await app.call(fileImport.upload, {
        id,
        name: 'a',
        file: base64(`devEUI\n${eui(31)}\n${eui(32)}\n`),
      });
      assert.deepEqual((await check(found)).check, { createCount: 1, updateCount: 0, skipCount: 0, problemCount: 1 });
    });

    it('refuse columns that cannot be used', async () => {
      const uploaded = await upload(`devEUI,name\n${eui(41)},a\n`);
      const use = (...fields: string[]) =>
        check(uploaded, { columns: fields.map((field) => ({ field, isReversed: false })) });
      assert.match((await refused(3, use('devEUI', 'devEUI'))).message, /Column 1 has the field devEUI already/);
      assert.match((await refused(3, use('', 'name'))).message, /No column is the Device EUI/);
      assert.match((await refused(3, use('devEUI', '__proto__'))).message, /There is no field __proto__/);
      assert.match((await refused(3, use('devEUI'))).message, /Must have 2 entries/);
      assert.match((await refused(3, check(uploaded, { constants: { nwkKey: key(1) } }))).message, /needs a column/);
    });

    it('refuse a file that is no table', async () => {
      assert.match((await refused(3, upload('\u0000\u0001'))).message, /neither CSV nor XLSX/);
    });

    it('belong to their uploader', async () => {
      const { id } = await upload(`devEUI\n${eui(51)}\n`);
      const { token } = await createUser(app, { isAdmin: true });
      await refused(5, app.call(fileImport.listRows, { id, limit: 10 }, token));
    });

    it('of gateways need the right to create gateways', async () => {
      const { token } = await createUser(app, { organizations: [{ organizationID, isDeviceAdmin: true }] });
      await refused(7, app.call(fileImport.create, { organizationID, kind: 'GATEWAYS' }, token));
      await app.call(fileImport.create, { organizationID, kind: 'DEVICES' }, token);
    });

    const outcomes = ({ state, total, done, refused: not, failed }: Job) => ({ state, total, done, not, failed });
    const countRows = async (importID: string) => {
      const rows = app.parts.database.query.selectFrom('file_import_row').where('import_id', '=', importID);
      return Number((await rows.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()).count);
    };

    it('create devices with keys, tags, variables and position, and forget the rows', async () => {
      const names = 'devEUI,appKey,tag.floor,var.token,latitude,longitude,isDisabled';
      const checked = await check(
        await upload(`${names}\n${eui(71)},${key(71)},2,=secret,52.1,5.2,yes\n${eui(72)},${key(72)},,,,,\n`),
        { namePattern: 'meter-{devEUI:-4}' },
      );
      assert.deepEqual(outcomes(await run(checked)), { state: 'DONE', total: 2, done: 2, not: 0, failed: 0 });
      const found = await app.call(device.get, { devEUI: eui(71) });
      assert.deepEqual(
        [
          found.device.name,
          found.device.tags,
          found.device.variables,
          found.device.isDisabled,
          found.location?.latitude,
        ],
        ['meter-0047', { floor: '2' }, { token: '=secret' }, true, 52.1],
      );
      const { deviceKeys } = await app.call(device.getKeys, { devEUI: eui(71) });
      assert.equal(deviceKeys.nwkKey, key(71));
      assert.equal(await countRows(checked.id), 0);
    });

    it('leave out rows with problems, which come back as a file', async () => {
      const checked = await check(await upload(`devEUI;name;note\n${eui(81)};a81;=1\n${eui(82)};b 82;x\n`));
      const ended = await run(checked);
      assert.deepEqual(outcomes(ended), { state: 'DONE', total: 1, done: 1, not: 0, failed: 0 });
      const problem = 'name: The name may only contain words, numbers and dashes.';
      assert.equal(
        await download('IMPORT_ROWS', { id: checked.id }),
        `devEUI,name,note,error\r\n${eui(82)},b 82,x,"${problem}"\r\n`,
      );
    });

    it('have an empty file of problems before a file was uploaded', async () => {
      const { id } = await app.call(fileImport.create, { organizationID, kind: 'DEVICES' });
      assert.equal(await download('IMPORT_ROWS', { id }), 'error\r\n');
    });

    it('refuse rows that became wrong after the check', async () => {
      const checked = await check(await upload(`devEUI,name\n${eui(91)},a91\n${eui(92)},a92\n`));
      await app.call(device.create, { device: { devEUI: eui(91), name: 'taken', applicationID, deviceProfileID } });
      assert.deepEqual(outcomes(await run(checked)), { state: 'DONE', total: 2, done: 1, not: 1, failed: 0 });
      const { result } = await app.call(fileImport.listRows, { id: checked.id, limit: 10 });
      assert.deepEqual(
        result.map(({ number, problems }) => [number, problems]),
        [[2, [{ field: '', text: 'This device exists already.' }]]],
      );
    });

    it('are decided with the rights of the moment in which a row runs', async () => {
      const user = await createUser(app, { organizations: [{ organizationID, isDeviceAdmin: true }] });
      const { id } = await app.call(fileImport.create, { organizationID, kind: 'DEVICES' }, user.token);
      await app.call(fileImport.upload, { id, name: 'a', file: base64(`devEUI\n${eui(95)}\n`) }, user.token);
      const columns = [{ field: 'devEUI', isReversed: false }];
      const constants = { application: 'greenhouse', deviceProfile: 'sensor' };
      await app.call(fileImport.update, { id, columns, constants }, user.token);
      await app.parts.jobs.running.stop();
      const { jobID } = await app.call(fileImport.start, { id }, user.token);
      await app.call(operations.organization.deleteUser, { organizationID, userID: user.id });
      app.parts.jobs.running.start();
      assert.deepEqual(outcomes(await jobEnd(jobID)), { state: 'DONE', total: 1, done: 0, not: 1, failed: 0 });
      await refused(5, app.call(device.get, { devEUI: eui(95) }));
    });

    it('update devices where wanted: an empty cell changes nothing', async () => {
      const of = { applicationID, deviceProfileID, tags: { a: '1' }, description: 'kept' };
      await app.call(device.create, { device: { devEUI: eui(101), name: 'n101', skipFCntCheck: true, ...of } });
      const file = `devEUI,name,description,tag.b,appKey\n${eui(101)},m101,,2,${key(101)}\n`;
      assert.equal((await runFile(file, { whenExists: 'UPDATE' })).done, 1);
      const { device: found } = await app.call(device.get, { devEUI: eui(101) });
      assert.deepEqual(
        [found.name, found.description, found.tags, found.skipFCntCheck],
        ['m101', 'kept', { a: '1', b: '2' }, true],
      );
      assert.equal((await app.call(device.getKeys, { devEUI: eui(101) })).deviceKeys.nwkKey, key(101));
    });

    it('replace the values of devices where wanted, so that an export and its import are one copy', async () => {
      const names = ['n106', 'n107'].map((name, at) => ({
        name,
        devEUI: eui(106 + at),
        applicationID,
        deviceProfileID,
      }));
      const [full, bare] = names as [(typeof names)[0], (typeof names)[0]];
      const rich = { description: 'd', tags: { a: '1', empty: '', quoted: "''" }, variables: { v: '', w: 'x' } };
      await app.call(device.create, { device: { ...full, ...rich } });
      await app.call(device.create, { device: { ...bare, description: '', tags: { b: '2' } } });
      const shown = async () => {
        const read = async ({ devEUI }: typeof full) => {
          const { device: found, location } = await app.call(device.get, { devEUI });
          return [found.description, found.tags, found.variables, location?.latitude];
        };
        return [await read(full), await read(bare)];
      };
      const before = await shown();
      const selection = { ids: [full.devEUI, bare.devEUI] };
      const file = await download('DEVICES', { organizationID, selection });
      const lines = await download('DEVICES', { organizationID, selection }, { format: 'NDJSON' });
      assert.match(lines, /"tag\.empty":""/);
      // Everything that the file has as empty, or otherwise.
      const other = `devEUI,description,tag.a,tag.b,tag.empty,tag.quoted,var.v,var.w,latitude,longitude\n${[full, bare]
        .map(({ devEUI }) => `${devEUI},other,9,9,9,9,9,9,1,2\n`)
        .join('')}`;
      assert.equal((await runFile(other, { whenExists: 'UPDATE' })).done, 2);
      assert.equal((await runFile(file, { whenExists: 'UPDATE' })).done, 2);
      const [, [description, tags]] = (await shown()) as [unknown[], unknown[]];
      assert.deepEqual([description, tags], ['other', { a: '9', b: '2', empty: '9', quoted: '9' }]);
      const replaced = await runFile(file, { whenExists: 'REPLACE', constants: {} });
      assert.deepEqual(outcomes(replaced), { state: 'DONE', total: 2, done: 2, not: 0, failed: 0 });
      assert.deepEqual(await shown(), before);
    });

    it('are undone, except devices that were changed since', async () => {
      const { id } = await runFile(`devEUI,name\n${eui(111)},a111\n${eui(112)},a112\n`);
      const { device: kept } = await app.call(device.get, { devEUI: eui(112) });
      await app.call(device.update, { device: { ...kept, description: 'changed' } });
      const { job: undoing } = await app.call(job.undo, { id });
      assert.deepEqual(outcomes(await jobEnd(undoing.id)), { state: 'DONE', total: 2, done: 1, not: 1, failed: 0 });
      await refused(5, app.call(device.get, { devEUI: eui(111) }));
      await app.call(device.get, { devEUI: eui(112) });
    });

    it('are removed after a day with their rows, and the oldest of five for a new one', async () => {
      const { token } = await createUser(app, { organizations: [{ organizationID, isDeviceAdmin: true }] });
      const create = async () => (await app.call(fileImport.create, { organizationID, kind: 'DEVICES' }, token)).id;
      const ids: string[] = [];
      for (let made = 0; made < 6; made += 1) ids.push(await create());
      await refused(5, app.call(fileImport.get, { id: ids[0]! }));
      const id = ids[1]!;
      await app.call(fileImport.upload, { id, name: 'a', file: base64(`devEUI\n${eui(131)}\n`) }, token);
      await removeExpired(app.parts.database, new Date(Date.now() + 23 * 3_600_000));
      assert.equal(await countRows(id), 1);
      await removeExpired(app.parts.database, new Date(Date.now() + 25 * 3_600_000));
      await refused(7, app.call(fileImport.get, { id }, token));
      assert.equal(await countRows(id), 0);
    });

    it('create and update gateways', async () => {
      const lines = [`${eui(121)},west,1.5,2.5,x`, `${eui(122)},,,,`];
      const uploaded = await upload(`Gateway ID,Name,Latitude,Longitude,tag.site\n${lines.join('\n')}\n`, 'GATEWAYS');
      assert.equal((await run(await check(uploaded, { constants: {} }))).done, 2);
      const { gateway: found } = await app.call(operations.gateway.get, { id: eui(121) });
      assert.deepEqual(
        [found.name, found.location?.longitude, found.tags, found.networkServerID],
        ['west', 2.5, { site: 'x' }, networkServerID],
      );
      const again = await upload(`id,description,altitude\n${eui(121)},hill,7\n`, 'GATEWAYS');
      const job2 = await run(await check(again, { constants: {}, whenExists: 'UPDATE' }));
      assert.equal(job2.done, 1);
      const { gateway: changed } = await app.call(operations.gateway.get, { id: eui(121) });
      assert.deepEqual([changed.description, changed.location?.altitude, changed.name], ['hill', 7, 'west']);
      const file = await download('GATEWAYS', { organizationID });
      assert.match(file, /^id,name,description,networkServer,gatewayProfile,serviceProfile,discoveryEnabled,latitude/);
      assert.match(file, new RegExp(`${eui(121)},west,hill,[^,]+,,,false,1.5,2.5,7,x`));
    });

    async function download(
      kind: 'DEVICES' | 'GATEWAYS' | 'IMPORT_ROWS',
      request: object,
      { token = app.adminToken, format = 'CSV' }: { token?: string; format?: 'CSV' | 'NDJSON' } = {},
    ) {
      const asked = { kind, format, requestJSON: JSON.stringify(request) };
      const { url } = await app.call(operations.download.create, asked, token);
      return (await app.fetch(url)).text();
    }

    it('read exported devices, which continue on an empty server without a join', async () => {
      const around = await createSurroundings(app);
      const details = {
        name: 'sensor-1',
        tags: { site: 'north' },
        variables: { key: '=value' },
        description: 'in, bed',
      };
      const { devEUI, start } = await createActivatedDevice(app, around, { ...details, skipFCntCheck: false });
      const simulated = start();
      const gatewayID = await createGateway(app, around.organizationID);
      {
        await using radio = await simulateGateway(app, gatewayID);
        await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
        radio.receiveFrame(simulated.uplink({ fPort: 1 }));
        await events.next();
        // It counts a downlink counter before the session is exported.
        await radio.nextDownlink();
      }
      const asked = { organizationID: around.organizationID, withKeys: true, withSessions: true };
      const file = await download('DEVICES', asked);

      await using other = await startTestApp(database);
      const there = await createSurroundings(other);
      const { id } = await other.call(fileImport.create, { organizationID: there.organizationID, kind: 'DEVICES' });
      const { columns } = await other.call(fileImport.upload, { id, name: 'x', file: base64(file) });
      // The records there have other names.
      const planned = columns.map(({ name, field }) => ({
        field: ['application', 'deviceProfile'].includes(name) ? '' : field,
        isReversed: false,
      }));
      const constants = { application: there.applicationID, deviceProfile: there.deviceProfileID };
      const checked = await other.call(fileImport.update, { id, columns: planned, constants });
      assert.equal((await run(checked, other)).done, 1);
      const whole = async (at: TestApp) => {
        const { device: found, location } = await at.call(device.get, { devEUI });
        const { deviceKeys } = await at.call(device.getKeys, { devEUI });
        const { deviceActivation } = await at.call(device.getActivation, { devEUI });
        return { ...found, applicationID: '', deviceProfileID: '', location, deviceKeys, deviceActivation };
      };
      assert.deepEqual(await whole(other), await whole(app));
      await using radio = await simulateGateway(other, await createGateway(other, there.organizationID));
      await using events = await watch(other.url, `/api/devices/${devEUI}/events`, other.adminToken);
      radio.receiveFrame(simulated.uplink({ fPort: 1 }));
      assert.equal((JSON.parse((await events.next()).result!.payloadJSON) as { fCnt: number }).fCnt, 1);
    });

    it('let exported devices join another server, which refuses the DevNonces of before', async () => {
      const around = await createSurroundings(app);
      const devEUI = await createDevice(app, around);
      const join = async (at: TestApp, owner: string, devNonce: number) => {
        await using radio = await simulateGateway(at, await createGateway(at, owner));
        // Its next request has the following one.
        const simulated = simulateDevice(devEUI, '1.0.3', nwkKey, devNonce - 1);
        radio.receiveFrame(simulated.joinRequest());
        return simulated.receive((await radio.nextDownlink(8000)).phyPayload).kind;
      };
      assert.equal(await join(app, around.organizationID, 7), 'joined');
      const { query } = app.parts.database;
      await query.updateTable('device_keys').set({ join_nonce: 5_000_041 }).where('dev_eui', '=', devEUI).execute();
      const file = await download('DEVICES', { organizationID: around.organizationID, withKeys: true });
      assert.match(file, /,5000041,70b3d57ed0000001 7\r\n/);

      await using other = await startTestApp(database);
      const there = await createSurroundings(other);
      const { id } = await other.call(fileImport.create, { organizationID: there.organizationID, kind: 'DEVICES' });
      const { columns } = await other.call(fileImport.upload, { id, name: 'x', file: base64(file) });
      const planned = columns.map(({ name, field }) => ({
        field: ['application', 'deviceProfile'].includes(name) ? '' : field,
        isReversed: false,
      }));
      const constants = { application: there.applicationID, deviceProfile: there.deviceProfileID };
      const checked = await other.call(fileImport.update, { id, columns: planned, constants });
      assert.equal((await run(checked, other)).done, 1);
      {
        await using radio = await simulateGateway(other, await createGateway(other, there.organizationID));
        await using events = await watch(other.url, `/api/devices/${devEUI}/events`, other.adminToken);
        radio.receiveFrame(simulateDevice(devEUI, '1.0.3', nwkKey, 6).joinRequest());
        assert.match((await events.next()).result!.payloadJSON, /validate dev-nonce error/);
      }
      assert.equal(await join(other, there.organizationID, 8), 'joined');
      const keys = other.parts.database.query.selectFrom('device_keys').select('join_nonce');
      // The refused request has used one, too.
      assert.equal((await keys.where('dev_eui', '=', devEUI).executeTakeFirstOrThrow()).join_nonce, 5_000_043);
    });

    it('report nonces that are none, and never count a JoinNonce back', async () => {
      const names = 'devEUI,appKey,joinNonce,devNonces';
      const eui64 = '70b3d57ed0000001';
      const wrong = [',x', ',1 2', `,${eui64} 70000`, '16777216,', '-1,'].map(
        (cells, at) => `${eui(160 + at)},,${cells}`,
      );
      assert.deepEqual(
        (await problemsOf(`${names}\n${wrong.join('\n')}\n`)).map((one) => one.replace(/: .*/, '')),
        ['2 devNonces', '3 devNonces', '4 devNonces', '5 joinNonce', '6 joinNonce'],
      );
      const used = async () => loadUsedNonces(app.parts.database, eui(170));
      const file = (joinNonce: number, nonces: string) => `${names}\n${eui(170)},${key(1)},${joinNonce},${nonces}\n`;
      assert.equal((await runFile(file(5_000_009, `${eui64} 3 ${eui(1)} 4 5`))).done, 1);
      assert.equal((await runFile(file(5_000_008, `${eui64} 3 6`), { whenExists: 'UPDATE' })).done, 1);
      assert.deepEqual(await used(), {
        joinNonce: 5_000_009,
        devNonces: [
          { joinEUI: eui64, devNonce: 3 },
          { joinEUI: eui(1), devNonce: 4 },
          { joinEUI: eui(1), devNonce: 5 },
          { joinEUI: eui64, devNonce: 6 },
        ],
      });
    });

    it('exports keys and sessions to device admins only, and what a filter finds', async () => {
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      await refused(7, download('DEVICES', { organizationID, withKeys: true }, { token }));
      await refused(7, download('DEVICES', { organizationID, withSessions: true }, { token }));
      const found = { devEUI: eui(141), name: 'found', applicationID, deviceProfileID };
      await app.call(device.create, { device: { ...found, tags: { site: 'south' } } });
      const selection = { search: 'foun', filter: ['tag.site:is:south'] };
      const file = await download('DEVICES', { organizationID, selection }, { token });
      assert.deepEqual(
        file.split('\r\n').map((line) => line.split(',')[0]),
        ['devEUI', eui(141), ''],
      );
      assert.doesNotMatch(file, /nwkKey|appSKey/);
      const foreign = await createOrganization(app);
      await refused(7, download('DEVICES', { organizationID: foreign }, { token }));
    });

    it('are removed by their uploader', async () => {
      const { id } = await upload(`devEUI\n${eui(61)}\n`);
      await app.call(fileImport.delete, { id });
      await refused(5, app.call(fileImport.get, { id }));
      const rows = await app.parts.database.query
        .selectFrom('file_import_row')
        .select('number')
        .where('import_id', '=', id)
        .execute();
      assert.deepEqual(rows, []);
    });
  });

  const allowed = ['deviceAdmin', 'organizationAdmin', ...admins, 'organizationKey'] as const;
  describeAccess(database, 'fileImport', [
    row(fileImport.create, ({ organizationID }) => ({ organizationID, kind: 'DEVICES' as const }), allowed),
    row(fileImport.create, ({ organizationID }) => ({ organizationID, kind: 'GATEWAYS' as const }), [
      'gatewayAdmin',
      'organizationAdmin',
      ...admins,
      'organizationKey',
    ]),
  ]);
}
