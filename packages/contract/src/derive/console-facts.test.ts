import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allOperations } from '../operations.ts';
import { consoleFacts } from './console-facts.ts';

describe('console facts', () => {
  it('survive JSON', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(consoleFacts)), consoleFacts);
  });

  it('have the access of every operation', () => {
    assert.deepEqual(Object.keys(consoleFacts.operations).sort(), allOperations.map(({ key }) => key).sort());
  });

  it('contain what a form needs', () => {
    const { Device, Gateway, NetworkServer, GatewayProfile } = consoleFacts.messages;
    assert.equal(Device?.['name']?.form?.message, 'The name may only contain words, numbers and dashes.');
    assert.equal(Device?.['devEUI']?.kind, 'eui64');
    assert.equal(Gateway?.['networkServerID']?.fixed, true);
    assert.equal(Gateway?.['location']?.of, 'Location');
    assert.deepEqual(NetworkServer?.['gatewayDiscoveryInterval']?.requiredWhen, {
      field: 'gatewayDiscoveryEnabled',
      is: true,
    });
    assert.equal(GatewayProfile?.['extraChannels']?.of, 'GatewayProfileExtraChannel');
    assert.equal(GatewayProfile?.['channels']?.items, 'uint32');
  });

  it('label every field of a form', () => {
    const sent = allOperations.filter(({ method }) => method === 'POST' || method === 'PUT');
    const inside = sent.flatMap(({ request }) => Object.values(request.fields).flatMap(({ message }) => message ?? []));
    const forms = [...new Set(inside.map(({ name }) => name.slice(name.lastIndexOf('.') + 1)))];
    assert.ok(forms.includes('ServiceProfile'));
    const unlabelled = forms.flatMap((form) =>
      Object.entries(consoleFacts.messages[form]!)
        .filter(([, { label }]) => !label)
        .map(([field]) => `${form}.${field}`),
    );
    assert.deepEqual(unlabelled, []);
  });

  it('have patterns that a browser can use', () => {
    for (const fields of Object.values(consoleFacts.messages)) {
      for (const { pattern, form } of Object.values(fields)) {
        for (const source of [pattern, form?.pattern]) if (source !== undefined) assert.ok(new RegExp(source, 'v'));
      }
    }
  });
});
