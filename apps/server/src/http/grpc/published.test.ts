import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allOperations, type Operation, operations } from '@hilltop/contract';
import { databases } from '../../testing/databases.ts';
import { createApplication, createUser } from '../../testing/factories.ts';
import { asHTTP, wellMeant } from '../../testing/odd-requests.ts';
import { integrationOf, type Known, oneOfEverything } from '../../testing/one-of-everything.ts';
import { createPublishedClient, type Refused } from '../../testing/published-client.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

/** The result of a call, which must be equal by REST and gRPC: the same answer, or the same code and message. */
type Outcome = { answer: unknown } | { code: number; message: string };

/** Removes fields that REST returns in addition to the published API. */
function asFarAs(known: unknown, value: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(known)) return value.map((one, index) => asFarAs(known[index], one));
  if (typeof value !== 'object' || value === null || typeof known !== 'object' || known === null) return value;
  const shown = Object.entries(value).filter(([name]) => Object.hasOwn(known, name));
  return Object.fromEntries(shown.map(([name, one]) => [name, asFarAs((known as Record<string, unknown>)[name], one)]));
}

const nobodys = '00000000-0000-4000-8000-000000000000';

/** Operations whose answers differ each time: they contain ids, counters or keys. */
const madeAnew: readonly Operation[] = [
  operations.gatewayProfile.create,
  operations.serviceProfile.create,
  operations.deviceProfile.create,
  operations.gateway.generateGatewayClientCertificate,
  operations.device.getRandomDevAddr,
  operations.deviceQueue.enqueue,
];

const published = allOperations.filter(({ package: name }) => name === 'api');

for (const database of databases) {
  describe(`the published package on ${database}`, () => {
    let app: TestApp;
    let client: ReturnType<typeof createPublishedClient>;
    let world: Known;
    let others: string[];
    before(async () => {
      app = await startTestApp(database);
      client = createPublishedClient(app.url);
      world = await oneOfEverything(app);
      const { organizationID } = world.known as { organizationID: string };
      const elsewhere = await createApplication(app, { organizationID });
      const limitedTo = async (limits: object) => {
        const { id: userID, token } = await createUser(app, { organizations: [{ organizationID }] });
        const organizationUser = { organizationID, userID, ...limits };
        await app.call(operations.organization.updateUser, { organizationUser });
        return token;
      };
      const stranger = (await createUser(app)).token;
      others = [stranger, await limitedTo({ isReadOnly: true }), await limitedTo({ applicationIDs: [elsewhere] })];
    });
    after(async () => {
      client[Symbol.dispose]();
      await app[Symbol.asyncDispose]();
    });

    async function byREST(operation: Operation, request: object, token: string | null): Promise<Outcome> {
      const { path, body } = asHTTP(operation, request as Record<string, unknown>);
      const response = await app.fetch(path, {
        method: operation.method,
        headers: token === null ? {} : { Authorization: `Bearer ${token}` },
        ...(body !== undefined && { body }),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.ok) return { answer };
      const { code, message } = answer as { code: number; message: string };
      return { code, message };
    }

    async function byGRPC(operation: Operation, request: object, token: string | null): Promise<Outcome> {
      try {
        return { answer: await client.call(operation, request, token) };
      } catch (error) {
        const { code, details } = error as Refused;
        return { code, message: details };
      }
    }

    /** Replaces values that are generated for each call. */
    function comparable(operation: Operation, answer: unknown): unknown {
      return madeAnew.includes(operation)
        ? Object.entries(answer as object).map(([name, one]) => [name, typeof one])
        : answer;
    }

    async function same(operation: Operation, request: object, token: string | null): Promise<Outcome> {
      const restAnswer = await byREST(operation, request, token);
      const ours = await byGRPC(operation, request, token);
      if ('answer' in ours && 'answer' in restAnswer)
        assert.deepEqual(
          comparable(operation, ours.answer),
          comparable(operation, asFarAs(ours.answer, restAnswer.answer)),
          operation.key,
        );
      else assert.deepEqual(ours, restAnswer, operation.key);
      return ours;
    }

    function meant({ key, rpc, request }: Operation): Record<string, unknown> {
      return wellMeant(request, {
        id: nobodys,
        ...world.known,
        ...world.ids[key.split('.')[0]!],
        ...integrationOf(rpc),
        limit: 100,
      });
    }

    for (const operation of published.filter(({ stream }) => !stream))
      it(`${operation.key} answers like REST`, async () => {
        const own = meant(operation);
        if (operation.method !== 'DELETE') {
          // Calls REST twice: after the first call, a record that is created once exists, as for the call by gRPC.
          await byREST(operation, own, app.adminToken);
          await same(operation, own, app.adminToken);
        }
        // Attempts to sign in are limited.
        const callers = operation === operations.internal.login ? [] : others;
        for (const token of [null, 'no.such.token', ...callers]) {
          const outcome = await same(operation, own, token);
          assert.ok(operation.effect === 'read' || 'code' in outcome, `${operation.key} was not refused`);
        }
      });
  });
}
