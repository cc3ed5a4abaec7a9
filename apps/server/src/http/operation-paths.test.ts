import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allOperations, type Operation, pathParameters, routePath } from '@hilltop/contract';
import { OperationPaths } from './operation-paths.ts';

const unary = allOperations.filter(({ stream }) => !stream);
const paths = new OperationPaths(unary);
const keyOf = (method: string, url: string) => paths.find(method, url)?.operation.key;

describe('the operation of an address', () => {
  it('is each operation at its own path, with the values of its parameters in order', () => {
    for (const operation of unary) {
      const values = pathParameters(operation).map((_, nth) => `value ${nth}/é%`);
      const url = routePath(operation).replace(/:p(\d+)/g, (_, nth) => encodeURIComponent(values[Number(nth)]!));
      assert.deepEqual(paths.find(operation.method, `${url}?a=%2F#x`), { operation, values }, operation.key);
    }
  });

  it('is that of GET for HEAD, and none for another method', () => {
    assert.equal(keyOf('HEAD', '/api/devices/0102030405060708'), 'device.get');
    assert.equal(keyOf('PATCH', '/api/devices/0102030405060708'), undefined);
  });

  it('has fixed segments before parameters, and tries the parameter when they lead nowhere', () => {
    const made = ['/api/things/all/counts', '/api/things/{id}/counts', '/api/things/{id}/state'];
    const some = new OperationPaths(made.map((path) => ({ method: 'GET', path }) as Operation));
    const found = (url: string) => [some.find('GET', url)?.operation.path, some.find('GET', url)?.values];
    assert.deepEqual(found('/api/things/all/counts'), [made[0], []]);
    assert.deepEqual(found('/api/things/1/counts'), [made[1], ['1']]);
    assert.deepEqual(found('/api/things/all/state'), [made[2], ['all']]);
  });

  it('is none where a segment is missing, added or malformed; an empty value is for the contract to refuse', () => {
    for (const url of [
      '/api/',
      '/api/devices/',
      '/api/devices//keys/x',
      '/api/devices/%zz',
      '/swagger',
      '/api/nothing',
    ])
      assert.equal(keyOf('GET', url) === undefined || url === '/api/devices/', true, url);
    assert.deepEqual(paths.find('GET', '/api/devices/')?.values, ['']);
  });
});
