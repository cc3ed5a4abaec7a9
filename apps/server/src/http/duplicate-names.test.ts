import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../testing/databases.ts';
import { createOrganization, createUser, networkServerID } from '../testing/factories.ts';
import { createDevice, createSurroundings, type FieldContext } from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

type Make = (app: TestApp, around: FieldContext) => Promise<unknown>;

const email = 'taken@example.org';
const eui = '0102030405060708';

const table: [what: string, make: Make, field: string, sentence: string][] = [
  [
    'the name of an organization',
    (app) => createOrganization(app, { name: 'taken' }),
    'organization.name',
    'Another organization has this name already.',
  ],
  [
    'the e-mail address of a user',
    (app) => createUser(app, { email }),
    'user.email',
    'Another user has this e-mail address already.',
  ],
  [
    'a member of an organization',
    (app, { organizationID }) =>
      app.call(operations.organization.addUser, { organizationUser: { organizationID, email } }),
    'organizationUser.email',
    `${email} is a user of this organization already.`,
  ],
  [
    'the ID of a gateway',
    (app, { organizationID }) =>
      app.call(operations.gateway.create, {
        gateway: { id: eui, name: randomUUID(), organizationID, networkServerID, location: {} },
      }),
    'gateway.id',
    'Another gateway has this ID already.',
  ],
  [
    'the EUI of a device',
    (app, around) => createDevice(app, around, { devEUI: eui, name: randomUUID() }),
    'device.devEUI',
    'Another device has this EUI already.',
  ],
];

for (const database of databases) {
  describe(`a name or id that exists already, on ${database}`, () => {
    let app: TestApp;
    let around: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      around = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    for (const [what, make, field, description] of table) {
      it(`is reported at its field: ${what}`, async () => {
        await make(app, around);
        const { fieldViolations } = await refused(6, make(app, around));
        assert.deepEqual(fieldViolations, [{ field, description }]);
      });
    }
  });
}
