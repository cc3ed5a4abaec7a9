/** Fields that several kinds share. */
import { enumeration, int64, oneOf } from '../wire.ts';

export const applicationID = int64({ label: 'Application ID', required: true });

const Marshaler = enumeration('api.Marshaler', ['JSON', 'PROTOBUF', 'JSON_V3']);

export const marshaler = oneOf(Marshaler, {
  label: 'Payload encoding',
  help: 'The encoding of events. The legacy JSON has hexadecimal identifiers.',
  choices: [
    { value: 'JSON', label: 'JSON' },
    { value: 'PROTOBUF', label: 'Protocol Buffers' },
    { value: 'JSON_V3', label: 'JSON (legacy)' },
  ],
});

/** Text of one line: a line break could inject a header or another line into a request. */
export const oneLine = { pattern: '^[^\\r\\n]*$', message: 'Line breaks are not allowed.' } as const;
