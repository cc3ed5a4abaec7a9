/** Devices and gateways from a file: CSV or XLSX. Ours: the recorded API creates them one by one. */
import { deviceAdmins, first, only } from './access.ts';
import { Device, DeviceActivation, DeviceKeys } from './device.ts';
import { Gateway, gateway } from './gateway.ts';
import { importLimits } from './import-limits.ts';
import { Location } from './location.ts';
import { get, ownOperationsOf, page, post, put, remove } from './operation.ts';
import { noControlCharacters } from './rules.ts';
import {
  bool,
  bytes,
  count,
  enumeration,
  type Field,
  int64,
  list,
  listOf,
  map,
  message,
  oneOf,
  optional,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const kinds = ['DEVICES', 'GATEWAYS'] as const;
const FileImportKind = enumeration('hilltop.FileImportKind', kinds);
export type FileImportKind = (typeof kinds)[number];

const { devEUI, name, description, isDisabled, skipFCntCheck, referenceAltitude } = Device.fields;
const { latitude, longitude, altitude } = Location.fields;
const { nwkKey, appKey } = DeviceKeys.fields;
const { devEUI: _sameDevice, ...session } = DeviceActivation.fields;
const nameOrID = { help: 'Its name or ID.' } as const;

/** What a column of a file can be, in the order of an exported file; further ones are `tag.<name>` and `var.<name>`. */
export const importFields = {
  DEVICES: {
    devEUI,
    name,
    description,
    application: text({ ...nameOrID, label: 'Application' }),
    deviceProfile: text({ ...nameOrID, label: 'Device-profile' }),
    isDisabled,
    skipFCntCheck,
    referenceAltitude,
    latitude,
    longitude,
    altitude,
    nwkKey,
    appKey,
    joinNonce: uint32({
      label: 'JoinNonce',
      help: 'The last one that was used. LoRaWAN 1.1 devices want a higher one.',
    }),
    devNonces: text({
      label: 'DevNonces',
      help: 'A JoinEUI and the DevNonces that were used with it: 0102030405060708 1 2 3.',
    }),
    ...session,
    lastFCntUp: uint32({ label: 'Last uplink frame-counter', help: 'One less than the frame-counter.' }),
    lastNFCntDown: uint32({ label: 'Last downlink frame-counter (network)', help: 'One less than the frame-counter.' }),
    lastAFCntDown: uint32({
      label: 'Last downlink frame-counter (application)',
      help: 'One less than the frame-counter.',
    }),
    onboardingTag: text({ label: 'Onboarding tag', help: 'The text of a QR code (TR005) with the DevEUI.' }),
  },
  GATEWAYS: {
    id: Gateway.fields.id,
    name: Gateway.fields.name,
    description: Gateway.fields.description,
    networkServer: text({ ...nameOrID, label: 'Network-server' }),
    gatewayProfile: text({ ...nameOrID, label: 'Gateway-profile' }),
    serviceProfile: text({ ...nameOrID, label: 'Service-profile' }),
    discoveryEnabled: Gateway.fields.discoveryEnabled,
    latitude,
    longitude,
    altitude,
  },
} as const satisfies Record<FileImportKind, Readonly<Record<string, Field>>>;

/** The field that identifies a record. */
export const importKeys = { DEVICES: 'devEUI', GATEWAYS: 'id' } as const satisfies Record<FileImportKind, string>;

/** Columns whose names begin so hold entries of a map, such as `tag.floor`. */
export const importMaps = {
  DEVICES: { tag: Device.fields.tags, var: Device.fields.variables },
  GATEWAYS: { tag: Gateway.fields.tags },
} as const satisfies Record<FileImportKind, Readonly<Record<string, Field>>>;

/**
 * An empty cell is no value. A new record then has none; `UPDATE` leaves the value of an existing record as it is,
 * `REPLACE` removes a description, tag, variable or position, so that the record equals the row.
 */
const existing = ['REFUSE', 'SKIP', 'UPDATE', 'REPLACE'] as const;
const WhenExists = enumeration('hilltop.WhenExists', existing);

const cell = { maxLength: 4096 } as const;
const fieldName = text({ label: 'Field', maxLength: 140, help: 'Empty: the column is not used.' });
const isReversed = bool({
  label: 'Byte order reversed',
  help: 'The file has the last byte of each EUI first (LSB first).',
});

/** How the rows of a file become records. */
const plan = {
  constants: map('text', text(cell), {
    label: 'Values for all rows',
    help: 'By field: where a row has no value of its own.',
    maxEntries: 100,
    maxNameLength: 140,
  }),
  namePattern: text({
    ...noControlCharacters,
    label: 'Name pattern',
    help: 'The name of rows that have none: meter-{devEUI:-4} ends in the last four digits of the DevEUI.',
    maxLength: 100,
  }),
  whenExists: oneOf(WhenExists, {
    label: 'Records that exist already',
    help: 'UPDATE: an empty cell changes nothing. REPLACE: it removes a description, tag, variable or position.',
  }),
} as const;

const FileImportColumn = message('hilltop.FileImportColumn', {
  name: text({ label: 'Column' }),
  samples: list(text(), { label: 'First values' }),
  field: fieldName,
  isReversed,
});

const FileImportCheck = message('hilltop.FileImportCheck', {
  createCount: count({ label: 'Will be created' }),
  updateCount: count({ label: 'Will be updated' }),
  skipCount: count({ label: 'Exist already and are skipped' }),
  problemCount: count({ label: 'Have problems' }),
});

const FileImportField = message('hilltop.FileImportField', {
  name: text({ label: 'Name', help: 'For columns and constants. tag.<name> and var.<name> are fields as well.' }),
  label: text({ label: 'Label' }),
  help: text({ label: 'Help' }),
  isConstant: bool({ label: 'May be the same in all rows' }),
});

export const FileImport = message('hilltop.FileImport', {
  id: text({ label: 'Import ID' }),
  organizationID: int64({ label: 'Organization' }),
  kind: oneOf(FileImportKind, { label: 'Kind' }),
  createdAt: timestamp({ label: 'Created' }),
  expiresAt: timestamp({ label: 'Removed', help: 'Rows that were not imported until then are removed.' }),
  fileName: text({ label: 'File name', help: 'Empty: no file was sent yet.' }),
  rowCount: count({ label: 'Rows' }),
  columns: listOf(FileImportColumn, { label: 'Columns' }),
  fields: listOf(FileImportField, { label: 'Fields', help: 'What a column can be.' }),
  ...plan,
  check: optional(FileImportCheck, { label: 'Check', help: 'Unset until the columns are set.' }),
  jobID: text({ label: 'Job', help: 'Empty: the import has not been started.' }),
});
export type FileImport = ValueOf<typeof FileImport>;

const FileImportRow = message('hilltop.FileImportRow', {
  number: count({ label: 'Row', help: 'Its number in the file; the first one has the names of the columns.' }),
  cells: list(text(), { label: 'Values' }),
  problems: listOf(
    message('hilltop.FileImportProblem', {
      field: text({ label: 'Field', help: 'Empty: the whole row.' }),
      text: text({ label: 'Problem' }),
    }),
    { label: 'Problems' },
  ),
});
export type FileImportRow = ValueOf<typeof FileImportRow>;

const oneImport = { id: uuid({ label: 'Import', required: true }) } as const;
/** The kind of an import decides which of the two; only its uploader may use it. */
const importers = [...deviceAdmins, 'gatewayAdmin'] as const;
const useImport = only('record', 'id', importers);

export const UploadImportRequest = message('hilltop.UploadImportRequest', {
  ...oneImport,
  name: text({ ...noControlCharacters, label: 'File name', maxLength: 200 }),
  file: bytes({ label: 'File', required: true, maxBytes: importLimits.fileBytes }),
});

export const UpdateImportRequest = message('hilltop.UpdateImportRequest', {
  ...oneImport,
  columns: listOf(message('hilltop.FileImportColumnPlan', { field: fieldName, isReversed }), {
    label: 'Columns',
    help: 'One for each column of the file, in its order.',
    maxEntries: importLimits.columns,
  }),
  ...plan,
});

/** Imports live for a day. */
export const fileImport = ownOperationsOf('fileImport', {
  create: post('/api/imports', {
    summary: 'Create an import of devices or gateways from a file',
    request: message('hilltop.CreateImportRequest', {
      organizationID: int64({ label: 'Organization', required: true }),
      kind: oneOf(FileImportKind, { label: 'Kind' }),
    }),
    response: FileImport,
    access: only('organization', 'organizationID', importers),
  }),
  upload: put('/api/imports/{id}/file', {
    summary: 'Send the file of an import, CSV or XLSX, and get its columns with the fields that their names suggest',
    request: UploadImportRequest,
    response: FileImport,
    access: useImport,
    // The file as base64, and the rest of the message.
    largestBody: Math.ceil(importLimits.fileBytes / 3) * 4 + 1024,
  }),
  update: put('/api/imports/{id}', {
    summary: 'Set the columns of an import and check each of its rows; nothing is created',
    request: UpdateImportRequest,
    response: FileImport,
    access: useImport,
  }),
  get: get('/api/imports/{id}', {
    summary: 'Get an import',
    request: message('hilltop.GetImportRequest', oneImport),
    response: FileImport,
    access: useImport,
  }),
  listRows: get('/api/imports/{id}/rows', {
    summary: 'List the rows of an import that have not been imported, with their problems',
    request: message('hilltop.ListImportRowsRequest', {
      ...oneImport,
      problemsOnly: bool({ label: 'Only rows with problems' }),
      ...page,
    }),
    response: message('hilltop.ListImportRowsResponse', { totalCount: int64(), result: listOf(FileImportRow) }),
    access: useImport,
  }),
  start: post('/api/imports/{id}/start', {
    summary: 'Import the rows without problems, as a job',
    request: message('hilltop.StartImportRequest', oneImport),
    response: message('hilltop.StartImportResponse', { jobID: text({ label: 'Job' }) }),
    access: useImport,
  }),
  delete: remove('/api/imports/{id}', {
    summary: 'Delete an import with its rows; what it has created stays',
    request: message('hilltop.DeleteImportRequest', oneImport),
    access: useImport,
  }),
});

/** Who may import records of each kind into an organization. */
export const importAccess = {
  DEVICES: only('organization', 'organizationID', deviceAdmins),
  GATEWAYS: first(
    ...gateway.create.access.cases.map((one) => ({
      ...one,
      of: 'organizationID',
      needs: ['canHaveGateways' as const],
    })),
  ),
};
