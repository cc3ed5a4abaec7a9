/** The device library: models from which device-profiles are created. Ours: the recorded API has no library. */
import { admins, deviceAdmins, globally, listersOfOwn, only, organizationReaders } from './access.ts';
import { CodecVector } from './codec-vector.ts';
import { DeviceProfile } from './device-profile.ts';
import { get, ownOperationsOf, page, post, put, remove } from './operation.ts';
import { description, noControlCharacters, plainName, shortText } from './rules.ts';
import {
  bool,
  bytes,
  count,
  enumeration,
  int64,
  list,
  listOf,
  message,
  needed,
  oneOf,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

/** The most bytes of a ZIP file of the library. */
export const largestLibraryFile = 8 * 2 ** 20;

/**
 * CATALOGUE: from the installed library. GENERIC: part of the server. INSTALLATION: a device-profile that a global
 * administrator has published.
 */
const sources = ['CATALOGUE', 'GENERIC', 'INSTALLATION'] as const;
const LibrarySource = enumeration('hilltop.LibrarySource', sources);

const vectorCounts = {
  vectorCount: uint32({ label: 'Test vectors' }),
  passCount: uint32({ label: 'Test vectors that pass' }),
} as const;

const modelFields = {
  id: text({ label: 'Model ID' }),
  source: oneOf(LibrarySource, { label: 'Source' }),
  vendor: text({ label: 'Vendor' }),
  name: text({ label: 'Model' }),
  description: text({ label: 'Description' }),
  vendorID: uint32({ label: 'Vendor ID', help: 'Assigned by the LoRa Alliance; 0 for none.' }),
  regions: list(text(), { label: 'Regions', help: 'Empty: fits every region.' }),
  ...vectorCounts,
} as const;

export const LibraryModelListItem = message('hilltop.LibraryModelListItem', modelFields);
export type LibraryModelListItem = ValueOf<typeof LibraryModelListItem>;

const LibraryModelProfile = message('hilltop.LibraryModelProfile', {
  id: text({ label: 'Profile' }),
  region: text({ label: 'Region', help: 'Empty: fits every region.' }),
  vendorProfileID: uint32({ label: 'Profile ID of the vendor' }),
  deviceProfile: needed(DeviceProfile, { help: 'What the model declares; the rest is usual in the region.' }),
});

const LibraryFirmware = message('hilltop.LibraryFirmware', {
  version: text({ label: 'Firmware' }),
  payloadCodec: text({ label: 'Payload codec' }),
  payloadDecoderScript: text({ label: 'Decoder' }),
  payloadEncoderScript: text({ label: 'Encoder' }),
  copyright: text({ label: 'Copyright', help: 'What the script says about copyright and licence.' }),
  ...vectorCounts,
  vectors: listOf(CodecVector, { label: 'Test vectors' }),
  profiles: listOf(LibraryModelProfile, { label: 'Profiles' }),
});

export const LibraryModel = message('hilltop.LibraryModel', {
  ...modelFields,
  homepage: text({ label: 'Home page of the vendor' }),
  productURL: text({ label: 'Product page' }),
  documentationURL: text({ label: 'Documentation' }),
  license: text({ label: 'Licence' }),
  firmwares: listOf(LibraryFirmware, { label: 'Firmware versions', help: 'The newest one is the last.' }),
});
export type LibraryModel = ValueOf<typeof LibraryModel>;

const LibraryVendor = message('hilltop.LibraryVendor', {
  id: text(),
  name: text({ label: 'Vendor' }),
  vendorID: uint32({ label: 'Vendor ID' }),
  homepage: text({ label: 'Home page' }),
  license: text({ label: 'Licence', help: 'Empty: the licence of the library.' }),
  copyright: text({ label: 'Copyright', help: 'What its scripts say about copyright and licence.' }),
  modelCount: count({ label: 'Models' }),
  ...vectorCounts,
});

const FileProblem = message('hilltop.FileProblem', {
  file: text({ label: 'File' }),
  line: uint32({ label: 'Line', help: '0 when no line is at fault.' }),
  text: text({ label: 'Problem' }),
});

const LibraryChanges = message('hilltop.LibraryChanges', {
  added: list(text(), { label: 'Added' }),
  changed: list(text(), { label: 'Changed' }),
  removed: list(text(), { label: 'Removed' }),
});

export const Library = message('hilltop.Library', {
  address: text({ label: 'Address', help: 'Where updates are downloaded; empty: never.' }),
  version: text({ label: 'Version', help: 'Empty: no library is installed.' }),
  installedAt: timestamp({ label: 'Installed' }),
  source: text({ label: 'Source', help: 'The address, or the name of the uploaded file.' }),
  license: text({ label: 'Licence' }),
  modelCount: count({ label: 'Models' }),
  ...vectorCounts,
  vendors: listOf(LibraryVendor, { label: 'Vendors' }),
  changes: needed(LibraryChanges, {
    label: 'Changes',
    help: 'Models that the last installation changed; the first 100 of each.',
  }),
  problemCount: count({ label: 'Problems' }),
  problems: listOf(FileProblem, { label: 'Problems', help: 'What was skipped; the first 500.' }),
});
export type Library = ValueOf<typeof Library>;

export const LibraryProfileChange = message('hilltop.LibraryProfileChange', {
  field: text({ help: 'A field of DeviceProfile, or `vectors`.' }),
  before: text({ help: 'Its value in the device-profile.' }),
  after: text({ help: 'Its value in the library.' }),
});
export type LibraryProfileChange = ValueOf<typeof LibraryProfileChange>;

export const LibraryUpdate = message('hilltop.LibraryUpdate', {
  modelID: text({ help: 'Empty: the device-profile was not created from a model.' }),
  modelName: text(),
  vendor: text(),
  version: text({ help: 'The firmware version in the library.' }),
  isAvailable: bool({ help: 'The model has changed since the device-profile was created or updated.' }),
  changes: listOf(LibraryProfileChange, { help: 'What an update would change.' }),
});
export type LibraryUpdate = ValueOf<typeof LibraryUpdate>;

export const LibraryProfileUse = message('hilltop.LibraryProfileUse', {
  deviceProfileID: text(),
  name: text({ label: 'Device-profile' }),
  organizationID: int64(),
  organizationName: text({ label: 'Organization' }),
  isUpdateAvailable: bool({ label: 'Update' }),
});
export type LibraryProfileUse = ValueOf<typeof LibraryProfileUse>;

const modelID = text({ label: 'Model', required: true, maxLength: 256 });
const vendorName = text({ ...noControlCharacters, label: 'Vendor', required: true, maxLength: 100 });
const oneProfile = { deviceProfileID: uuid({ label: 'Device-profile', required: true }) } as const;

export const PublishLibraryModelRequest = message('hilltop.PublishLibraryModelRequest', {
  ...oneProfile,
  vendor: vendorName,
  name: text({ ...plainName, label: 'Model' }),
  description: text({ ...description, label: 'Description' }),
});

export const CreateLibraryProfileRequest = message('hilltop.CreateLibraryProfileRequest', {
  organizationID: int64({ label: 'Organization', required: true }),
  networkServerID: int64({ label: 'Network-server', required: true }),
  name: text({ ...plainName, label: 'Device-profile name' }),
  modelID,
  version: text({ label: 'Firmware', maxLength: 100, help: 'Empty: the newest version.' }),
  profileID: text({
    label: 'Profile',
    maxLength: 256,
    help: 'Empty: the first one for the region of the network-server.',
  }),
});

export const UploadLibraryRequest = message('hilltop.UploadLibraryRequest', {
  name: text({ ...noControlCharacters, label: 'File name', maxLength: 200 }),
  file: bytes({ label: 'ZIP file', required: true, maxBytes: largestLibraryFile }),
});

export const library = ownOperationsOf('library', {
  get: get('/api/library', {
    summary: 'Get what the installed device library contains, and what was skipped',
    response: Library,
    access: globally(...admins),
  }),
  install: post('/api/library/updates', {
    summary: 'Download the device library from its address and install it; device-profiles do not change',
    response: Library,
    access: globally(...admins),
  }),
  upload: put('/api/library/file', {
    summary: 'Install the device library from a ZIP file; device-profiles do not change',
    request: UploadLibraryRequest,
    response: Library,
    access: globally(...admins),
    // The file as base64, and the rest of the message.
    largestBody: Math.ceil(largestLibraryFile / 3) * 4 + 1024,
  }),
  listModels: get('/api/library/models', {
    summary: 'Search the device library by vendor and model',
    request: message('hilltop.ListLibraryModelsRequest', {
      ...page,
      search: text({
        ...shortText,
        label: 'Search',
        help: 'Words of vendor, model and description, in any letter case.',
      }),
      vendorID: uint32({ label: 'Vendor ID', max: 0xffff }),
      profileID: uint32({ label: 'Profile ID of the vendor', max: 0xffff }),
      region: text({ label: 'Region', maxLength: 20, help: 'Only models for this region.' }),
      source: text({ label: 'Source', values: sources, help: 'Only models of this source.' }),
    }),
    response: message('hilltop.ListLibraryModelsResponse', {
      totalCount: int64(),
      result: listOf(LibraryModelListItem),
    }),
    access: globally(...listersOfOwn, 'anyKey'),
  }),
  getModel: get('/api/library/models/{id}', {
    summary: 'Get a model with its profiles, codecs and licence',
    request: message('hilltop.GetLibraryModelRequest', { id: modelID }),
    response: message('hilltop.GetLibraryModelResponse', { model: needed(LibraryModel) }),
    access: globally(...listersOfOwn, 'anyKey'),
  }),
  publish: post('/api/library/models', {
    summary: 'Publish a device-profile as a model, from which every organization can create device-profiles',
    request: PublishLibraryModelRequest,
    response: message('hilltop.PublishLibraryModelResponse', { id: text() }),
    access: globally(...admins),
  }),
  withdraw: remove('/api/library/models/{id}', {
    summary: 'Withdraw a published model; the device-profiles that were created from it stay',
    request: message('hilltop.WithdrawLibraryModelRequest', { id: modelID }),
    access: globally(...admins),
  }),
  createProfile: post('/api/library/profiles', {
    summary: 'Create a device-profile from a model, with its codec and test vectors',
    request: CreateLibraryProfileRequest,
    response: message('hilltop.CreateLibraryProfileResponse', { id: text() }),
    access: only('organization', 'organizationID', deviceAdmins),
  }),
  listProfiles: get('/api/library/models/{model_id}/profiles', {
    summary: 'List the device-profiles that were created from a model',
    request: message('hilltop.ListLibraryProfilesRequest', { modelID, ...page }),
    response: message('hilltop.ListLibraryProfilesResponse', {
      totalCount: int64(),
      updateCount: int64({ help: 'Those for which an update is available.' }),
      result: listOf(LibraryProfileUse),
    }),
    access: globally(...admins),
  }),
  updateProfiles: post('/api/library/models/{model_id}/updates', {
    summary: 'Update device-profiles that were created from a model',
    request: message('hilltop.UpdateLibraryProfilesRequest', {
      modelID,
      deviceProfileIDs: list(uuid({ required: true }), { label: 'Device-profiles', required: true, maxEntries: 100 }),
    }),
    response: message('hilltop.UpdateLibraryProfilesResponse', {
      updatedCount: count(),
      problems: listOf(message('hilltop.LibraryProfileProblem', { deviceProfileID: text(), text: text() }), {
        help: 'Device-profiles that could not be updated, and why.',
      }),
    }),
    access: globally(...admins),
  }),
  getUpdate: get('/api/device-profiles/{device_profile_id}/library-update', {
    summary: 'Compare a device-profile with the model it was created from',
    request: message('hilltop.GetLibraryUpdateRequest', oneProfile),
    response: LibraryUpdate,
    access: only('deviceProfile', 'deviceProfileID', organizationReaders),
  }),
  applyUpdate: post('/api/device-profiles/{device_profile_id}/library-update', {
    summary: 'Update a device-profile from the model it was created from',
    request: message('hilltop.ApplyLibraryUpdateRequest', oneProfile),
    access: only('deviceProfile', 'deviceProfileID', deviceAdmins),
  }),
});

export const CreateCodecImportRequest = message('hilltop.CreateCodecImportRequest', {
  organizationID: int64({ label: 'Organization', required: true }),
  files: listOf(
    message('hilltop.CodecFile', {
      name: text({ ...noControlCharacters, label: 'File name', required: true, maxLength: 200 }),
      text: text({ label: 'Content', maxLength: 600_000 }),
    }),
    { label: 'Files', maxEntries: 50 },
  ),
  zip: bytes({ label: 'ZIP file', maxBytes: 700_000, help: 'Instead of files.' }),
});

/** Files that a codec is imported from; the answer is not stored. */
export const codecImport = ownOperationsOf('codecImport', {
  create: post('/api/codec-imports', {
    summary: 'Read the files of a codec in the layout of ChirpStack 4 or The Things Network; nothing is stored',
    request: CreateCodecImportRequest,
    response: message('hilltop.CodecImport', {
      payloadDecoderScript: text(),
      payloadEncoderScript: text({ help: 'Empty: the decoder script has the encoder as well.' }),
      vectors: listOf(CodecVector),
      remarks: listOf(FileProblem, { help: 'What was not used.' }),
    }),
    effect: 'read',
    access: only('organization', 'organizationID', deviceAdmins),
  }),
});
