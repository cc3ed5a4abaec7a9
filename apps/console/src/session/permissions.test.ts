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

  it('hides from a read-only user what sends and changes', () => {
    const readOnly = { ...people.deviceAdmin, limits: { organizationID: '1', isReadOnly: true, applicationIDs: [] } };
    const may = (operation: OperationName) => mayCall(readOnly, operation, '1');
    expect(['device.get', 'view.create', 'attention.list'].map((one) => may(one as OperationName))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['deviceQueue.enqueue', 'device.create', 'device.getKeys'].map((one) => may(one as OperationName))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('shows a user limited to applications only what belongs to them', () => {
    const limits = { organizationID: '1', isReadOnly: false, applicationIDs: ['7'] };
    const may = (applicationID?: string) => (operation: OperationName) =>
      mayCall({ ...people.deviceAdmin, limits, applicationID }, operation, '1');
    const ofDevices: OperationName[] = ['device.get', 'device.update', 'deviceQueue.enqueue'];
    expect(ofDevices.map(may('7'))).toEqual([true, true, true]);
    expect(ofDevices.map(may('8'))).toEqual([false, false, false]);
    expect(ofDevices.map(may())).toEqual([false, false, false]);
    const ofOrganization: OperationName[] = ['attention.list', 'gateway.get', 'job.create', 'deviceProfile.update'];
    expect(ofOrganization.map(may('7'))).toEqual([false, false, false, false]);
    const shared: OperationName[] = ['organization.get', 'deviceProfile.get', 'serviceProfile.get'];
    expect(shared.map(may())).toEqual([true, true, true]);
  });

  it('hides the lists of an organization from a user limited to applications, except what they contain', () => {
    const limits = { organizationID: '1', isReadOnly: false, applicationIDs: ['7'] };
    const may = (operation: OperationName) => mayCall({ ...people.plain, limits }, operation, '1');
    const lists: OperationName[] = ['serviceProfile.list', 'deviceProfile.list', 'gateway.list', 'gatewayAirtime.list'];
    expect(lists.map(may)).toEqual([false, false, false, false]);
    expect(['application.list', 'organization.list'].map((one) => may(one as OperationName))).toEqual([true, true]);
    expect(lists.map((one) => mayCall(people.plain, one, '1'))).toEqual([true, true, true, true]);
  });

  it('grants no rights in an organization of others', () => {
    expect(mayCall(people.plain, 'gateway.list', '2')).toBe(false);
    expect(mayCall(people.organizationAdmin, 'application.create', '2')).toBe(false);
  });
});
