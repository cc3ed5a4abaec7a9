import { type Library, largestLibraryFile, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { CatalogueCodec, FileProblem } from '../../device-library/catalogue-types.ts';
import { createFileReader, type FileReader } from '../../device-library/read.ts';
import { DeliveryError, DeliveryInterrupted } from '../../outgoing/delivery-error.ts';
import type { OutgoingHTTP } from '../../outgoing/http.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { countPassing } from './count-passing.ts';
import { loadLibrary, replaceCatalogue } from './store.ts';

export interface LibraryInstallerDependencies {
  config: { deviceLibraryURL: string };
  database: Database;
  clock: Clock;
  log: Pick<Logger, 'info'>;
  codecs: PayloadCodecs;
  outgoingHTTP: Pick<OutgoingHTTP, 'send'>;
}

export interface LibraryInstaller {
  /** Downloads the library from the address of the setting, or reads its folder, and installs it. */
  installFromAddress: () => Promise<Library>;
  installFromFile: (name: string, zip: Uint8Array) => Promise<Library>;
}

const downloadMs = 60_000;
const mostRedirects = 3;
/** Then the rest of the test vectors counts as not passing. */
const mostTestMs = 120_000;

/** Installs one library at a time. */
export function createLibraryInstaller(needs: LibraryInstallerDependencies): LibraryInstaller {
  const { config, database, clock, log } = needs;
  const reader = createFileReader();
  let isBusy = false;

  async function alone(install: () => Promise<Library>): Promise<Library> {
    if (isBusy) throw refusal('LIBRARY_BUSY');
    isBusy = true;
    try {
      return await install();
    } finally {
      isBusy = false;
    }
  }

  async function install(source: string, from: Parameters<FileReader['readCatalogue']>[0]): Promise<Library> {
    const catalogue = await reader.readCatalogue(from);
    const { passes, problems: codecProblems } = await tryAllCodecs(needs, catalogue.codecs);
    const problems = [...catalogue.problems, ...codecProblems];
    await replaceCatalogue(database, { ...catalogue, problems }, { passes, source, now: clock.now() });
    const { version, models } = catalogue;
    log.info({ version, models: models.length, problems: problems.length }, 'the device library was installed');
    return loadLibrary(database, config.deviceLibraryURL);
  }

  return {
    installFromAddress: () =>
      alone(async () => {
        const address = config.deviceLibraryURL;
        if (address === '') throw refusal('LIBRARY_NO_ADDRESS');
        const folder = folderOf(address);
        return install(address, folder === undefined ? { zip: await download(needs, address) } : { folder });
      }),
    installFromFile: (name, zip) => alone(() => install(name, { zip })),
  };
}

const folderOf = (address: string) => (address.startsWith('/') ? address : undefined);

async function download({ outgoingHTTP }: LibraryInstallerDependencies, address: string): Promise<Uint8Array> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const { status, headers, body } = await outgoingHTTP
      .send({
        method: 'GET',
        url: url.href,
        headers: [['accept', 'application/zip']],
        body: '',
        timeoutMs: downloadMs,
        maxResponseBytes: largestLibraryFile + 1,
      })
      .catch((error: unknown) => {
        throw error instanceof DeliveryError || error instanceof DeliveryInterrupted
          ? notDownloaded(error.message)
          : error;
      });
    if (status === 200) {
      if (body.length > largestLibraryFile)
        throw notDownloaded(`The file is larger than ${largestLibraryFile / 2 ** 20} MB`);
      return body;
    }
    const next = status >= 300 && status < 400 ? URL.parse(headers['location'] ?? '', url) : null;
    if (!next) throw notDownloaded(`${url.host} answered with status ${status}`);
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw notDownloaded(`${url.host} redirects to an address without TLS`);
    url = next;
  }
  throw notDownloaded(`${url.host} redirects more than ${mostRedirects} times`);
}

const notDownloaded = (problem: string) => refusal('LIBRARY_NOT_DOWNLOADED', { problem: problem.replace(/\.?$/, '.') });

/** How many test vectors of each codec pass, and the codecs that cannot be used. */
async function tryAllCodecs(
  { codecs, clock }: LibraryInstallerDependencies,
  all: readonly CatalogueCodec[],
): Promise<{ passes: ReadonlyMap<string, number>; problems: FileProblem[] }> {
  const started = clock.monotonicMs();
  const passes = new Map<string, number>();
  const problems: FileProblem[] = [];
  for (const { id, vendor, script, vectors } of all) {
    if (clock.monotonicMs() - started > mostTestMs) break;
    const codec = { codec: 'CUSTOM_JS', decoderScript: script, encoderScript: '' };
    const problem = await codecs.check(codec, 'library');
    if (problem !== undefined && problem !== 'busy') {
      const { message, position } = problem.error;
      const file = `vendors/${vendor}/codecs/${id.slice(vendor.length + 1)}`;
      problems.push({ file, line: position?.line ?? 0, text: `The codec cannot be used: ${message}` });
      continue;
    }
    passes.set(id, await countPassing(codecs, codec, vectors, { owner: 'library', now: clock.now() }));
  }
  return { passes, problems };
}
