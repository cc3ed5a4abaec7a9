/** Files too large for one answer: a link, then the file itself. Ours: the recorded API has no files. */
import { globally } from './access.ts';
import { history } from './history.ts';
import { type Operation, ownOperationsOf, post } from './operation.ts';
import { enumeration, message, oneOf, text, timestamp } from './wire.ts';

const formats = ['NDJSON', 'CSV', 'JSON'] as const;
const DownloadFormat = enumeration('hilltop.DownloadFormat', formats);
export type DownloadFormatName = (typeof formats)[number];

interface DownloadKind {
  /** Its request is that of the download, and its access rule decides who may download. */
  readonly operation: Operation;
  readonly formats: readonly DownloadFormatName[];
}

/** What can be downloaded. */
export const downloadKinds = {
  /** The events of a device that match the filter of the request. */
  HISTORY: { operation: history.list, formats: ['NDJSON', 'CSV'] },
  /** The device with its profile, newest events and gateways, for support. */
  DIAGNOSIS: { operation: history.list, formats: ['JSON'] },
} as const satisfies Record<string, DownloadKind>;
export type DownloadKindName = keyof typeof downloadKinds;

const kindNames = Object.keys(downloadKinds) as DownloadKindName[];
const DownloadKind = enumeration('hilltop.DownloadKind', kindNames);

export const download = ownOperationsOf('download', {
  create: post('/api/downloads', {
    summary: 'Create a link to a file, which GET returns once',
    request: message('hilltop.CreateDownloadRequest', {
      kind: oneOf(DownloadKind, { label: 'Kind' }),
      requestJSON: text({
        label: 'Request',
        help: 'The request of the operation of this kind as JSON: of HISTORY and DIAGNOSIS, GET /api/devices/{dev_eui}/history.',
        maxLength: 10_000,
      }),
      format: oneOf(DownloadFormat, { label: 'Format' }),
    }),
    response: message('hilltop.CreateDownloadResponse', {
      url: text({ label: 'Link', help: 'Relative to this server. GET returns the file without a token, once.' }),
      expiresAt: timestamp({ label: 'Expires' }),
    }),
    access: globally('anyUser', 'anyKey'),
  }),
});
