import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupsIn, readGroupRoles, rightsOfGroups } from './group-roles.ts';

const none = { is_admin: false, is_device_admin: false, is_gateway_admin: false, is_read_only: false };

describe('the roles of groups', () => {
  it('add up, and are read-only only where no other group says more', () => {
    const mapping = readGroupRoles(
      '{"ops": "global-admin", "a": "device-admin@farm, read-only@mill", "CN=b,OU=x": "gateway-admin@farm,read-only@farm"}',
    );
    assert.deepEqual(rightsOfGroups(mapping, ['a', 'CN=b,OU=x', 'unknown']), {
      isGlobalAdmin: false,
      memberships: new Map([
        ['farm', { ...none, is_device_admin: true, is_gateway_admin: true }],
        ['mill', { ...none, is_read_only: true }],
      ]),
    });
    assert.deepEqual(rightsOfGroups(mapping, ['ops']), { isGlobalAdmin: true, memberships: new Map() });
    assert.deepEqual(rightsOfGroups(mapping, []), { isGlobalAdmin: false, memberships: new Map() });
  });

  it('are read from a list, from a single text, and from at most 1,000 groups', () => {
    assert.deepEqual(groupsIn(['a', 1, null, 'b']), ['a', 'b']);
    assert.deepEqual(groupsIn('a'), ['a']);
    for (const claim of [undefined, null, {}, 5]) assert.deepEqual(groupsIn(claim), []);
    assert.equal(groupsIn(Array.from({ length: 1200 }, String)).length, 1000);
  });

  it('are refused with what is expected', () => {
    assert.throws(() => readGroupRoles('ops=admin'), /must be a JSON object of groups and roles, such as {/);
    assert.throws(() => readGroupRoles('["ops"]'), /must be a JSON object/);
    for (const role of ['admin@farm', 'global-admin@farm', 'user', 'user@', 'user@a b', 'user@a@b', 'constructor@farm'])
      assert.throws(
        () => readGroupRoles(JSON.stringify({ ops: role })),
        /has the role .* must be global-admin, or one of/,
      );
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [index, 'user@farm']));
    assert.throws(() => readGroupRoles(JSON.stringify(many)), /at most 1000 groups/);
    assert.equal(readGroupRoles('').size, 0);
  });
});
