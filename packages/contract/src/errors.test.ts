import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  alreadyExists,
  errorBody,
  failedPrecondition,
  internal,
  inUse,
  invalid,
  notFound,
  permissionDenied,
  statuses,
  statusOfCode,
  streamErrorBody,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unimplemented,
} from './errors.ts';

describe('errors', () => {
  it('quote only the beginning of what is long', () => {
    assert.ok(notFound('user', 'x'.repeat(5000)).message.length < 150);
    assert.equal(notFound('user', '7').message, 'There is no user 7.');
  });

  const table = [
    [notFound('service-profile', 'x'), 5, 404],
    [alreadyExists('application', { field: 'application.name', called: 'name' }), 6, 409],
    [inUse('service-profile', 'applications'), 9, 400],
    [failedPrecondition('The limit is reached.'), 9, 400],
    [invalid('name', 'The name is taken.'), 3, 400],
    [permissionDenied(), 7, 403],
    [unauthenticated(), 16, 401],
    [tooManyRequests('Wait a minute.'), 8, 429],
    [unimplemented('Not offered.'), 12, 501],
    [unavailable('Not reachable.'), 14, 503],
    [internal(), 13, 500],
  ] as const;
  for (const [error, code, http] of table) {
    it(`${error.status} is ${code} and HTTP ${http}`, () => {
      const { details: _, ...body } = errorBody(error);
      assert.deepEqual(body, { error: error.message, code, message: error.message });
      assert.equal(error.httpStatus, http);
      assert.match(error.message, /^[A-Z].*\.$/);
    });
  }

  it('name the field in the details', () => {
    assert.deepEqual(errorBody(invalid('device.name', 'Must be given.')).details, [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'device.name', description: 'Must be given.' }],
      },
    ]);
    assert.deepEqual(errorBody(notFound('device')).details, []);
  });

  it('say what exists already, at the field that says it again', () => {
    const taken = alreadyExists('application', { field: 'application.name', called: 'name' });
    assert.equal(taken.message, 'An application with this name exists already.');
    assert.deepEqual(taken.fieldViolations, [{ field: 'application.name', description: taken.message }]);
    assert.equal(alreadyExists('user').message, 'A user exists already.');
  });

  it('have the shape of a stream error', () => {
    assert.deepEqual(streamErrorBody(unauthenticated('No session.')), {
      error: { grpcCode: 16, httpCode: 401, message: 'No session.', httpStatus: 'Unauthorized', details: [] },
    });
  });

  it('know the status of every number', () => {
    for (const [name, { code }] of Object.entries(statuses)) assert.equal(statusOfCode(code), name);
    assert.equal(statusOfCode(99), 'Unknown');
  });
});
