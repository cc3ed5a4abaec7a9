/** Test vectors of the codec of a device-profile: payloads with the result that the codec must have. Ours. */
import { applicationReaders, deviceAdmins, only } from './access.ts';
import { type CodecRunResult, codecPayload } from './codec-run.ts';
import { get, ownOperationsOf, put } from './operation.ts';
import { noControlCharacters } from './rules.ts';
import { isSameJSON } from './same-json.ts';
import { list, listOf, message, text, timestamp, uuid, type ValueOf } from './wire.ts';

export const CodecVector = message('hilltop.CodecVector', {
  name: text({ ...noControlCharacters, label: 'Name', required: true, maxLength: 200 }),
  ...codecPayload,
  errors: list(text({ maxLength: 1024 }), {
    label: 'Errors',
    help: 'The `errors` that the codec must return instead of a result.',
    maxEntries: 10,
  }),
  receivedAt: timestamp({ label: 'Received' }),
});
export type CodecVector = ValueOf<typeof CodecVector>;

const oneProfile = { deviceProfileID: uuid({ required: true }) } as const;
const vectors = listOf(CodecVector, { label: 'Test vectors', maxEntries: 200 });

export const codecVector = ownOperationsOf('codecVector', {
  list: get('/api/device-profiles/{device_profile_id}/codec-vectors', {
    summary: 'List the test vectors of the codec of a device-profile',
    request: message('hilltop.ListCodecVectorsRequest', oneProfile),
    response: message('hilltop.ListCodecVectorsResponse', { vectors }),
    access: only('deviceProfile', 'deviceProfileID', applicationReaders),
  }),
  replace: put('/api/device-profiles/{device_profile_id}/codec-vectors', {
    summary: 'Replace all test vectors of the codec of a device-profile',
    request: message('hilltop.ReplaceCodecVectorsRequest', { ...oneProfile, vectors }),
    access: only('deviceProfile', 'deviceProfileID', deviceAdmins),
  }),
});

/**
 * Why a result is not the one of its vector; empty when it is. An uplink must have the object of the vector, a downlink
 * its bytes, and its port unless that is 0.
 */
export function vectorProblem(vector: CodecVector, result: CodecRunResult): string {
  if (vector.errors.length > 0) {
    return isSameJSON(vector.errors, result.errors)
      ? ''
      : `The codec must return the errors ${JSON.stringify(vector.errors)}.`;
  }
  if (result.error !== '') return result.error;
  if (vector.direction === 'UPLINK') {
    return isSameJSON(parsed(vector.objectJSON), parsed(result.objectJSON)) ? '' : 'The object differs.';
  }
  if ((vector.data ?? '') !== (result.data ?? '')) return 'The bytes differ.';
  return vector.fPort === 0 || vector.fPort === result.fPort ? '' : `The port is ${result.fPort}.`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
