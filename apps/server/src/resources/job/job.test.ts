import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { type InputOf, type Job, operations } from '@hilltop/contract';
import pino from 'pino';
import { admins, describeAccess, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createAPIKey,
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
  createMulticastGroup,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { job, device, gateway } = operations;
type NewJob = InputOf<typeof job.create>;

const counts = ({ total, done, refused: not, failed }: Job) => ({ total, done, refused: not, failed });

for (const database of databases)
  describe(`jobs on ${database}`, () => {
    let app: TestApp;
    let around: FieldContext;
    const lines: { audit?: true; jobID?: string; subject: { kind: string }; records?: number }[] = [];
    before(async () => {
      const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
      app = await startTestApp(database, {}, { log });
      around = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const several = (number: number, prefix: string, context = around) =>
      Promise.all(Array.from({ length: number }, (_, n) => createDevice(app, context, { name: `${prefix}-${n}` })));
    const read = async (devEUI: string) => (await app.call(device.get, { devEUI })).device;

    async function ended(id: string): Promise<Job> {
      for (;;) {
        const { job: found } = await app.call(job.get, { id });
        if (found.endedAt || found.state === 'PAUSED') return found;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    async function run(request: NewJob, token = app.adminToken): Promise<Job> {
      const { job: created } = await app.call(job.create, { organizationID: around.organizationID, ...request }, token);
      return ended(created!.id);
    }
    const rehearse = (request: NewJob) =>
      app.call(job.create, { organizationID: around.organizationID, ...request, validateOnly: true });
    const rowsOf = async (id: string, outcome: string) =>
      (await app.call(job.listRows, { id, outcome, limit: 100 })).result;

    it('change the tags of what a search matches, except what was deselected', async () => {
      const [first, ...others] = await several(4, 'tagged');
      await several(1, 'untagged');
      const selection = { search: 'tagged-', filter: [], except: [first!] };
      await run({ kind: 'CHANGE_DEVICE_TAGS', action: { set: { old: 'a', gone: 'b' } }, selection: { ids: others } });
      const found = await run({
        kind: 'CHANGE_DEVICE_TAGS',
        action: { set: { site: 'north' }, remove: ['gone'], rename: { old: 'new' } },
        selection: { ...selection, filter: ['tag.old:is:a'] },
      });
      assert.deepEqual([found.state, counts(found)], ['DONE', { total: 3, done: 3, refused: 0, failed: 0 }]);
      assert.deepEqual([found.target, found.createdBy], ['site, gone, old', 'admin@hilltop.local']);
      for (const devEUI of others) assert.deepEqual((await read(devEUI)).tags, { site: 'north', new: 'a' });
      assert.deepEqual((await read(first!)).tags, {});
      const rows = await rowsOf(found.id, 'DONE');
      assert.deepEqual(rows.map(({ name }) => name).sort(), ['tagged-1', 'tagged-2', 'tagged-3']);
      // They lead to the devices that exist.
      const { organizationID, applicationID } = around;
      const [deleted] = rows;
      await app.call(device.delete, { devEUI: deleted!.subject });
      const owners = new Map((await rowsOf(found.id, 'DONE')).map((row) => [row.subject, row]));
      for (const devEUI of others)
        assert.deepEqual(
          [owners.get(devEUI)!.organizationID, owners.get(devEUI)!.applicationID],
          devEUI === deleted!.subject ? ['0', '0'] : [organizationID, applicationID],
        );
    });

    it('call the network-server only for what it stores', async () => {
      const ids = await several(3, 'stored');
      const applicationID = await createApplication(app, around);
      const network = await app.parts.networks.of(Number(networkServerID));
      const calls = mock.method(network, 'updateDevice');
      try {
        const of = { selection: { ids } };
        await run({ kind: 'CHANGE_DEVICE_TAGS', action: { set: { site: 'north' } }, ...of });
        await run({ kind: 'CHANGE_DEVICE_VARIABLES', action: { set: { site: 'north' } }, ...of });
        await run({ kind: 'MOVE_DEVICES', action: { applicationID }, ...of });
        for (const devEUI of ids) {
          const { applicationID: at, tags, variables } = await read(devEUI);
          assert.deepEqual([at, tags, variables], [applicationID, { site: 'north' }, { site: 'north' }]);
        }
        assert.equal(calls.mock.callCount(), 0);
        await run({ kind: 'DISABLE_DEVICES', ...of });
        assert.equal(calls.mock.callCount(), 3);
      } finally {
        calls.mock.restore();
      }
    });

    it('change variables, the profile and the state of devices, and put profile and state back', async () => {
      const devices = await several(3, 'several');
      const selection = { ids: devices };
      await run({ kind: 'CHANGE_DEVICE_VARIABLES', action: { set: { token: 'secret' } }, selection });
      const deviceProfileID = await createDeviceProfile(app, { organizationID: around.organizationID, name: 'other' });
      const profiled = await run({ kind: 'SET_DEVICE_PROFILE', action: { deviceProfileID }, selection });
      const disabled = await run({ kind: 'DISABLE_DEVICES', selection });
      const changed = await read(devices[0]!);
      assert.deepEqual(
        [changed.variables, changed.deviceProfileID, changed.isDisabled, profiled.target],
        [{ token: 'secret' }, deviceProfileID, true, 'other'],
      );
      for (const one of [profiled, disabled]) {
        const undos = await Promise.allSettled(Array.from({ length: 3 }, () => app.call(job.undo, { id: one.id })));
        const [first, ...others] = undos.flatMap((undo) => (undo.status === 'fulfilled' ? [undo.value.job] : []));
        assert.equal(others.length, 0);
        const undoing = first!;
        assert.equal(undoing.undoOf, one.id);
        assert.equal((await ended(undoing.id)).done, 3);
        await refused(9, app.call(job.undo, { id: one.id }));
      }
      const restored = await read(devices[0]!);
      assert.deepEqual([restored.deviceProfileID, restored.isDisabled], [around.deviceProfileID, false]);
    });

    it('move devices to another application, and back except those that others changed since', async () => {
      const { organizationID, serviceProfileID } = around;
      const target = await createApplication(app, { organizationID, serviceProfileID, name: 'greenhouse' });
      const third = await createApplication(app, { organizationID, serviceProfileID });
      const devices = await several(6, 'moving');
      const multicastGroupID = await createMulticastGroup(app, { applicationID: around.applicationID });
      await app.call(operations.multicastGroup.addDevice, { multicastGroupID, devEUI: devices[0]! });
      const found = await run({ kind: 'MOVE_DEVICES', action: { applicationID: target }, selection: { ids: devices } });
      assert.deepEqual([counts(found).done, found.target], [6, 'greenhouse']);
      for (const devEUI of devices) assert.equal((await read(devEUI)).applicationID, target);
      for (const devEUI of devices.slice(0, 2))
        await app.call(device.update, { device: { ...(await read(devEUI)), applicationID: third } });
      const { job: undoing } = await app.call(job.undo, { id: found.id });
      const undone = await ended(undoing.id);
      assert.deepEqual(counts(undone), { total: 6, done: 4, refused: 2, failed: 0 });
      assert.deepEqual(
        new Map((await rowsOf(undone.id, 'REFUSED')).map(({ subject, reason }) => [subject, reason])),
        new Map(devices.slice(0, 2).map((devEUI) => [devEUI, 'CHANGED_SINCE'])),
      );
      for (const devEUI of devices.slice(2)) assert.equal((await read(devEUI)).applicationID, around.applicationID);
    });

    it('have an entry of the audit log for each record that they changed, with the job', async () => {
      const [first, second] = await several(2, 'audited');
      const already = await read(second!);
      await app.call(device.update, { device: { ...already, isDisabled: true } });
      const selection = { ids: [first!, second!] };
      const disabled = await run({ kind: 'DISABLE_DEVICES', selection });
      const tagged = await run({ kind: 'CHANGE_DEVICE_TAGS', action: { set: { site: 'south' } }, selection });
      const { job: undoing } = await app.call(job.undo, { id: disabled.id });
      await ended(undoing.id);
      const entriesOf = async (devEUI: string) =>
        (await app.call(operations.audit.list, { subject: `device/${devEUI}`, limit: 10 })).result
          .filter(({ jobID }) => jobID !== '')
          .map(({ operation, jobID, subjectName, actorName, changes }) => {
            const change = changes.map(({ field, before, after }) => `${field} ${before} ${after}`).join();
            return [operation, jobID, subjectName, actorName, change];
          });
      const by = (name: string) => [name, 'admin@hilltop.local'];
      assert.deepEqual(await entriesOf(first!), [
        ['job.undo', undoing.id, ...by('audited-0'), 'isDisabled true false'],
        ['device.update', tagged.id, ...by('audited-0'), ''],
        ['device.update', disabled.id, ...by('audited-0'), 'isDisabled false true'],
      ]);
      // It was disabled before.
      assert.deepEqual(await entriesOf(second!), [['device.update', tagged.id, ...by('audited-1'), '']]);
      // Beside the line of the call that started it.
      const linesOf = (id: string) => lines.filter(({ audit, jobID }) => audit && jobID === id);
      while (linesOf(tagged.id).length < 2) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        linesOf(tagged.id).map(({ subject, records }) => [subject.kind, records]),
        [
          ['job', undefined],
          ['job', 2],
        ],
      );
    });

    it('need a selection: an empty filter is none', async () => {
      for (const selection of [{}, { search: '' }, { filter: [''] }])
        await refused(3, rehearse({ kind: 'DELETE_DEVICES', selection }));
    });

    it('rehearse a move without moving anything, and then refuse the same devices', async () => {
      const { organizationID } = around;
      const other = await createApplication(app, { organizationID });
      const movable = await several(2, 'rehearsed', { ...around, applicationID: other });
      const fixed = await several(1, 'rehearsed');
      const ids = [...movable, ...fixed, 'ffffffffffffff01'];
      const { serviceProfileID } = (await app.call(operations.application.get, { id: other })).application;
      const applicationID = await createApplication(app, { organizationID, serviceProfileID });
      const request = { kind: 'MOVE_DEVICES', action: { applicationID }, selection: { ids } } as const;
      const rehearsal = await rehearse(request);
      assert.deepEqual([rehearsal.job, rehearsal.count, rehearsal.acceptedCount], [null, 4, 2]);
      assert.deepEqual(
        new Map(rehearsal.refused.map(({ reason, count, sample }) => [reason, [count, sample[0]!.subject]])),
        new Map([
          ['NOT_FOUND', [1, 'ffffffffffffff01']],
          ['OTHER_SERVICE_PROFILE', [1, fixed[0]]],
        ]),
      );
      assert.equal((await read(movable[0]!)).applicationID, other);
      const found = await run(request);
      assert.deepEqual(counts(found), { total: 4, done: 2, refused: 2, failed: 0 });
      assert.deepEqual((await rowsOf(found.id, 'REFUSED')).map(({ reason }) => reason).sort(), [
        'NOT_FOUND',
        'OTHER_SERVICE_PROFILE',
      ]);
    });

    it('move devices to another organization with the profile of the same name, and leave their events behind', async () => {
      const named = { name: 'shared-profile' };
      const from = await createSurroundings(app, named);
      const to = await createSurroundings(app, named);
      await using field = await simulateGateway(app, await createGateway(app, from.organizationID));
      const { devEUI, start } = await createActivatedDevice(app, from);
      const simulated = start();
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      field.receiveFrame(simulated.uplink({ fPort: 1 }));
      await events.next();
      const history = async () => (await app.call(operations.history.list, { devEUI, kinds: ['up'] })).result.length;
      assert.notEqual(await history(), 0);

      const both = [from, to].map(({ organizationID }) => ({ organizationID, isAdmin: true }));
      const admin = await createUser(app, { organizations: both });
      const half = [both[0]!, { organizationID: to.organizationID, isDeviceAdmin: true }];
      const deviceAdmin = await createUser(app, { organizations: half });
      const { organizationID } = from;
      const { applicationID } = to;
      const request = {
        kind: 'MOVE_DEVICES',
        action: { applicationID },
        organizationID,
        selection: { ids: [devEUI] },
      } as const;
      await refused(7, run(request, deviceAdmin.token));
      assert.equal((await run(request, admin.token)).done, 1);
      const moved = await read(devEUI);
      assert.deepEqual([moved.applicationID, moved.deviceProfileID], [applicationID, to.deviceProfileID]);
      assert.equal(await history(), 0);
      field.receiveFrame(simulated.uplink({ fPort: 1 }));
      await events.next();
      assert.equal(await history(), 1);
    });

    it('move devices with an entry in the audit log of both organizations, also when it is undone', async () => {
      const named = { name: 'audited-profile' };
      const [from, to] = [await createSurroundings(app, named), await createSurroundings(app, named)];
      const administrators = await Promise.all(
        [from, to].map(({ organizationID }) => createUser(app, { organizations: [{ organizationID, isAdmin: true }] })),
      );
      const ids = [await createDevice(app, from)];
      const { organizationID } = from;
      const action = { applicationID: to.applicationID };
      const moved = await run({ kind: 'MOVE_DEVICES', organizationID, action, selection: { ids } });
      const { job: undoing } = await app.call(job.undo, { id: moved.id });
      assert.equal((await ended(undoing.id)).done, 1);
      for (const [at, owner] of [from, to].entries()) {
        const own = { organizationID: owner.organizationID, subject: `device/${ids[0]}` };
        const { result } = await app.call(operations.audit.list, own, administrators[at]!.token);
        assert.deepEqual(
          result.filter(({ jobID }) => jobID !== '').map(({ operation, jobID }) => [operation, jobID]),
          [
            ['job.undo', undoing.id],
            ['device.update', moved.id],
          ],
        );
      }
    });

    it('are created once for a requestID, with one entry of the audit log', async () => {
      const ids = await several(1, 'once');
      const request = { kind: 'DISABLE_DEVICES', selection: { ids }, requestID: crypto.randomUUID() } as const;
      const first = await run(request);
      assert.equal((await run(request)).id, first.id);
      const { result } = await app.call(operations.audit.list, { subject: `job/${first.id}` });
      assert.deepEqual(
        result.map(({ operation }) => operation),
        ['job.create'],
      );
    });

    it('refuse a device whose profile the other organization does not have, unless one is chosen', async () => {
      const from = await createSurroundings(app);
      const to = await createSurroundings(app);
      const devEUI = await createDevice(app, from);
      const { organizationID } = from;
      const request = { kind: 'MOVE_DEVICES', organizationID, selection: { ids: [devEUI] } } as const;
      const { applicationID } = to;
      const rehearsal = await rehearse({ ...request, action: { applicationID } });
      assert.equal(rehearsal.refused[0]!.reason, 'NO_SAME_PROFILE');
      const deviceProfileIDs = { [from.deviceProfileID]: to.deviceProfileID };
      assert.equal((await run({ ...request, action: { applicationID, deviceProfileIDs } })).done, 1);
    });

    it('add devices to a group and remove them, clear DevNonces, flush queues, delete devices', async () => {
      const devices = await several(2, 'grouped');
      const selection = { ids: devices };
      const multicastGroupID = await createMulticastGroup(app, { applicationID: around.applicationID });
      const action = { multicastGroupID };
      assert.equal((await run({ kind: 'ADD_TO_MULTICAST_GROUP', action, selection })).done, 2);
      assert.equal((await rehearse({ kind: 'ADD_TO_MULTICAST_GROUP', action, selection })).refused[0]!.count, 2);
      assert.equal((await run({ kind: 'REMOVE_FROM_MULTICAST_GROUP', action, selection })).done, 2);
      assert.equal((await run({ kind: 'CLEAR_DEVICE_NONCES', selection })).done, 2);
      assert.equal((await run({ kind: 'FLUSH_DEVICE_QUEUES', selection })).done, 2);
      assert.equal((await run({ kind: 'DELETE_DEVICES', selection })).done, 2);
      await refused(5, app.call(device.get, { devEUI: devices[0]! }));
    });

    it('change gateways: tags, service-profile, deletion', async () => {
      const { organizationID, serviceProfileID } = around;
      const ids = [await createGateway(app, organizationID), await createGateway(app, organizationID)];
      const selection = { ids };
      await run({ kind: 'CHANGE_GATEWAY_TAGS', action: { set: { roof: 'flat' } }, selection });
      await run({ kind: 'SET_GATEWAY_SERVICE_PROFILE', action: { serviceProfileID }, selection });
      const { gateway: changed } = await app.call(gateway.get, { id: ids[0]! });
      assert.deepEqual([changed.tags, changed.serviceProfileID], [{ roof: 'flat' }, serviceProfileID]);
      assert.equal((await run({ kind: 'DELETE_GATEWAYS', selection: { search: ids[0]! } })).done, 1);
      await refused(5, app.call(gateway.get, { id: ids[0]! }));
      const foreign = await createGateway(app, await createOrganization(app));
      assert.equal((await run({ kind: 'DELETE_GATEWAYS', selection: { ids: [foreign] } })).refused, 1);
    });

    it('do with each record what the starter may do with it', async () => {
      const { organizationID } = around;
      const devices = await several(2, 'readonly');
      const member = await createUser(app, { organizations: [{ organizationID }] });
      const found = await run({ kind: 'DISABLE_DEVICES', selection: { ids: devices } }, member.token);
      assert.deepEqual(counts(found), { total: 2, done: 0, refused: 2, failed: 0 });
      const [first] = await rowsOf(found.id, 'REFUSED');
      assert.equal(first!.reason, 'PERMISSION_DENIED');
      const foreign = await createDevice(app, await createSurroundings(app));
      assert.equal((await run({ kind: 'DISABLE_DEVICES', selection: { ids: [foreign] } })).refused, 1);
      const stranger = await createServiceProfile(app);
      const action = { serviceProfileID: stranger };
      const wrong = { kind: 'SET_GATEWAY_SERVICE_PROFILE', action, selection: { all: true } } as const;
      await refused(3, rehearse(wrong));
    });

    it('end with their organization', async () => {
      const context = await createSurroundings(app);
      const ids = await several(2, 'leaving', context);
      const { organizationID } = context;
      const { id } = await run({ kind: 'DISABLE_DEVICES', organizationID, selection: { ids } });
      await app.call(operations.organization.delete, { id: organizationID });
      await refused(5, app.call(job.get, { id }));
    });

    it('are refused when they say too little, too much or something unknown', async () => {
      const all = { all: true };
      await refused(3, run({ selection: all }));
      await refused(3, run({ kind: 'DISABLE_DEVICES', selection: {} }));
      await refused(3, run({ kind: 'DISABLE_DEVICES', action: { set: { a: 'b' } }, selection: all }));
      await refused(3, run({ kind: 'CHANGE_DEVICE_TAGS', selection: all }));
      await refused(3, run({ kind: 'CHANGE_DEVICE_TAGS', action: { set: { a: 'b'.repeat(1025) } }, selection: all }));
      await refused(3, run({ kind: 'CHANGE_DEVICE_TAGS', action: { set: { '': 'a' } }, selection: all }));
      await refused(3, run({ kind: 'DISABLE_DEVICES', selection: { filter: ['color:is:red'] } }));
      await refused(5, run({ kind: 'MOVE_DEVICES', action: { applicationID: '999999' }, selection: all }));
      await refused(
        3,
        run({
          kind: 'SET_DEVICE_PROFILE',
          action: { deviceProfileID: await createDeviceProfile(app) },
          selection: all,
        }),
      );
    });
  });

for (const database of databases) {
  const create = ({ organizationID }: Side) => ({
    organizationID,
    kind: 'DISABLE_DEVICES' as const,
    selection: { ids: ['ffffffffffffff02'] },
  });
  /** A job of an administrator that is done. */
  const done = async ({ app, organizationID }: Side) => {
    const { token } = await createAPIKey(app, { organizationID });
    const { job: created } = await app.call(job.create, create({ organizationID } as Side), token);
    return { id: created!.id };
  };
  const changers = [...admins, 'organizationAdmin', 'organizationKey'] as const;
  describeAccess(database, 'jobs', [
    row(job.list, ({ organizationID }) => ({ organizationID }), readers),
    row(job.list, () => ({}), admins, admins),
    row(job.create, create, readers),
    row(job.get, done, readers),
    row(job.listRows, done, readers),
    row(job.stop, done, changers),
    row(job.resume, done, changers),
    row(job.undo, done, changers),
  ]);
}
