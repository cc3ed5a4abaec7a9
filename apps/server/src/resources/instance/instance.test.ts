import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, everyUser, row } from '../../testing/access-matrix.ts';
import { instanceCount } from '../../testing/databases.ts';
import { createOrganization } from '../../testing/factories.ts';
import { createGateway, simulateGateway } from '../../testing/field.ts';
import { startTestApp } from '../../testing/test-app.ts';
import { version } from '../../version.ts';

const { instance } = operations;

// With Redis, other instances may exist.
if (instanceCount === 0)
  it('lists a single instance with its load', async () => {
    await using app = await startTestApp('sqlite', { instanceName: 'the only one' });
    await using _gateway = await simulateGateway(app, await createGateway(app, await createOrganization(app)));
    const { isAlone, isArchive, totalCount, result } = await app.call(instance.list, { limit: 10 });
    assert.deepEqual([isAlone, isArchive, totalCount, result.length], [true, false, '1', 1]);
    const [only] = result;
    assert.deepEqual(
      [only?.name, only?.version, only?.isAnswering, only?.figures?.gateways],
      ['the only one', version, true, 1],
    );
    const listens = only?.listens.map((line) => line.replace(/(?<=:)[1-9]\d*$/, 'PORT'));
    assert.deepEqual(listens, ['HTTP 127.0.0.1:PORT', 'Semtech UDP 127.0.0.1:PORT']);
    assert.ok(Date.parse(only!.startedAt!) <= Date.now());
    assert.deepEqual(await app.call(instance.getSurroundings, {}), { away: [] });
    const metrics = await (await app.fetch('/metrics')).text();
    for (const line of ['hilltop_instances 1', 'hilltop_gateways 1', 'hilltop_instance{name="the only one"} 1'])
      assert.ok(metrics.includes(line), line);
  });

describeAccess('sqlite', 'instances', [
  row(instance.list, () => ({ limit: 10 }), admins, admins),
  row(instance.getSurroundings, () => ({}), everyUser, everyUser),
]);
