/** Files too large for one answer: a link, then the file itself. Ours: the recorded API has no files. */
import { globally } from './access.ts';
import { audit } from './audit.ts';
import { deviceExport, gatewayExport } from './file-export.ts';
import { fileImport } from './file-import.ts';
import { history } from './history.ts';
import { job } from './job.ts';
import { type Operation, ownOperationsOf, post } from './operation.ts';
import { enumeration, message, oneOf, text, timestamp } from './wire.ts';

const formats = ['NDJSON', 'CSV', 'JSON'] as const;
const DownloadFormat = enumeration('hilltop.DownloadFormat', formats);
export type DownloadFormatName = (typeof formats)[number];

/** An operation of the API, or what only a download does. */
type DownloadOperation = Pick<Operation, 'key' | 'request' | 'access' | 'effect'>;

interface DownloadKind {
  /** Its request is that of the download, and its access rule decides who may download. */
  readonly operation: DownloadOperation;
  readonly formats: readonly DownloadFormatName[];
}

/** What can be downloaded. */
export const downloadKinds = {
  /** The events of a device that match the filter of the request. */
  HISTORY: { operation: history.list, formats: ['NDJSON', 'CSV'] },
  /** The device with its profile, newest events and gateways, for support. */
  DIAGNOSIS: { operation: history.list, formats: ['JSON'] },
  /** The records of a job with their outcome. */
  JOB_ROWS: { operation: job.listRows, formats: ['CSV'] },
  /** Devices with the columns that an import reads. */
  DEVICES: { operation: deviceExport, formats: ['CSV', 'NDJSON'] },
  /** The same for gateways. */
  GATEWAYS: { operation: gatewayExport, formats: ['CSV', 'NDJSON'] },
  /** The rows of an import that were not imported, with a column `error`. */
  IMPORT_ROWS: { operation: fileImport.get, formats: ['CSV'] },
  /** The LoRaWAN frames of a device that match. */
  FRAMES: { operation: history.listFrames, formats: ['NDJSON', 'CSV'] },
  /** The entries of the audit log that match. */
  AUDIT: { operation: audit.list, formats: ['NDJSON', 'CSV'] },
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
        help: 'The request of this kind as JSON: of HISTORY and DIAGNOSIS that of GET /api/devices/{dev_eui}/history, of FRAMES that of GET /api/devices/{dev_eui}/history/frames, of AUDIT that of GET /api/audit, of IMPORT_ROWS that of GET /api/imports/{id}, of DEVICES and GATEWAYS organizationID and selection as in POST /api/jobs, of DEVICES also withKeys and withSessions.',
        // The IDs of some ten thousand selected devices.
        maxLength: 500_000,
      }),
      format: oneOf(DownloadFormat, { label: 'Format' }),
    }),
    response: message('hilltop.CreateDownloadResponse', {
      url: text({ label: 'Link', help: 'Relative to this server. GET returns the file without a token, once.' }),
      expiresAt: timestamp({ label: 'Expires' }),
    }),
    effect: 'read',
    access: globally('anyUser', 'anyKey'),
  }),
});
