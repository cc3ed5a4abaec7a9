/** Our additions to the recorded API: declared in golden files, and never in conflict with a recorded call. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { globally } from './access.ts';
import additions from './golden/additions.json' with { type: 'json' };
import recorded from './golden/operations.json' with { type: 'json' };
import declared from './golden/own-operations.json' with { type: 'json' };
import {
  allOperations,
  complete,
  documentNames,
  type Field,
  type Message,
  notServed,
  type Operation,
  parseMessage,
} from './index.ts';
import { extended, get, ownOperationsOf } from './operation.ts';
import { ifGiven, message, text } from './wire.ts';

/** Whether some path matches both templates. */
function collide(one: string, other: string): boolean {
  const [left, right] = [one.split('/'), other.split('/')];
  const isFree = (part: string | undefined) => part?.startsWith('{');
  return (
    left.length === right.length && left.every((part, at) => part === right[at] || isFree(part) || isFree(right[at]))
  );
}

function problemsOf({ document, service, method, path, request, response }: Operation): string[] {
  const inTheWay = [...recorded, ...notServed].filter(
    (recordedOperation) => recordedOperation.method === method && collide(recordedOperation.path, path),
  );
  return [
    ...inTheWay.map((recordedOperation) => `${method} ${path} collides with ${recordedOperation.path}`),
    ...(recorded.some((recordedOperation) => recordedOperation.document === document)
      ? [`the document ${document} is recorded`]
      : []),
    ...(recorded.some((recordedOperation) => recordedOperation.service === service)
      ? [`the service ${service} is recorded`]
      : []),
    ...[request, response]
      .filter(({ name }) => !name.startsWith('hilltop.') && name !== 'google.protobuf.Empty')
      .map(({ name }) => `${name} is not a message of the package hilltop`),
  ];
}

const own = allOperations.filter((operation) => operation.package === 'hilltop');

describe('operations of our own', () => {
  it('are the declared ones, no more and no less', () => {
    const declaration = ({ service, rpc, document, method, path, request, response, stream }: Operation) => ({
      service: `hilltop.${service}`,
      rpc,
      document,
      method,
      path,
      stream,
      requestMessage: request.name,
      responseMessage: response.name,
    });
    const expected = declared.map(({ callers: _in_the_matrix, ...rest }) => rest);
    assert.deepEqual(own.map(declaration), expected);
  });

  for (const operation of own) {
    it(`${operation.key} does not change the recorded API`, () => {
      assert.deepEqual(problemsOf(operation), []);
    });
  }

  it('are refused where they conflict with recorded calls', () => {
    const access = globally('globalAdmin');
    const named = message('hilltop.GetPretendRequest', { id: text() });
    const { one, two, three, four } = ownOperationsOf('pretend', {
      one: get('/api/devices/export', { summary: 'Is read as a DevEUI', access }),
      two: get('/api/{id}/5', { summary: 'Takes what others answer', request: named, access }),
      three: get('/api/jobs', { summary: 'Speaks another package', request: message('api.Job', {}), access }),
      four: get('/api/devices/{id}/history', { summary: 'Is free', request: named, access }),
    });
    assert.deepEqual(problemsOf(one), ['GET /api/devices/export collides with /api/devices/{dev_eui}']);
    assert.ok(problemsOf(two).includes('GET /api/{id}/5 collides with /api/users/{id}'));
    assert.deepEqual(problemsOf(three), ['api.Job is not a message of the package hilltop']);
    assert.deepEqual(problemsOf(four), []);
    const { list } = ownOperationsOf('device', { list: get('/api/jobs', { summary: 'Is smuggled', access }) });
    assert.deepEqual(problemsOf(list), ['the document device is recorded', 'the service DeviceService is recorded']);
  });

  it('are in documents of their own', () => {
    for (const { document } of own) assert.ok(documentNames.includes(document));
  });
});

describe('members of our own in recorded messages', () => {
  const answered = new Set<Message>();
  const visit = (of: Message): void => {
    if (answered.has(of)) return;
    answered.add(of);
    for (const { message: inner, of: items } of Object.values<Field>(of.fields))
      for (const one of [inner, items?.message]) if (one) visit(one);
  };
  for (const { response } of allOperations) visit(response);

  for (const [name, members] of Object.entries(additions as unknown as Record<string, [string, number][]>)) {
    if (name === 'api.ProfileResponse') continue;
    it(`${name} numbers them from 1000 on, once each`, () => {
      const numbers = members.map(([, number]) => number);
      assert.ok(numbers.every((number) => number >= 1000));
      assert.equal(new Set(numbers).size, numbers.length);
    });

    it(`${name} omits them in responses unless requested`, () => {
      for (const of of [...answered].filter((one) => one.name === name))
        for (const [member] of members) assert.equal(of.fields[member]?.oneof, true, member);
    });
  }

  it('are absent unless given', () => {
    const Thing = extended(message('api.Thing', { name: text() }), { note: [1001, ifGiven(text())] });
    assert.deepEqual(Thing.numbers, [1, 1001]);
    assert.deepEqual(parseMessage(Thing, { name: 'a' }), { name: 'a' });
    assert.deepEqual(parseMessage(Thing, { name: 'a', note: '' }), { name: 'a', note: '' });
    assert.deepEqual(complete(Thing, {}), { name: '' });
  });
});
