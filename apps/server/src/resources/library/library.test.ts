import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { acme, profileFile, testCommit, zipOf } from '../../device-library/testing/test-catalogue.ts';
import { admins, describeAccess, everyUser, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDeviceProfile, createOrganization, createUser, networkServerID } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { library, codecImport, deviceProfile, codecVector } = operations;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const upload = (app: TestApp, files: Readonly<Record<string, string>>) =>
  app.call(library.upload, { name: 'acme.zip', file: base64(zipOf(files)) });
const newerScript = acme['vendors/acme/codecs/thermo.js'].replace('/ 10,', '/ 10 + 0,');
const newer = { ...acme, 'vendors/acme/codecs/thermo.js': newerScript };

for (const database of databases) {
  describe(`the device library on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const find = async (filter: Partial<Parameters<typeof app.call<typeof library.listModels>>[1]>) => {
      const { totalCount, result } = await app.call(library.listModels, { limit: 100, ...filter });
      return { totalCount, ids: result.map(({ id }) => id) };
    };
    const create = (modelID: string, more: object = {}) =>
      app.call(library.createProfile, { organizationID, networkServerID, name: 'made', modelID, ...more });

    it('has generic models before anything is installed', async () => {
      assert.equal((await app.call(library.get, {})).version, '');
      const { totalCount, ids } = await find({ search: 'cayenne 1.0.4' });
      assert.deepEqual([totalCount, ids], ['2', ['generic:a-1.0.4-cayenne', 'generic:c-1.0.4-cayenne']]);
      const { id } = await create('generic:c-1.0.3-cayenne');
      const { deviceProfile: made } = await app.call(deviceProfile.get, { id });
      assert.deepEqual(
        [made.macVersion, made.supportsClassC, made.payloadCodec, made.rxFreq2, made.tags],
        [
          '1.0.3',
          true,
          'CAYENNE_LPP',
          869_525_000,
          { library: 'generic:c-1.0.3-cayenne', vendor: 'Generic', model: 'Class C, LoRaWAN 1.0.3, Cayenne LPP' },
        ],
      );
    });

    it('is installed from an uploaded file and runs its test vectors', async () => {
      const { version, source, license, modelCount, vectorCount, passCount, vendors, changes, problemCount } =
        await upload(app, acme);
      assert.deepEqual(
        [version, source, license, modelCount, vectorCount, passCount, problemCount],
        [testCommit.slice(0, 12), 'acme.zip', acme.LICENSE, 1, 3, 3, 0],
      );
      assert.deepEqual(
        vendors.map(({ name, modelCount: models, copyright }) => [name, models, copyright]),
        [['Acme Sensors', 1, 'Copyright (c) 2026 Acme Sensors. SPDX-License-Identifier: MIT']],
      );
      assert.deepEqual(changes, { added: ['Acme Sensors Thermo 2000'], changed: [], removed: [] });
    });

    it('counts a test vector that fails', async () => {
      const wrong = acme['vendors/acme/codecs/test_decode_thermo.json'].replace('21.4, "port"', '21.5, "port"');
      const { vectorCount, passCount } = await upload(app, {
        ...acme,
        'vendors/acme/codecs/test_decode_thermo.json': wrong,
      });
      assert.deepEqual([vectorCount, passCount], [3, 2]);
      await upload(app, acme);
    });

    it('names a codec that cannot be used with its line', async () => {
      const { problems, passCount } = await upload(app, {
        ...acme,
        'vendors/acme/codecs/thermo.js': 'function decodeUplink(input) {\n  return {',
      });
      assert.deepEqual([problems[0]?.file, problems[0]?.line, passCount], ['vendors/acme/codecs/thermo.js', 2, 0]);
      assert.match(problems[0]!.text, /^The codec cannot be used: /);
      await upload(app, acme);
    });

    it('finds models by words, vendor ID, profile ID and region', async () => {
      const acmeOnly = { totalCount: '1', ids: ['acme:thermo'] };
      assert.deepEqual(await find({ search: 'THERMO acme' }), acmeOnly);
      assert.deepEqual(await find({ vendorID: 613, profileID: 7 }), acmeOnly);
      assert.deepEqual(await find({ vendorID: 613, profileID: 70 }), { totalCount: '0', ids: [] });
      assert.deepEqual(await find({ search: 'thermo', region: 'US915' }), acmeOnly);
      assert.deepEqual(await find({ search: 'thermo', region: 'IN865' }), { totalCount: '0', ids: [] });
      assert.equal((await find({ region: 'IN865' })).totalCount, '14');
      assert.deepEqual(await find({ source: 'CATALOGUE' }), acmeOnly);
      assert.equal((await find({ source: 'GENERIC' })).totalCount, '14');
      assert.equal((await find({ source: 'INSTALLATION' })).totalCount, '0');
    });

    it('returns pages across the sources', async () => {
      const all = await find({});
      assert.equal(all.totalCount, '15');
      const pages = await Promise.all([0, 1, 2].map((page) => find({ limit: 6, offset: page * 6 })));
      assert.deepEqual(
        pages.flatMap(({ ids }) => ids),
        all.ids,
      );
      assert.deepEqual(await find({ limit: 0 }), { totalCount: '15', ids: [] });
    });

    it('shows a model with its codec, test vectors and licence', async () => {
      const { model } = await app.call(library.getModel, { id: 'acme:thermo' });
      assert.deepEqual([model.regions, model.license], [['EU868', 'US915'], acme.LICENSE]);
      const [firmware] = model.firmwares;
      assert.equal(firmware?.payloadDecoderScript, acme['vendors/acme/codecs/thermo.js']);
      assert.deepEqual([firmware.vectors.length, firmware.passCount], [3, 3]);
      await refused(5, app.call(library.getModel, { id: 'acme:none' }));
    });

    it('creates an ordinary device-profile with codec, test vectors and tags', async () => {
      const { id } = await create('acme:thermo');
      const { deviceProfile: made } = await app.call(deviceProfile.get, { id });
      assert.deepEqual(
        [made.name, made.macVersion, made.maxEIRP, made.payloadCodec, made.payloadDecoderScript, made.tags],
        [
          'made',
          '1.0.3',
          14,
          'CUSTOM_JS',
          acme['vendors/acme/codecs/thermo.js'],
          {
            library: 'acme:thermo',
            vendor: 'Acme Sensors',
            model: 'Thermo 2000',
            version: '1.0',
            vendorID: '0265',
            profileID: '0007',
          },
        ],
      );
      const { vectors } = await app.call(codecVector.list, { deviceProfileID: id });
      assert.deepEqual(
        vectors.map(({ name }) => name),
        ['21.4 °C', 'an error', 'interval'],
      );
    });

    it('refuses a model that has no profile for the region', async () => {
      await upload(app, { ...acme, 'vendors/acme/profiles/EU868.toml': profileFile('IN865') });
      const { message } = await refused(9, create('acme:thermo'));
      assert.match(message, /no profile for EU868/);
      await upload(app, acme);
    });

    it('offers an update with its difference and applies it on request only', async () => {
      const { id } = await create('acme:thermo');
      const update = () => app.call(library.getUpdate, { deviceProfileID: id });
      assert.equal((await update()).isAvailable, false);
      const { changes: changed } = await upload(app, newer);
      assert.deepEqual(changed, { added: [], changed: ['Acme Sensors Thermo 2000'], removed: [] });
      const { isAvailable, changes, modelName } = await update();
      assert.deepEqual([isAvailable, modelName], [true, 'Thermo 2000']);
      assert.deepEqual(changes, [
        { field: 'payloadDecoderScript', before: acme['vendors/acme/codecs/thermo.js'], after: newerScript },
      ]);
      const script = async () => (await app.call(deviceProfile.get, { id })).deviceProfile.payloadDecoderScript;
      assert.equal(await script(), acme['vendors/acme/codecs/thermo.js']);
      await app.call(library.applyUpdate, { deviceProfileID: id });
      assert.equal(await script(), newerScript);
      assert.equal((await update()).isAvailable, false);
      await upload(app, acme);
    });

    it('offers no update for a change of the device-profile itself', async () => {
      const { id } = await create('acme:thermo');
      const { deviceProfile: own } = await app.call(deviceProfile.get, { id });
      await app.call(deviceProfile.update, { deviceProfile: { ...own, maxEIRP: 10 } });
      assert.equal((await app.call(library.getUpdate, { deviceProfileID: id })).isAvailable, false);
    });

    it('keeps device-profiles whose model is gone', async () => {
      const { id } = await create('acme:thermo');
      await upload(app, {
        ...Object.fromEntries(
          Object.entries(acme).map(([name, text]) => [name.replace('thermo.toml', 'b.toml'), text]),
        ),
      });
      assert.equal((await app.call(library.getUpdate, { deviceProfileID: id })).isAvailable, false);
      await refused(9, app.call(library.applyUpdate, { deviceProfileID: id }));
      await upload(app, acme);
      await refused(9, app.call(library.applyUpdate, { deviceProfileID: await createDeviceProfile(app) }));
    });

    it('publishes a device-profile as a model and updates what was made from it', async () => {
      const source = await createDeviceProfile(app, {
        organizationID,
        supportsClassC: true,
        classCTimeout: 7,
        payloadCodec: 'CUSTOM_JS',
        payloadDecoderScript: 'function Decode() { return { a: 1 }; }',
      });
      const { id } = await app.call(library.publish, { deviceProfileID: source, vendor: 'We', name: 'Meter' });
      assert.deepEqual(await find({ search: 'we meter' }), { totalCount: '1', ids: [id] });
      const { id: made } = await create(id, { organizationID: await createOrganization(app) });
      const before = await app.call(library.listProfiles, { modelID: id, limit: 10 });
      assert.deepEqual([before.totalCount, before.updateCount], ['1', '0']);

      const { deviceProfile: changing } = await app.call(deviceProfile.get, { id: source });
      await app.call(deviceProfile.update, { deviceProfile: { ...changing, classCTimeout: 9 } });
      const { updateCount, result } = await app.call(library.listProfiles, { modelID: id, limit: 10 });
      assert.deepEqual([updateCount, result[0]?.deviceProfileID], ['1', made]);
      assert.deepEqual((await app.call(library.getUpdate, { deviceProfileID: made })).changes, [
        { field: 'classCTimeout', before: '7', after: '9' },
      ]);
      const { updatedCount, problems } = await app.call(library.updateProfiles, {
        modelID: id,
        deviceProfileIDs: [made, source],
      });
      assert.deepEqual(
        [updatedCount, problems],
        [1, [{ deviceProfileID: source, text: 'It was not created from this model.' }]],
      );
      assert.equal((await app.call(deviceProfile.get, { id: made })).deviceProfile.classCTimeout, 9);

      await upload(app, acme);
      assert.equal((await find({ search: 'we meter' })).totalCount, '1');
      await app.call(library.withdraw, { id });
      assert.equal((await find({ search: 'we meter' })).totalCount, '0');
      await app.call(deviceProfile.get, { id: made });
    });

    it('stores nothing of a file that cannot be used', async () => {
      for (const file of [Buffer.from('no zip'), zipOf(acme).subarray(0, 500), zipOf({ 'README.md': '' })])
        await refused(3, app.call(library.upload, { file: base64(file) }));
      assert.equal((await app.call(library.get, {})).modelCount, 1);
    });

    it('reads the body of an upload only from a caller who may upload', async () => {
      const { token } = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      const large = { file: 'A'.repeat(2 ** 21) };
      await refused(7, app.call(library.upload, large, token));
      await refused(16, app.call(library.upload, large, null));
      const unreadable = {
        method: 'PUT',
        body: 'no JSON',
        headers: { 'Grpc-Metadata-Authorization': `Bearer ${token}` },
      };
      assert.equal((await app.fetch('/api/library/file', unreadable)).status, 403);
      await refused(3, app.call(library.upload, large));
      const tooLarge = await refused(3, app.call(library.upload, { file: 'A'.repeat(12 * 2 ** 20) }));
      assert.match(tooLarge.message, /larger than 10 MB/);
    });

    it('reads the files of a codec and stores nothing', async () => {
      const files = [
        { name: 'a.js', text: acme['vendors/acme/codecs/thermo.js'] },
        { name: 'test_decode_a.json', text: acme['vendors/acme/codecs/test_decode_thermo.json'] },
      ];
      const { payloadDecoderScript, vectors, remarks } = await app.call(codecImport.create, { organizationID, files });
      assert.deepEqual([payloadDecoderScript, vectors.length, remarks], [files[0]!.text, 2, []]);
      await refused(3, app.call(codecImport.create, { organizationID }));
      await refused(3, app.call(codecImport.create, { organizationID, zip: base64(Buffer.from('none')) }));
    });
  });

  const devices: PrincipalName[] = ['deviceAdmin', 'organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey'];
  const all: PrincipalName[] = [...everyUser, 'adminKey', 'organizationKey', 'applicationKey'];
  const derived = async ({ app, organizationID }: { app: TestApp; organizationID: string }) => {
    const modelID = 'generic:a-1.0.3';
    const { id } = await app.call(library.createProfile, { organizationID, networkServerID, name: 'x', modelID });
    return { deviceProfileID: id };
  };
  describeAccess(database, 'the device library', [
    row(library.get, () => ({}), admins, admins),
    row(library.install, () => ({}), admins, admins),
    row(library.upload, () => ({ file: 'AA==' }), admins, admins),
    row(library.listModels, () => ({ limit: 1 }), all, all),
    row(library.getModel, () => ({ id: 'generic:a-1.0.3' }), all, all),
    row(
      library.publish,
      async (side) => ({ deviceProfileID: await createDeviceProfile(side.app, side), vendor: 'a', name: 'b' }),
      admins,
    ),
    row(library.withdraw, () => ({ id: 'published:x' }), admins, admins),
    row(library.listProfiles, () => ({ modelID: 'generic:a-1.0.3' }), admins, admins),
    row(
      library.updateProfiles,
      async (side) => ({
        modelID: 'generic:a-1.0.3',
        deviceProfileIDs: [(await derived(side)).deviceProfileID],
      }),
      admins,
    ),
    row(
      library.createProfile,
      ({ organizationID }) => ({
        organizationID,
        networkServerID,
        name: 'x',
        modelID: 'generic:a-1.0.3',
      }),
      devices,
    ),
    row(library.getUpdate, derived, readers),
    row(library.applyUpdate, derived, devices),
    row(
      codecImport.create,
      ({ organizationID }) => ({
        organizationID,
        files: [{ name: 'a.js', text: 'x' }],
      }),
      devices,
    ),
  ]);
}

describe('the address of the device library', () => {
  it('is a ZIP file that is downloaded, also after a redirect', async () => {
    const zip = zipOf(acme);
    const server = createServer((request, response) => {
      if (request.url === '/zip') response.end(zip);
      else response.writeHead(302, { location: '/zip' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const deviceLibraryURL = `http://127.0.0.1:${port}/`;
    try {
      await using app = await startTestApp('sqlite', { deviceLibraryURL, outgoingAllow: '127.0.0.1' });
      const { modelCount, source, address } = await app.call(library.install, {});
      assert.deepEqual([modelCount, source, address], [1, deviceLibraryURL, deviceLibraryURL]);
    } finally {
      server.close();
    }
  });

  const failures: readonly (readonly [name: string, status: number, headers: Record<string, string>, RegExp])[] = [
    ['an error', 500, {}, /answered with status 500/],
    ['too many redirects', 302, { location: '/again' }, /redirects more than 3 times/],
    [
      'a redirect to an address that is not allowed',
      302,
      { location: 'http://169.254.169.254/latest' },
      /169\.254\.169\.254 leads to/,
    ],
  ];
  for (const [name, status, headers, sentence] of failures)
    it(`reports ${name}`, async () => {
      const server = createServer((_request, response) => response.writeHead(status, headers).end()).listen(
        0,
        '127.0.0.1',
      );
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      try {
        await using app = await startTestApp('sqlite', {
          deviceLibraryURL: `http://127.0.0.1:${port}/`,
          outgoingAllow: '127.0.0.1',
        });
        const { message } = await refused(9, app.call(library.install, {}));
        assert.match(message, sentence);
        assert.match(message, /or upload a ZIP file instead/);
      } finally {
        server.close();
      }
    });

  it('is a folder, or empty', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'library-'));
    try {
      for (const [name, text] of Object.entries(acme)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      await using app = await startTestApp('sqlite', { deviceLibraryURL: folder });
      assert.equal((await app.call(library.install, {})).modelCount, 1);
      await using none = await startTestApp('sqlite');
      assert.match((await refused(9, none.call(library.install, {}))).message, /HILLTOP_DEVICE_LIBRARY_URL is empty/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
