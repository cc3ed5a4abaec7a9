import { describe, expect, it } from 'vitest';
import type { OperationName } from '../api/facts.ts';
import { mayCall } from './permissions.ts';

const user = { id: '7', email: 'a@b.c', isAdmin: false, isActive: true, note: '', sessionTTL: 0 };
const link = (rights: object) => ({
  organizationID: '1',
  organizationName: 'acme',
  isAdmin: false,
  isDeviceAdmin: false,
  isGatewayAdmin: false,
  createdAt: null,
  updatedAt: null,
  ...rights,
});

const people = {
  plain: { user, organizations: [link({})] },
  deviceAdmin: { user, organizations: [link({ isDeviceAdmin: true })] },
  gatewayAdmin: { user, organizations: [link({ isGatewayAdmin: true })] },
  organizationAdmin: { user, organizations: [link({ isAdmin: true })] },
  globalAdmin: { user: { ...user, isAdmin: true }, organizations: [] },
};

// plain, device admin, gateway admin, organization admin, global admin
const table: [OperationName, boolean[]][] = [
  ['networkServer.create', [false, false, false, false, true]],
  ['serviceProfile.create', [false, false, false, false, true]],
  ['serviceProfile.get', [true, true, true, true, true]],
  ['deviceProfile.create', [false, true, false, true, true]],
  ['gateway.create', [false, false, true, true, true]],
  ['gateway.update', [false, false, true, true, true]],
  ['application.create', [false, false, false, true, true]],
  ['device.create', [false, true, false, true, true]],
  ['device.getKeys', [false, true, false, true, true]],
  ['deviceQueue.enqueue', [true, true, true, true, true]],
  ['organization.update', [false, false, false, true, true]],
  ['organization.delete', [false, false, false, false, true]],
  ['organization.list', [true, true, true, true, true]],
];

describe('mayCall', () => {
  for (const [operation, expected] of table) {
    it(`answers like the table of roles for ${operation}`, () => {
      expect(Object.values(people).map((person) => mayCall(person, operation, '1'))).toEqual(expected);
    });
  }

  it('grants no rights in an organization of others', () => {
    expect(mayCall(people.organizationAdmin, 'application.create', '2')).toBe(false);
  });
});
