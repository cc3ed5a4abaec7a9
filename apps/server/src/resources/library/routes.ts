import { type Operations, refusal } from '@hilltop/contract';
import { createFileReader } from '../../device-library/read.ts';
import type { Context, Handlers } from '../../http/call.ts';
import { ownerOf } from '../codec/run.ts';
import { deviceProfiles } from '../device-profile/store.ts';
import { countPassing } from './count-passing.ts';
import { applyUpdate, createFromModel, findUpdate } from './derived-profile.ts';
import { createLibraryInstaller, type LibraryInstallerDependencies } from './install.ts';
import { listModels } from './list.ts';
import { type LibraryModelsDependencies, type LoadedFirmware, loadModel, toLibraryModel } from './models.ts';
import { loadLibrary, publishedRow } from './store.ts';
import { isOutdated, listUses, updateEach } from './uses.ts';

type LibraryRoutesDependencies = LibraryInstallerDependencies & LibraryModelsDependencies;

/** The device library, and the device-profiles that are created from its models. */
export function libraryRoutes(needs: LibraryRoutesDependencies): Handlers<Operations['library']> {
  const { database, config } = needs;
  const installer = createLibraryInstaller(needs);
  /** The test vectors of a published device-profile change with it, so they run when it is read. */
  const runOwnVectors = async (firmware: LoadedFirmware, { principal }: Context): Promise<LoadedFirmware> => {
    const { payloadCodec: codec, payloadDecoderScript, payloadEncoderScript, vectors } = firmware;
    const scripts = { codec, decoderScript: payloadDecoderScript, encoderScript: payloadEncoderScript };
    const context = { owner: ownerOf(principal), now: needs.clock.now() };
    return { ...firmware, passCount: await countPassing(needs.codecs, scripts, vectors, context) };
  };
  return {
    get: () => loadLibrary(database, config.deviceLibraryURL),
    install: () => installer.installFromAddress(),
    upload: ({ name, file }) => installer.installFromFile(name || 'upload', Buffer.from(file ?? '', 'base64')),

    listModels: (filter) => listModels(database, filter),
    getModel: async ({ id }, context) => {
      const model = await loadModel(needs, id, context);
      const { source, firmwares } = model;
      const tested =
        source === 'INSTALLATION' ? await Promise.all(firmwares.map((one) => runOwnVectors(one, context))) : firmwares;
      return { model: toLibraryModel({ ...model, firmwares: tested }) };
    },

    publish: async ({ deviceProfileID, ...described }) => {
      await deviceProfiles.load(database, deviceProfileID);
      const row = publishedRow(deviceProfileID, described);
      const { id, ...changes } = row;
      await database.query
        .insertInto('library_model')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
        .execute();
      return { id };
    },
    withdraw: async ({ id }) => {
      await database.query
        .deleteFrom('library_model')
        .where('id', '=', id)
        .where('device_profile_id', 'is not', null)
        .execute();
      return {};
    },

    createProfile: async (request, context) => ({ id: await createFromModel(needs, request, context) }),
    listProfiles: async ({ modelID, limit, offset }, context) => {
      const model = await loadModel(needs, modelID, context);
      const uses = await listUses(database, modelID);
      const rows = uses.map(({ use, ...row }) => ({ ...row, isUpdateAvailable: isOutdated(model, use) }));
      const sorted = rows.toSorted((one, other) => Number(other.isUpdateAvailable) - Number(one.isUpdateAvailable));
      return {
        totalCount: String(rows.length),
        updateCount: String(rows.filter((row) => row.isUpdateAvailable).length),
        result: sorted.slice(offset, offset + limit),
      };
    },
    updateProfiles: async ({ modelID, deviceProfileIDs }, context) =>
      updateEach(needs, modelID, deviceProfileIDs, context),

    getUpdate: ({ deviceProfileID }, context) => findUpdate(needs, deviceProfileID, context),
    applyUpdate: async ({ deviceProfileID }, context) => {
      await applyUpdate(needs, deviceProfileID, context);
      return {};
    },
  };
}

/** Reads the files of a codec that a user imports. */
export function codecImportRoutes(): Handlers<Operations['codecImport']> {
  const reader = createFileReader();
  return {
    create: async ({ files, zip }) => {
      if (files.length === 0 && !zip) throw refusal('FILES_UNUSABLE', { problem: 'There are no files. Choose some.' });
      const read = await reader.readCodec({ files, zip: zip ? Buffer.from(zip, 'base64') : null });
      return { ...read, vectors: [...read.vectors], remarks: [...read.remarks] };
    },
  };
}
