import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ApiError,
  alreadyExists,
  atField,
  errorBody,
  inUse,
  invalidFields,
  notFound,
  passedOn,
  reasons,
  refusal,
  statuses,
  statusOfCode,
  streamErrorBody,
  unauthenticated,
} from './errors.ts';

/** The detail that every error has. */
function infoOf(error: ApiError) {
  const info = errorBody(error).details.at(-1)!;
  assert.ok('reason' in info);
  return info;
}

describe('errors', () => {
  it('quote only the beginning of long values', () => {
    assert.ok(notFound('user', 'x'.repeat(5000)).message.length < 150);
    assert.equal(notFound('user', '7').message, 'There is no user 7.');
  });

  const table = [
    [notFound('service-profile', 'x'), 5, 404],
    [alreadyExists('application', { field: 'application.name', called: 'name' }), 6, 409],
    [inUse('service-profile', 'applications'), 9, 400],
    [refusal('LIMIT_REACHED', { limit: '2 devices' }), 9, 400],
    [refusal('NO_LOCATION'), 3, 400],
    [refusal('PERMISSION_DENIED'), 7, 403],
    [unauthenticated(), 16, 401],
    [refusal('TOO_MANY', { what: 'calls', seconds: 3 }), 8, 429],
    [refusal('DATABASE_BUSY'), 14, 503],
    [refusal('INTERNAL'), 13, 500],
  ] as const;
  for (const [error, code, http] of table) {
    it(`${error.status} is ${code} and HTTP ${http}`, () => {
      const { details: _, ...body } = errorBody(error);
      assert.deepEqual(body, { error: error.message, code, message: error.message });
      assert.equal(error.httpStatus, http);
      assert.match(error.message, /^[A-Z][^{}]*\.$/);
    });
  }

  it('have reasons with a stable spelling, and complete sentences', () => {
    for (const [reason, [, sentence]] of Object.entries(reasons)) {
      assert.match(reason, /^[A-Z][A-Z0-9_]+[A-Z0-9]$/);
      assert.match(sentence, /^(\{\w+\}|[A-Z{].*\.)$/);
    }
  });

  it('contain their reason with its parameters beside the sentence', () => {
    const error = refusal('TOO_MANY', { what: 'calls', seconds: 3 });
    assert.equal(error.message, 'Too many calls. Try again in 3 s.');
    assert.deepEqual(errorBody(error).details, [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TOO_MANY',
        domain: 'hilltop',
        metadata: { what: 'calls', seconds: '3' },
      },
    ]);
    assert.deepEqual(infoOf(atField('id', refusal('OWN_ACCOUNT'))).reason, 'OWN_ACCOUNT');
    assert.deepEqual(infoOf(invalidFields([])).reason, 'INVALID_FIELDS');
  });

  it('quote values of callers unchanged, including braces', () => {
    assert.equal(notFound('user', '{resource}').message, 'There is no user {resource}.');
  });

  it('pass on the refusal of a network-server, with its status or the recorded one', () => {
    const failure = { number: 5, message: 'no such device' };
    assert.deepEqual([passedOn(failure).code, passedOn(failure).message], [5, 'no such device']);
    assert.equal(passedOn(failure, 'Internal').code, 13);
    assert.equal(infoOf(passedOn(failure)).reason, 'NETWORK_SERVER');
  });

  it('have a sentence without a field when the whole request is wrong', () => {
    const problem = { field: '', description: 'The body must be a JSON object.' };
    const { message, fieldViolations } = invalidFields([problem]);
    assert.deepEqual([message, fieldViolations], ['The body must be a JSON object.', [problem]]);
  });

  it('name the field in the details', () => {
    assert.deepEqual(errorBody(invalidFields([{ field: 'device.name', description: 'Must be given.' }])).details[0], {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'device.name', description: 'Must be given.' }],
    });
    assert.equal(errorBody(notFound('device', 'x')).details.length, 1);
  });

  it('name the existing value, at the field that repeats it', () => {
    const taken = alreadyExists('application', { field: 'application.name', called: 'name' });
    assert.equal(taken.message, 'Another application has this name already.');
    assert.deepEqual(taken.fieldViolations, [{ field: 'application.name', description: taken.message }]);
    assert.equal(alreadyExists('user').message, 'This user exists already.');
  });

  it('have the shape of a stream error', () => {
    const error = unauthenticated();
    assert.deepEqual(streamErrorBody(error), {
      error: {
        grpcCode: 16,
        httpCode: 401,
        message: error.message,
        httpStatus: 'Unauthorized',
        details: [infoOf(error)],
      },
    });
  });

  it('know the status of every number', () => {
    for (const [name, { code }] of Object.entries(statuses)) assert.equal(statusOfCode(code), name);
    assert.equal(statusOfCode(99), 'Unknown');
  });
});
