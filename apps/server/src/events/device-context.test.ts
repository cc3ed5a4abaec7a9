import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { appSKeyPurpose, deviceContexts } from './device-context.ts';

for (const kind of databases)
  it(`an event contains the stored data of its device on ${kind}`, async () => {
    await using app = await startTestApp(kind);
    const { database, secrets } = app.parts;
    const surroundings = await createSurroundings(app);
    const others = await createSurroundings(app);
    const devEUI = await createDevice(app, surroundings, {});
    const contexts = deviceContexts(app.parts);
    const { query } = database;
    const first = (await contexts.of(devEUI))!;
    const other = (await contexts.of(await createDevice(app, others, {})))!;
    const device = (change: object) => query.updateTable('device').set(change).where('dev_eui', '=', devEUI).execute();
    const application = (change: object) =>
      query.updateTable('application').set(change).where('id', '=', other.applicationID).execute();
    const profile = (change: object) =>
      query.updateTable('device_profile').set(change).where('id', '=', other.deviceProfileID).execute();
    const updatedAt = new Date();
    const changes = [
      () => device({ name: 'another' }),
      () => device({ tags: '{"a":"b"}' }),
      () => device({ variables: '{"c":"d"}' }),
      () => device({ dev_addr: '01020304' }),
      () => device({ app_s_key: secrets.seal(new Uint8Array(16), appSKeyPurpose(devEUI)) }),
      () => device({ application_id: other.applicationID }),
      () => device({ device_profile_id: other.deviceProfileID }),
      () => application({ name: 'another' }),
      () => application({ payload_codec: 'CUSTOM_JS', payload_decoder_script: 'x', updated_at: updatedAt }),
      () => profile({ name: 'another' }),
      () => profile({ tags: '{"e":"f"}' }),
      () => profile({ payload_codec: 'CAYENNE_LPP', updated_at: updatedAt }),
      () => query.deleteFrom('device').where('dev_eui', '=', devEUI).execute(),
    ];
    let before: unknown = first;
    for (const change of changes) {
      await change();
      const stored = await deviceContexts(app.parts).of(devEUI);
      assert.notDeepEqual(stored, before, String(change));
      assert.deepEqual(await contexts.of(devEUI), stored, String(change));
      before = stored;
    }
    assert.equal(before, undefined);
  });

it('the cached data of a device survives when other devices of its application are created and deleted', async () => {
  await using app = await startTestApp('sqlite');
  const surroundings = await createSurroundings(app);
  const devEUI = await createDevice(app, surroundings, {});
  const other = await createDevice(app, surroundings, {});
  const contexts = deviceContexts(app.parts);
  const cached = await contexts.of(devEUI);
  await createDevice(app, surroundings, {});
  assert.equal(await contexts.of(devEUI), cached);
  await app.call(operations.device.delete, { devEUI: other });
  assert.equal(await contexts.of(devEUI), cached);
});
