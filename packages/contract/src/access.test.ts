import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { casesFor, decide, type Need, type Principal, type SubjectFacts } from './access.ts';
import declared from './golden/own-operations.json' with { type: 'json' };
import { integrationKinds } from './integrations/kinds.ts';
import type { Operation } from './operation.ts';
import { allOperations } from './operations.ts';

function user(flags: {
  isAdmin?: boolean;
  of?: string;
  role?: 'isAdmin' | 'isDeviceAdmin' | 'isGatewayAdmin';
}): Principal {
  const membership = {
    ...{ organizationID: flags.of ?? '1', isAdmin: false, isDeviceAdmin: false, isGatewayAdmin: false },
    ...{ isReadOnly: false, applicationIDs: [] },
  };
  return {
    kind: 'user',
    id: '5',
    isAdmin: flags.isAdmin ?? false,
    isActive: true,
    memberships: flags.isAdmin ? [] : [{ ...membership, ...(flags.role && { [flags.role]: true }) }],
  };
}

function key(scope: Partial<Extract<Principal, { kind: 'apiKey' }>>): Principal {
  const none = {
    access: 'FULL',
    isAdmin: false,
    organizationID: null,
    applicationID: null,
    applicationOrganizationID: null,
  } as const;
  return { kind: 'apiKey', id: 'k', ...none, ...scope };
}

/** The principals: the columns of the matrix below. */
const principals: Readonly<Record<string, Principal | null>> = {
  globalAdmin: user({ isAdmin: true }),
  organizationAdmin: user({ role: 'isAdmin' }),
  deviceAdmin: user({ role: 'isDeviceAdmin' }),
  gatewayAdmin: user({ role: 'isGatewayAdmin' }),
  member: user({}),
  adminKey: key({ isAdmin: true }),
  organizationKey: key({ organizationID: '1' }),
  applicationKey: key({ applicationID: '7', applicationOrganizationID: '1' }),
  otherOrganization: user({ of: '2', role: 'isAdmin' }),
  otherOrganizationKey: key({ organizationID: '2' }),
  otherApplicationKey: key({ applicationID: '8', applicationOrganizationID: '2' }),
  nobody: null,
};

/**
 * The access of each principal, one letter per column: y is allowed, - is forbidden. Without a session, - means code
 * 16.
 */
const callers = {
  everybody: 'yyyyyyyyyyyy',
  administrators: 'y----y------',
  anyUser: 'yyyyy---y---',
  members: 'yyyyy-------',
  globalAdmins: 'y-----------',
  anyUserOrAdminKey: 'yyyyyy--y---',
  anyUserOrKey: 'yyyyyyyyyyy-',
  organizationReaders: 'yyyyyyy-----',
  applicationReaders: 'yyyyyyyy----',
  organizationAdmins: 'yy---yy-----',
  gatewayAdmins: 'yy-y-yy-----',
  deviceAdmins: 'yyy--yy-----',
  deviceOrGatewayAdmins: 'yyyy-yy-----',
  deviceChangers: 'yyy--yyy----',
  applicationAdmins: 'yy---yyy----',
  keyManagers: 'yy----------',
  anyAdmins: 'yyyy-yy-----',
} as const;
const {
  everybody,
  administrators,
  anyUser,
  anyUserOrAdminKey,
  anyUserOrKey,
  organizationReaders,
  applicationReaders,
  organizationAdmins,
  gatewayAdmins,
  deviceAdmins,
  deviceChangers,
  applicationAdmins,
  keyManagers,
} = callers;

const inOrganization = { organizationID: '1' };
const inApplication = { applicationID: '7' };

type Row = readonly [operationKey: string, request: object, expected: string];

/** The operations of the recorded API. */
const recorded: readonly Row[] = [
  ['internal.login', {}, everybody],
  ['internal.openIDConnectLogin', {}, everybody],
  ['internal.settings', {}, everybody],
  ['internal.profile', {}, anyUser],
  ['internal.globalSearch', {}, anyUser],
  ['internal.getDevicesSummary', inOrganization, organizationReaders],
  ['internal.getDevicesSummary', { organizationID: '0' }, administrators],
  ['internal.getGatewaysSummary', inOrganization, organizationReaders],
  ['internal.getGatewaysSummary', {}, administrators],
  ['internal.listAPIKeys', inOrganization, keyManagers],
  ['internal.listAPIKeys', inApplication, keyManagers],
  ['internal.listAPIKeys', {}, 'y-----------'],
  ['internal.listAPIKeys', { ...inOrganization, isAdmin: true }, 'y-----------'],
  ['internal.createAPIKey', { apiKey: inOrganization }, keyManagers],
  ['internal.createAPIKey', { apiKey: inApplication }, keyManagers],
  ['internal.createAPIKey', { apiKey: { isAdmin: true } }, 'y-----------'],
  ['internal.createAPIKey', { apiKey: { ...inOrganization, isAdmin: true } }, 'y-----------'],
  ['internal.deleteAPIKey', {}, keyManagers],
  ['user.list', {}, administrators],
  ['user.create', {}, administrators],
  ['user.get', {}, administrators],
  ['user.update', {}, administrators],
  ['user.delete', {}, administrators],
  ['user.updatePassword', {}, administrators],
  ['organization.list', {}, anyUserOrAdminKey],
  ['organization.get', {}, organizationReaders],
  ['organization.create', {}, administrators],
  ['organization.update', {}, 'yy---y------'],
  ['organization.delete', {}, administrators],
  ['organization.listUsers', {}, organizationAdmins],
  ['organization.getUser', {}, organizationAdmins],
  ['organization.addUser', {}, organizationAdmins],
  ['organization.updateUser', {}, organizationAdmins],
  ['organization.deleteUser', {}, organizationAdmins],
  ['networkServer.list', inOrganization, organizationReaders],
  ['networkServer.list', {}, administrators],
  ['networkServer.get', {}, gatewayAdmins],
  ['networkServer.create', {}, administrators],
  ['networkServer.update', {}, administrators],
  ['networkServer.delete', {}, administrators],
  ['networkServer.getADRAlgorithms', {}, organizationReaders],
  ['gatewayProfile.list', {}, anyUserOrKey],
  ['gatewayProfile.get', {}, anyUserOrKey],
  ['gatewayProfile.create', {}, administrators],
  ['gatewayProfile.update', {}, administrators],
  ['gatewayProfile.delete', {}, administrators],
  ['serviceProfile.list', inOrganization, organizationReaders],
  ['serviceProfile.list', {}, anyUserOrAdminKey],
  ['serviceProfile.get', {}, organizationReaders],
  ['serviceProfile.create', {}, administrators],
  ['serviceProfile.update', {}, administrators],
  ['serviceProfile.delete', {}, administrators],
  ['deviceProfile.list', inApplication, applicationReaders],
  ['deviceProfile.list', { ...inApplication, ...inOrganization }, applicationReaders],
  ['deviceProfile.list', inOrganization, organizationReaders],
  ['deviceProfile.list', {}, anyUserOrAdminKey],
  ['deviceProfile.get', {}, applicationReaders],
  ['deviceProfile.create', {}, deviceAdmins],
  ['deviceProfile.update', {}, deviceAdmins],
  ['deviceProfile.delete', {}, deviceAdmins],
  ['gateway.list', inOrganization, organizationReaders],
  ['gateway.list', {}, anyUserOrAdminKey],
  ['gateway.get', {}, organizationReaders],
  ['gateway.create', {}, gatewayAdmins],
  ['gateway.update', {}, gatewayAdmins],
  ['gateway.delete', {}, gatewayAdmins],
  ['gateway.getStats', {}, organizationReaders],
  ['gateway.getLastPing', {}, organizationReaders],
  ['gateway.generateGatewayClientCertificate', {}, gatewayAdmins],
  ['gateway.streamFrameLogs', {}, organizationReaders],
  ['application.list', inOrganization, organizationReaders],
  ['application.list', {}, anyUserOrAdminKey],
  ['application.get', {}, applicationReaders],
  ['application.create', {}, organizationAdmins],
  ['application.update', {}, applicationAdmins],
  ['application.delete', {}, applicationAdmins],
  ['application.listIntegrations', {}, applicationAdmins],
  ['application.generateMQTTIntegrationClientCertificate', {}, applicationAdmins],
  ...Object.values(integrationKinds).flatMap(({ rpc }) =>
    ['create', 'get', 'update', 'delete'].map(
      (verb) => [`application.${verb}${rpc}Integration`, {}, applicationAdmins] as const,
    ),
  ),
  ['device.list', inApplication, applicationReaders],
  ['device.list', { multicastGroupID: 'm' }, organizationReaders],
  ['device.list', { serviceProfileID: 's' }, organizationReaders],
  ['device.list', { ...inApplication, serviceProfileID: 's' }, organizationReaders],
  ['device.list', inOrganization, organizationReaders],
  ['device.list', { ...inOrganization, ...inApplication }, organizationReaders],
  ['device.list', {}, 'y-----------'],
  ['device.get', {}, applicationReaders],
  ['device.create', {}, deviceChangers],
  ['device.update', {}, deviceChangers],
  ['device.delete', {}, deviceChangers],
  ['device.getKeys', {}, deviceChangers],
  ['device.createKeys', {}, deviceChangers],
  ['device.updateKeys', {}, deviceChangers],
  ['device.deleteKeys', {}, deviceChangers],
  ['device.activate', {}, deviceChangers],
  ['device.deactivate', {}, deviceChangers],
  ['device.getActivation', {}, applicationReaders],
  ['device.getRandomDevAddr', {}, applicationReaders],
  ['device.clearDeviceNonces', {}, deviceChangers],
  ['device.getStats', {}, applicationReaders],
  ['device.streamFrameLogs', {}, applicationReaders],
  ['device.streamEventLogs', {}, applicationReaders],
  ['deviceQueue.list', {}, applicationReaders],
  ['deviceQueue.enqueue', {}, applicationReaders],
  ['deviceQueue.flush', {}, applicationReaders],
  ['multicastGroup.list', { organizationID: '1' }, organizationReaders],
  ['multicastGroup.list', inApplication, applicationReaders],
  ['multicastGroup.list', { devEUI: 'd' }, applicationReaders],
  ['multicastGroup.list', { serviceProfileID: 's' }, organizationReaders],
  ['multicastGroup.list', { ...inApplication, organizationID: '1' }, organizationReaders],
  ['multicastGroup.list', {}, 'y-----------'],
  ['multicastGroup.get', {}, applicationReaders],
  ['multicastGroup.create', {}, deviceAdmins],
  ['multicastGroup.update', {}, deviceAdmins],
  ['multicastGroup.delete', {}, deviceAdmins],
  ['multicastGroup.addDevice', {}, deviceAdmins],
  ['multicastGroup.removeDevice', {}, deviceAdmins],
  ['multicastGroup.listQueue', {}, organizationReaders],
  ['multicastGroup.enqueue', {}, organizationReaders],
  ['multicastGroup.flushQueue', {}, organizationReaders],
];

/** Our own operations from their golden file: the allowed principals, by the fields of the request. */
const own: readonly Row[] = declared.flatMap(({ service, rpc, callers: rows }) => {
  const operation = allOperations.find((one) => `hilltop.${one.service}` === service && one.rpc === rpc);
  return Object.entries(rows).map(([request, who]): Row => {
    const given = Object.fromEntries(new URLSearchParams(request));
    return [operation?.key ?? `${service}.${rpc}`, given, callers[who as keyof typeof callers]];
  });
});

const matrix = [...recorded, ...own];

const facts: Readonly<Record<string, SubjectFacts>> = {
  global: { organizationIDs: [] },
  user: { organizationIDs: [], userID: '99' },
  application: { organizationIDs: ['1'], applicationID: '7' },
  device: { organizationIDs: ['1'], applicationID: '7' },
  multicastGroup: { organizationIDs: ['1'], applicationID: '7' },
};
const ofOrganization: SubjectFacts = {
  organizationIDs: ['1'],
  userID: '99',
  canHaveGateways: true,
  networkServerLink: 'serviceProfile',
};

function isAllowed({ access, effect }: Operation, request: object, principal: Principal | null): boolean {
  return casesFor(access, request).every(
    (one) => decide(principal, effect, one, facts[one.on] ?? ofOrganization) === 'allowed',
  );
}

function operationOf(operationKey: string): Operation {
  const operation = allOperations.find((one) => one.key === operationKey);
  assert.ok(operation, operationKey);
  return operation;
}

describe('the access matrix', () => {
  for (const [operationKey, request, expected] of matrix) {
    it(`${operationKey} ${JSON.stringify(request)}`, () => {
      const operation = operationOf(operationKey);
      const answers = Object.values(principals).map((principal) =>
        isAllowed(operation, request, principal) ? 'y' : '-',
      );
      assert.equal(answers.join(''), expected);
    });
  }

  it('has a row for every operation', () => {
    const rows = new Set(matrix.map(([operationKey]) => operationKey));
    assert.deepEqual(
      allOperations.map((operation) => operation.key).filter((one) => !rows.has(one)),
      [],
    );
  });
});

describe('decide', () => {
  const readCase = { on: 'organization', of: 'id', allow: ['member'] } as const;
  const member = principals['member'] as Principal;

  it('answers unauthenticated without a session and for a deactivated user', () => {
    assert.equal(decide(null, 'read', readCase, ofOrganization), 'unauthenticated');
    assert.equal(
      decide({ ...member, isActive: false } as Principal, 'read', readCase, ofOrganization),
      'unauthenticated',
    );
  });

  it('forbids records that do not exist to all callers whose role needs an organization', () => {
    const gone = { organizationIDs: [] };
    assert.equal(decide(member, 'read', readCase, gone), 'forbidden');
    assert.equal(decide(principals['globalAdmin']!, 'read', { ...readCase, allow: ['globalAdmin'] }, gone), 'allowed');
  });

  it('lets users see themselves', () => {
    const self = { organizationIDs: [], userID: '5' };
    for (const operationKey of ['user.get', 'user.updatePassword']) {
      const [one] = casesFor(operationOf(operationKey).access, {});
      assert.equal(decide(member, 'read', one!, self), 'allowed');
    }
    const [one] = casesFor(operationOf('organization.getUser').access, {});
    assert.equal(decide(member, 'read', one!, { ...ofOrganization, userID: '5' }), 'allowed');
  });

  it('allows an application key to read the records that it may list', () => {
    const allows = (key: string) => {
      const found = allOperations.find((one) => one.key === key);
      return found?.access.cases.some(({ allow }) => allow.includes('applicationKey'));
    };
    const listed = allOperations.filter(({ key }) => key.endsWith('.list') && allows(key));
    const missing = listed.map(({ key }) => key.replace('.list', '.get')).filter((key) => allows(key) === false);
    assert.deepEqual(missing, []);
  });

  it('lets a session that must change its password or set up a second factor do only that, whatever else its user may', () => {
    const everywhere: SubjectFacts = { ...ofOrganization, applicationID: '7', userID: '5' };
    const setsUp = { mustFirst: 'SET_UP_SECOND_FACTOR' };
    const changesPassword = { mustFirst: 'CHANGE_PASSWORD' };
    const ofSecondFactor = ['internal.profile', 'secondFactor.get', 'secondFactor.create', 'secondFactor.confirm'];
    const isPublic = ({ access }: Operation) => access.cases.every(({ allow }) => allow.includes('public'));
    for (const [first, keys] of [
      [setsUp, ofSecondFactor],
      [changesPassword, [...ofSecondFactor, 'user.get', 'user.updatePassword']],
    ] as const) {
      for (const name of ['globalAdmin', 'organizationAdmin']) {
        const principal = { ...principals[name], ...first } as Principal;
        const allowed = allOperations.filter(({ access, effect }) =>
          access.cases.some((one) => decide(principal, effect, one, everywhere) === 'allowed'),
        );
        assert.deepEqual(
          allowed.filter((one) => !isPublic(one)).map(({ key }) => key),
          keys,
        );
      }
    }
    const [ofPassword] = operationOf('user.updatePassword').access.cases;
    const changing = { ...principals['globalAdmin'], ...changesPassword } as Principal;
    assert.equal(decide(changing, 'change', ofPassword!, { ...everywhere, userID: '6' }), 'forbidden');
    const [one] = operationOf('secondFactor.create').access.cases;
    assert.equal(decide(principals['globalAdmin']!, 'change', one!, everywhere), 'allowed');
  });

  const needs: readonly (readonly [string, Partial<SubjectFacts>, string, boolean])[] = [
    ['an organization without gateways', { canHaveGateways: false }, 'organizationAdmin', false],
    ['an organization without gateways', { canHaveGateways: false }, 'organizationKey', false],
    ['an organization without gateways', { canHaveGateways: false }, 'globalAdmin', true],
    ['no link to the network-server', { networkServerLink: 'none' }, 'gatewayAdmin', false],
    ['no link to the network-server', { networkServerLink: 'none' }, 'adminKey', true],
    ['a link by a device-profile', { networkServerLink: 'deviceProfile' }, 'gatewayAdmin', true],
    ['a link by a device-profile', { networkServerLink: 'deviceProfile' }, 'organizationKey', false],
  ];
  for (const [condition, change, who, allowed] of needs) {
    it(`with ${condition} lets ${who} create a gateway: ${allowed}`, () => {
      const one = casesFor(operationOf('gateway.create').access, {})[0]!;
      assert.deepEqual(one.needs, ['canHaveGateways', 'networkServerLink'] satisfies Need[]);
      assert.equal(decide(principals[who]!, 'change', one, { ...ofOrganization, ...change }) === 'allowed', allowed);
    });
  }
});

describe('effects', () => {
  it('are those of the method, except for these operations', () => {
    const usual = ({ method }: Operation) => (method === 'GET' ? 'read' : 'change');
    const others = allOperations
      .filter((one) => one.effect !== usual(one))
      .map(({ key, effect }) => `${key}: ${effect}`);
    assert.deepEqual(others.sort(), [
      'alertReceiver.getSubscription: read',
      'codecImport.create: read',
      'codecRun.create: read',
      'device.getRandomDevAddr: read',
      'deviceQueue.enqueue: send',
      'deviceQueue.flush: send',
      'downlink.cancel: send',
      'downlink.create: send',
      'downlinkPayload.convert: read',
      'download.create: read',
      'importV3.dryRun: read',
      'internal.login: read',
      'invitation.preview: read',
      'multicastGroup.enqueue: send',
      'multicastGroup.flushQueue: send',
      'radio.preview: read',
    ]);
  });
});

describe('restricted callers', () => {
  const limitedTo = (applicationID: string, more: object = {}): Principal => {
    const person = user({ role: 'isDeviceAdmin' }) as Extract<Principal, { kind: 'user' }>;
    const [membership] = person.memberships;
    return { ...person, memberships: [{ ...membership!, applicationIDs: [applicationID], ...more }] };
  };
  const allowedTo = (principal: Principal) =>
    new Set(matrix.filter(([one, request]) => isAllowed(operationOf(one), request, principal)).map(([one]) => one));
  const nonMember = allowedTo(user({ of: '2' }));

  it('are, limited to another application, strangers except in these operations', () => {
    const allowedRows = (principal: Principal) =>
      matrix.filter(([one, request]) => isAllowed(operationOf(one), request, principal));
    const foreign = new Set(allowedRows(user({ of: '2' })));
    const more = new Set(
      allowedRows(limitedTo('8'))
        .filter((one) => !foreign.has(one))
        .map(([one]) => one),
    );
    assert.deepEqual([...more].sort(), [
      'application.list',
      'device.list',
      'deviceCount.get',
      'devicePlace.list',
      'multicastGroup.list',
      'organization.get',
      'trash.list',
      'view.create',
      'view.list',
    ]);
  });

  it('have, limited to an application, rights for records of applications only', () => {
    const more = [...allowedTo(limitedTo('7'))].filter((one) => !allowedTo(limitedTo('8')).has(one));
    const subjects = new Set(more.flatMap((one) => operationOf(one).access.cases.map(({ on }) => on)));
    for (const on of ['gateway', 'record', 'job', 'networkServer', 'apiKey', 'user'] as const)
      assert.ok(!subjects.has(on), on);
    assert.ok(more.includes('device.update') && more.includes('deviceQueue.enqueue'));
  });

  it('have no administration beside a limit, whatever is stored', () => {
    const stored = allowedTo(limitedTo('7', { isAdmin: true, isGatewayAdmin: true }));
    assert.deepEqual(stored, allowedTo(limitedTo('7')));
  });

  it('only read, or save views for themselves, as read-only members, whatever is stored', () => {
    const person = user({ role: 'isAdmin' }) as Extract<Principal, { kind: 'user' }>;
    const readOnly = { ...person, memberships: [{ ...person.memberships[0]!, isReadOnly: true }] };
    const reads = [...allowedTo(user({}))].filter((one) => operationOf(one).effect === 'read' || nonMember.has(one));
    assert.deepEqual(
      allowedTo(readOnly),
      new Set([...allowedTo(user({}))].filter((one) => reads.includes(one) || one === 'view.create')),
    );
  });

  it('read, or read and send, but see no root keys, with a key of that access', () => {
    for (const [access, effects] of [
      ['READ', ['read']],
      ['READ_AND_SEND', ['read', 'send']],
    ] as const)
      for (const scope of [
        { isAdmin: true },
        { organizationID: '1' },
        { applicationID: '7', applicationOrganizationID: '1' },
      ]) {
        const isPublic = (one: string) => operationOf(one).access.cases.every(({ allow }) => allow.includes('public'));
        const expected = [...allowedTo(key(scope))].filter(
          (one) =>
            isPublic(one) ||
            (one !== 'device.getKeys' && (effects as readonly string[]).includes(operationOf(one).effect)),
        );
        assert.deepEqual(allowedTo(key({ ...scope, access })), new Set(expected));
      }
  });

  it('read profiles that devices of their applications have', () => {
    const one = operationOf('deviceProfile.get').access.cases[0]!;
    const facts = { ...ofOrganization, usedBy: ['7'] };
    assert.equal(decide(limitedTo('7'), 'read', one, facts), 'allowed');
    assert.equal(decide(limitedTo('8'), 'read', one, facts), 'forbidden');
    const update = operationOf('deviceProfile.update').access.cases[0]!;
    assert.equal(decide(limitedTo('7'), 'change', update, facts), 'forbidden');
  });
});
