import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../../clock.ts';
import { cost } from '../../passwords/argon2id.ts';
import { databases } from '../../testing/databases.ts';
import { createUser } from '../../testing/factories.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

/** A stopped clock, so that no attempt is refilled while a slow machine handles the others. */
const stopped = { ...systemClock, monotonicMs: () => 0 };
const behindProxy = { trustProxy: '127.0.0.0/8' };

/** A browser that signs in and sends the device cookie it got. */
function signInFrom(app: TestApp, address: string, more: Record<string, string> = {}) {
  return async (person: { email: string; password: string }, cookie = '') => {
    const response = await app.fetch('/api/internal/login', {
      method: 'POST',
      headers: { 'X-Forwarded-For': address, Cookie: cookie, ...more },
      body: JSON.stringify({ email: person.email, password: person.password }),
    });
    await response.arrayBuffer();
    const [set = ''] = response.headers.getSetCookie();
    return { status: response.status, set, cookie: set.split(';')[0]! };
  };
}

for (const database of databases) {
  describe(`a known device on ${database}`, () => {
    it('signs in, and so does its network, while attackers guess the password of the account', async () => {
      await using app = await startTestApp(database, behindProxy, { clock: stopped });
      const owner = await createUser(app);
      const wrong = { email: owner.email.toUpperCase(), password: 'guessed it wrong' };
      const { cookie } = await signInFrom(app, '192.0.2.1')(owner);

      for (let i = 0; i < 10; i++) assert.equal((await signInFrom(app, `198.51.100.${i}`)(wrong)).status, 401);
      assert.equal((await signInFrom(app, '198.51.100.99')(owner)).status, 429);
      assert.equal((await signInFrom(app, '203.0.113.7')(owner, cookie)).status, 200);
      assert.equal((await signInFrom(app, '192.0.2.1')(owner)).status, 200);
    });

    it('has ten attempts of its own, which do not count for the rest of its network', async () => {
      await using app = await startTestApp(database, behindProxy, { clock: stopped });
      const [owner, neighbour] = [await createUser(app), await createUser(app)];
      const here = signInFrom(app, '192.0.2.1');
      const { cookie } = await here(owner);
      for (let i = 0; i < 10; i++) assert.equal((await here({ ...owner, password: 'wrong' }, cookie)).status, 401);
      assert.equal((await here(owner, cookie)).status, 429);
      assert.equal((await here(neighbour)).status, 200);
    });
  });
}

describe('the cookie of a known device', () => {
  const attributes = /; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict/;

  it('cannot be read or sent by pages of other sites, and stays on TLS where it was set', async () => {
    await using app = await startTestApp('sqlite', behindProxy);
    const person = await createUser(app);
    const plain = await signInFrom(app, '192.0.2.1')(person);
    assert.match(plain.set, /^hilltop_device=/);
    assert.match(plain.set, attributes);
    assert.doesNotMatch(plain.set, /Secure/);
    const secure = await signInFrom(app, '192.0.2.1', { 'X-Forwarded-Proto': 'https' })(person);
    assert.match(secure.set, /^__Host-hilltop_device=.*; Secure$/);
    assert.match(secure.set, attributes);
    assert.equal((await signInFrom(app, '192.0.2.1')({ ...person, password: 'wrong' })).set, '');
  });

  it('is valid for its account only, for a year, and unmodified', async () => {
    let now = Date.now();
    const clock = { ...stopped, now: () => new Date(now) };
    await using app = await startTestApp('sqlite', behindProxy, { clock });
    const [owner, other] = [await createUser(app), await createUser(app)];
    const { cookie } = await signInFrom(app, '192.0.2.1')(owner);
    const { cookie: others } = await signInFrom(app, '192.0.2.2')(other);
    const wrong = { ...owner, password: 'wrong' };
    for (let i = 0; i < 10; i++) await signInFrom(app, '198.51.100.1')(wrong);

    const elsewhere = signInFrom(app, '203.0.113.7');
    const tampered = cookie.replace(/=./, (start) => (start === '=A' ? '=B' : '=A'));
    for (const bad of [others, tampered, `${cookie}A`, 'hilltop_device=', 'hilltop_device=a.b.c'])
      assert.equal((await elsewhere(owner, bad)).status, 429, bad);
    now += 366 * 24 * 60 * 60 * 1000;
    assert.equal((await elsewhere(owner, cookie)).status, 429);
    now -= 2 * 24 * 60 * 60 * 1000;
    const again = await elsewhere(owner, `theme=dark; ${cookie}`);
    assert.equal(again.status, 200);
    assert.equal(again.cookie.split('.')[0], cookie.split('.')[0], 'a device keeps its name, so it has one lane');
  });
});

describe('a flood of wrong passwords from hundreds of addresses', () => {
  const ofTests = { ...cost };
  // With the lower cost of tests, the server would compare all of them at once.
  before(() => Object.assign(cost, { memory: 19_456, passes: 2 }));
  after(() => Object.assign(cost, ofTests));

  it('does not delay a known device', async () => {
    await using app = await startTestApp('sqlite', behindProxy);
    const people = await Promise.all(Array.from({ length: 10 }, () => createUser(app)));
    const devices = await Promise.all(people.map((one, i) => signInFrom(app, `192.0.2.${i}`)(one)));
    const flood = Array.from({ length: 400 }, (_, i) =>
      signInFrom(app, `198.${18 + (i >> 8)}.0.${i & 255}`)({ email: `nobody-${i}@example.org`, password: 'wrong' }),
    );
    const statuses = await Promise.all(
      people.map((one, i) => signInFrom(app, `203.0.113.${i}`)(one, devices[i]!.cookie).then(({ status }) => status)),
    );
    assert.deepEqual(statuses, Array(10).fill(200));
    const refusals = (await Promise.all(flood)).map(({ status }) => status);
    assert.deepEqual(new Set(refusals), new Set([401, 429]));
  });
});

describe('addresses of IPv6', () => {
  it('count by their /64 network, which belongs to one customer', async () => {
    await using app = await startTestApp('sqlite', behindProxy, { clock: stopped });
    const person = await createUser(app);
    for (let i = 0; i < 30; i++) {
      const guess = { email: `nobody-${i}@example.org`, password: 'wrong' };
      assert.equal((await signInFrom(app, `2001:db8:0:1:${i.toString(16)}::1`)(guess)).status, 401);
    }
    assert.equal((await signInFrom(app, '2001:0db8::1:ffff:0:0:1')(person)).status, 429);
    assert.equal((await signInFrom(app, '2001:db8:0:2::1')(person)).status, 200);
  });

  it('are counted in the same way for calls without a session', async () => {
    await using app = await startTestApp('sqlite', behindProxy, { clock: stopped });
    const settings = (address: string) =>
      app.fetch(operations.internal.settings.path, { headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 1000; i++) await settings(`2001:db8::${i.toString(16)}`);
    assert.equal((await settings('2001:db8::ffff:1')).status, 429);
    assert.equal((await settings('2001:db8:0:1::1')).status, 200);
  });
});
