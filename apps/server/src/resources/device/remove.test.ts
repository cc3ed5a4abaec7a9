import assert from 'node:assert/strict';
import { it } from 'node:test';
import { databases } from '../../testing/databases.ts';
import { createDevice, createSurroundings } from '../../testing/field.ts';
import { startTestApp } from '../../testing/test-app.ts';
import type { Deletion, Trash } from '../trash/trash.ts';
import { removeDevicesOfApplication } from './remove.ts';

for (const kind of databases) {
  it(`a device that moves to another application before its removal stays, with its statistics, on ${kind}`, async () => {
    await using app = await startTestApp(kind);
    const { database, statistics, trash, networks, clock } = app.parts;
    const surroundings = await createSurroundings(app);
    const organizationID = Number(surroundings.organizationID);
    const other = await createSurroundings(app);
    const [moving, staying] = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
    const now = Date.now();
    for (const devEUI of [moving, staying]) await statistics.record(`device:${devEUI}`, now, { rx_count: 1 });
    const { query } = database;
    const readRemote: Trash['readRemote'] = async () => {
      const device = query.updateTable('device').where('dev_eui', '=', moving);
      await device.set({ application_id: Number(other.applicationID) }).execute();
      return new Map();
    };
    const observed = { readRemote, add: (...given: Parameters<Trash['add']>) => trash.add(...given) } as Trash;
    const { applicationID } = surroundings;
    const deletion: Deletion = {
      ...{ kind: 'APPLICATION', recordID: applicationID, name: 'a', organizationID },
      by: {
        kind: 'user',
        id: '1',
        email: 'a@example.org',
        isAdmin: true,
        isActive: true,
        sessionID: '',
        memberships: [],
      },
    };
    await removeDevicesOfApplication(
      { database, networks, statistics, clock, trash: observed },
      Number(applicationID),
      deletion,
    );
    const left = await query.selectFrom('device').select('dev_eui').where('dev_eui', 'in', [moving, staying]).execute();
    assert.deepEqual(left, [{ dev_eui: moving }]);
    const counted = async (devEUI: string) =>
      (await statistics.read(`device:${devEUI}`, 'DAY', now, now))[0]?.counters['rx_count'] ?? 0;
    assert.deepEqual([await counted(moving), await counted(staying)], [1, 0]);
  });

  it(`a removal that ends early leaves no statistics of removed devices but those of the last minute, on ${kind}`, async () => {
    await using app = await startTestApp(kind);
    const { database, statistics, trash, networks, clock } = app.parts;
    const surroundings = await createSurroundings(app);
    const devEUI = await createDevice(app, surroundings);
    const subject = `device:${devEUI}`;
    const now = Date.now();
    await statistics.record(subject, now, { rx_count: 1 });
    await statistics.fold();
    const interrupted = { ...statistics, remove: () => Promise.reject(new Error('the process ends')) };
    const { applicationID } = surroundings;
    const deletion: Deletion = {
      ...{
        kind: 'APPLICATION',
        recordID: applicationID,
        name: 'a',
        organizationID: Number(surroundings.organizationID),
      },
      by: { kind: 'user', id: 1, email: 'somebody@example.org' } as unknown as Deletion['by'],
    };
    const removal = removeDevicesOfApplication(
      { database, networks, trash, clock, statistics: interrupted },
      Number(applicationID),
      deletion,
    );
    await assert.rejects(removal, /the process ends/);
    assert.equal((await statistics.readMany([subject], 'DAY', now)).size, 0);
  });
}
