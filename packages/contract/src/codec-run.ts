/** Runs of codecs that are not saved. Ours: in the recorded API, only an uplink or a downlink runs a codec. */
import { deviceAdmins, only } from './access.ts';
import { ownOperationsOf, post } from './operation.ts';
import { noControlCharacters, payloadCodecs, script } from './rules.ts';
import {
  bytes,
  double,
  enumeration,
  int64,
  list,
  listOf,
  map,
  message,
  oneOf,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

/** UPLINK decodes bytes into an object, DOWNLINK encodes an object into bytes. */
export const CodecDirection = enumeration('hilltop.CodecDirection', ['UPLINK', 'DOWNLINK']);

const largestDecodedObject = 65_536;

/** The fields of a payload in both forms. */
export const codecPayload = {
  direction: oneOf(CodecDirection, { label: 'Direction' }),
  fPort: uint32({ label: 'Port', max: 255, help: 'For a downlink, 0 leaves the port to the codec.' }),
  data: bytes({ label: 'Bytes', maxBytes: 1024 }),
  objectJSON: text({ label: 'JSON object', maxLength: largestDecodedObject }),
} as const;

export const CodecRunInput = message('hilltop.CodecRunInput', {
  ...codecPayload,
  receivedAt: timestamp({ label: 'Received', help: 'The `recvTime` of `decodeUplink`; by default the current time.' }),
});
export type CodecRunInput = ValueOf<typeof CodecRunInput>;

export const CodecRunResult = message('hilltop.CodecRunResult', {
  function: text({ help: 'The function that ran: `Decode`, `decodeUplink`, `Encode` or `encodeDownlink`.' }),
  objectJSON: text({ help: 'The decoded object; for a downlink, the object of the request.' }),
  data: bytes({ help: 'The encoded bytes; for an uplink, the bytes of the request.' }),
  fPort: uint32({ help: 'The port: of the request, unless the codec chose another one for a downlink.' }),
  warnings: list(text()),
  errors: list(text(), { help: 'The `errors` that the codec returned.' }),
  quantitiesJSON: text({ help: 'Quantity and unit by name of the decoded value, from `normalizeUplink`.' }),
  console: list(text(), { help: 'The first 100 lines that the script wrote with `console`, up to 4 kB.' }),
  error: text({ help: 'Why there is no result; empty when there is one.' }),
  script: text({ help: 'The script with the error.', values: ['DECODER', 'ENCODER'] }),
  line: uint32({ help: 'The line of the error in its script; 0 when unknown.' }),
  column: uint32({ help: 'The column of the error, from 1.' }),
  ms: double({ help: 'How long the script ran, in milliseconds.' }),
});
export type CodecRunResult = ValueOf<typeof CodecRunResult>;

export const CreateCodecRunRequest = message('hilltop.CreateCodecRunRequest', {
  organizationID: int64({ label: 'Organization', required: true }),
  codec: text({ ...noControlCharacters, label: 'Payload codec', maxLength: 100, choices: payloadCodecs }),
  encoderScript: text({ ...script, label: 'Encoder' }),
  decoderScript: text({ ...script, label: 'Decoder' }),
  variables: map('text', text({ maxLength: 4096 }), { label: 'Variables', maxEntries: 256, maxNameLength: 128 }),
  runs: listOf(CodecRunInput, { label: 'Runs', maxEntries: 50 }),
});
export type CreateCodecRunRequest = ValueOf<typeof CreateCodecRunRequest>;

export const codecRun = ownOperationsOf('codecRun', {
  create: post('/api/codec-runs', {
    summary: 'Run a codec that is not saved on up to 50 payloads; nothing is stored',
    request: CreateCodecRunRequest,
    response: message('hilltop.CreateCodecRunResponse', {
      results: listOf(CodecRunResult, { help: 'One for each run, in the same order.' }),
    }),
    effect: 'read',
    access: only('organization', 'organizationID', deviceAdmins),
  }),
});
