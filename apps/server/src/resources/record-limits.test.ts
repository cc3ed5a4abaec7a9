import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations, recordLimits } from '@hilltop/contract';
import { databases } from '../testing/databases.ts';
import { createAPIKey, createApplication, createDeviceProfile, createServiceProfile } from '../testing/factories.ts';
import { createMulticastGroup, createSurroundings, type FieldContext } from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const { apiKey, internal } = operations;

type Limited = 'application' | 'api_key' | 'device_profile' | 'service_profile' | 'multicast_group';

/** Adds rows to those of an owner until it has as many as that. They are copies of one of them. */
async function fill({ parts }: TestApp, table: Limited, owner: [column: string, id: string], most: number) {
  const { query } = parts.database;
  // One table name represents all.
  const name = table as 'api_key';
  const column = owner[0] as 'organization_id';
  const rows = await query.selectFrom(name).selectAll().where(column, '=', Number(owner[1])).execute();
  const copies = Array.from({ length: most - rows.length }, (_, nth) => {
    const { id, ...row } = rows[0]!;
    return { ...row, name: `copy-${nth}`, ...(typeof id === 'string' && { id: crypto.randomUUID() }) };
  });
  while (copies.length > 0)
    await query
      .insertInto(name)
      .values(copies.splice(0, 500) as never)
      .execute();
}

for (const database of databases) {
  describe(`the number of records on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    async function refusesOneMore(
      table: Limited,
      { of, most }: { of: 'organization' | 'application'; most: number },
      create: (context: FieldContext) => Promise<unknown>,
    ): Promise<FieldContext> {
      const context = await createSurroundings(app);
      await create(context);
      const ownerID = of === 'organization' ? context.organizationID : context.applicationID;
      await fill(app, table, [`${of}_id`, ownerID], most - 1);
      const outcomes = await Promise.allSettled([create(context), create(context), create(context)]);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      const { info } = await refused(9, create(context));
      assert.equal(info?.reason, 'TOO_MANY_RECORDS');
      await create(await createSurroundings(app));
      return context;
    }

    it('of applications is limited for each organization', async () => {
      await refusesOneMore('application', { of: 'organization', most: recordLimits.applications }, (context) => {
        const { organizationID, serviceProfileID } = context;
        return createApplication(app, { organizationID, serviceProfileID });
      });
    });

    it('of device-profiles is limited for each organization', async () => {
      await refusesOneMore('device_profile', { of: 'organization', most: recordLimits.deviceProfiles }, (context) =>
        createDeviceProfile(app, { organizationID: context.organizationID }),
      );
    });

    it('of service-profiles is limited for each organization', async () => {
      await refusesOneMore('service_profile', { of: 'organization', most: recordLimits.serviceProfiles }, (context) =>
        createServiceProfile(app, { organizationID: context.organizationID }),
      );
    });

    it('is limited for records that come back from the trash', async () => {
      const { organizationID } = await createSurroundings(app);
      const id = await createDeviceProfile(app, { organizationID });
      await app.call(operations.deviceProfile.delete, { id });
      const { result } = await app.call(operations.trash.list, { organizationID, limit: 10 });
      await fill(app, 'device_profile', ['organization_id', organizationID], recordLimits.deviceProfiles);
      const { refused } = await app.call(operations.trash.restore, { id: result[0]!.id });
      assert.match(refused[0]?.reason ?? '', /device-profiles/);
    });

    it('of multicast-groups is limited for each application', async () => {
      await refusesOneMore('multicast_group', { of: 'application', most: recordLimits.multicastGroups }, (context) =>
        createMulticastGroup(app, { applicationID: context.applicationID }),
      );
    });

    for (const owner of ['organization', 'application'] as const)
      it(`of API keys is limited for each ${owner}, also when one is replaced`, async () => {
        const scopeOf = ({ organizationID, applicationID }: FieldContext) =>
          owner === 'organization' ? { organizationID } : { applicationID };
        const full = await refusesOneMore('api_key', { of: owner, most: recordLimits.apiKeys }, (context) =>
          createAPIKey(app, scopeOf(context)),
        );
        const { result } = await app.call(internal.listAPIKeys, { ...scopeOf(full), limit: 1 });
        await refused(9, app.call(apiKey.replace, { id: result[0]!.id }));
        await app.call(internal.deleteAPIKey, { id: result[0]!.id });
        await createAPIKey(app, scopeOf(full));
      });
  });
}
