/** Reads the layout of `chirpstack/chirpstack-device-profiles`: `vendors/<vendor>/` with TOML files, codecs and tests. */
import { descriptionLength } from '@hilltop/contract/rules';
import { parse, TomlError } from 'smol-toml';
import type {
  Catalogue,
  CatalogueCodec,
  CatalogueModel,
  CatalogueVendor,
  FileProblem,
  FileSet,
  ModelFirmware,
  ModelProfile,
} from './catalogue-types.ts';
import { UnusableFiles } from './catalogue-types.ts';
import { ProfileProblem, toModelProfile } from './profile-file.ts';
import { copyrightOf, longestScript } from './scripts.ts';
import { isObject, readTestFile, textOf } from './vectors.ts';

const mostModels = 5_000;
const mostFirmwares = 50;
const mostProfiles = 50;
const longestName = 100;
const longestLicense = 20_000;
/** It shows authors how to write the files, and is not a device. */
const exampleVendor = 'example-vendor';

type Table = Readonly<Record<string, unknown>>;

const licenseName = /^(LICEN[CS]E|COPYING|NOTICE)[^/]*$/i;
const vendorPath = /^(.*?)vendors\/([^/]+)\/(.+)$/;

/** Reads all vendors. What cannot be used is skipped and listed. Throws UnusableFiles when there is nothing to use. */
export function readCatalogue({ files, version, problems: skipped }: FileSet): Catalogue {
  const root = rootOf(files);
  const byVendor = new Map<string, Map<string, Uint8Array>>();
  for (const [path, bytes] of files) {
    const [, above, vendor, rest] = vendorPath.exec(path) ?? [];
    if (above !== root || vendor === exampleVendor) continue;
    const own = byVendor.get(vendor!) ?? new Map<string, Uint8Array>();
    byVendor.set(vendor!, own.set(rest!, bytes));
  }
  const license = textOfFirst(files, (path) => path.startsWith(root) && licenseName.test(path.slice(root.length)));
  const read = [...byVendor].map(([vendor, own]) => new VendorReader(vendor, own).read());
  const models = read.flatMap((one) => one.models);
  if (models.length === 0) throw new UnusableFiles(`${nothingFound} ${firstProblem(read)}`.trim());
  if (models.length > mostModels) throw new UnusableFiles(`There are more than ${mostModels} devices.`);
  return {
    version,
    license,
    vendors: read.flatMap((one) => (one.models.length > 0 ? [one.vendor] : [])),
    codecs: read.flatMap((one) => one.codecs),
    models,
    problems: [...skipped, ...read.flatMap((one) => one.problems)],
  };
}

const nothingFound =
  'No device was found. The files must have the layout of chirpstack-device-profiles, with a folder vendors.';

function firstProblem(read: readonly { problems: readonly FileProblem[] }[]): string {
  const [first] = read.flatMap(({ problems }) => problems);
  return first ? `First problem: ${first.file}, line ${first.line}: ${first.text}` : '';
}

/** The folders above `vendors/`, as in the ZIP files of GitHub. */
function rootOf(files: FileSet['files']): string {
  const roots = [...files.keys()].flatMap((path) => vendorPath.exec(path)?.[1] ?? []);
  return roots.toSorted((one, other) => one.length - other.length)[0] ?? '';
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOfFirst(files: FileSet['files'], isWanted: (path: string) => boolean): string {
  const found = [...files].find(([path]) => isWanted(path));
  return found ? Buffer.from(found[1]).toString('utf8').slice(0, longestLicense) : '';
}

/** A problem of a file, with the line it is in. */
class FileError extends Error {
  readonly line: number;
  constructor(message: string, line = 0) {
    super(message);
    this.line = line;
  }
}

interface ReadVendor {
  vendor: CatalogueVendor;
  codecs: CatalogueCodec[];
  models: CatalogueModel[];
  problems: FileProblem[];
}

class VendorReader {
  readonly #id: string;
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #problems: FileProblem[] = [];
  readonly #profiles = new Map<string, ModelProfile | undefined>();
  readonly #codecs = new Map<string, CatalogueCodec | undefined>();

  constructor(id: string, files: ReadonlyMap<string, Uint8Array>) {
    this.#id = id;
    this.#files = files;
  }

  read(): ReadVendor {
    const vendor = this.#attempt('vendor.toml', () => this.#readVendor()) ?? this.#unnamedVendor();
    const devices = [...this.#files.keys()].filter((name) => /^devices\/[^/]+\.toml$/.test(name)).sort();
    const models = devices.flatMap((name) => this.#attempt(name, () => this.#readDevice(name)) ?? []);
    const codecs = [...this.#codecs.values()].filter((codec) => codec !== undefined);
    return { vendor, codecs, models, problems: this.#problems };
  }

  #attempt<T>(file: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#report(file, error.line, error.message);
      return undefined;
    }
  }

  #report(file: string, line: number, text: string): void {
    this.#problems.push({ file: `vendors/${this.#id}/${file}`, line, text });
  }

  #text(file: string): string {
    const bytes = this.#files.get(file);
    if (!bytes) throw new FileError('The file is missing.');
    try {
      return decoder.decode(bytes);
    } catch {
      throw new FileError('The file is not UTF-8 text.');
    }
  }

  /** The table of a TOML file that has its content, such as `[device]`. */
  #table(file: string, name: string): { table: Table; lineOf: (key: string) => number } {
    const text = this.#text(file);
    const parsed = parseTOML(text);
    const table = parsed[name];
    if (!isObject(table)) throw new FileError(`The table [${name}] is missing.`, 1);
    const lines = text.split('\n');
    return { table, lineOf: (key) => lines.findIndex((line) => new RegExp(`^\\s*"?${key}"?\\s*=`).test(line)) + 1 };
  }

  #readVendor(): CatalogueVendor {
    const { table, lineOf } = this.#table('vendor.toml', 'vendor');
    for (const device of Array.isArray(table['devices']) ? (table['devices'] as unknown[]) : [])
      if (!this.#files.has(`devices/${textOf(device)}`))
        this.#report('vendor.toml', lineOf('devices'), `The file devices/${shown(device)} is missing.`);
    const vendorID = table['vendor_id'];
    const metadata = isObject(table['metadata']) ? table['metadata'] : {};
    return {
      ...this.#unnamedVendor(),
      name: nameIn(table, lineOf),
      vendorID:
        Number.isInteger(vendorID) && (vendorID as number) > 0 && (vendorID as number) <= 0xffff
          ? (vendorID as number)
          : 0,
      homepage: webAddress(metadata['homepage']),
    };
  }

  #unnamedVendor(): CatalogueVendor {
    const license = textOfFirst(this.#files, (path) => licenseName.test(path));
    return { id: this.#id, name: this.#id.slice(0, longestName), vendorID: 0, homepage: '', license };
  }

  #readDevice(file: string): CatalogueModel {
    const { table, lineOf } = this.#table(file, 'device');
    const metadata = isObject(table['metadata']) ? table['metadata'] : {};
    const firmwares = Array.isArray(table['firmware']) ? (table['firmware'] as unknown[]) : [];
    const read = firmwares
      .slice(0, mostFirmwares)
      .flatMap((firmware) => (isObject(firmware) ? this.#readFirmware(file, firmware, lineOf) : []));
    if (read.length === 0)
      throw new FileError('No firmware of the device has a usable profile.', lineOf('firmware') || 1);
    const { description } = table;
    return {
      id: `${this.#id}:${file.slice('devices/'.length, -'.toml'.length)}`,
      vendor: this.#id,
      name: nameIn(table, lineOf),
      description: typeof description === 'string' ? description.trim().slice(0, descriptionLength) : '',
      productURL: webAddress(metadata['product_url']),
      documentationURL: webAddress(metadata['documentation_url']),
      firmwares: read,
    };
  }

  #readFirmware(file: string, firmware: Table, lineOf: (key: string) => number): ModelFirmware[] {
    const names = Array.isArray(firmware['profiles']) ? (firmware['profiles'] as unknown[]) : [];
    const profiles = names.slice(0, mostProfiles).flatMap((name) => {
      if (typeof name === 'string' && this.#files.has(`profiles/${name}`)) return this.#profile(name) ?? [];
      this.#report(file, lineOf('profiles'), `The file profiles/${shown(name)} is missing.`);
      return [];
    });
    const { codec } = firmware;
    let codecID = '';
    if (typeof codec === 'string' && codec !== '') {
      if (this.#files.has(`codecs/${codec}`)) codecID = this.#codec(codec)?.id ?? '';
      else this.#report(file, lineOf('codec'), `The file codecs/${shown(codec)} is missing.`);
    }
    const version = textOf(firmware['version']).slice(0, longestName);
    return profiles.length > 0 ? [{ version, codec: codecID, profiles }] : [];
  }

  #profile(name: string): ModelProfile | undefined {
    if (!this.#profiles.has(name))
      this.#profiles.set(
        name,
        this.#attempt(`profiles/${name}`, () => this.#readProfile(name)),
      );
    return this.#profiles.get(name);
  }

  #readProfile(name: string): ModelProfile {
    const { table, lineOf } = this.#table(`profiles/${name}`, 'profile');
    try {
      return toModelProfile(name.replace(/\.toml$/, ''), table);
    } catch (error) {
      if (!(error instanceof ProfileProblem)) throw error;
      throw new FileError(error.message, lineOf(error.key) || 1);
    }
  }

  #codec(name: string): CatalogueCodec | undefined {
    if (!this.#codecs.has(name))
      this.#codecs.set(
        name,
        this.#attempt(`codecs/${name}`, () => this.#readCodec(name)),
      );
    return this.#codecs.get(name);
  }

  #readCodec(name: string): CatalogueCodec {
    const script = this.#text(`codecs/${name}`);
    if (script.length > longestScript) throw new FileError(`The script is longer than ${longestScript} characters.`);
    const base = name.replace(/\.js$/, '');
    const vectors = [
      ...this.#vectors(`codecs/test_decode_${base}.json`, 'UPLINK'),
      ...this.#vectors(`codecs/test_encode_${base}.json`, 'DOWNLINK'),
    ];
    return { id: `${this.#id}/${name}`, vendor: this.#id, script, vectors, copyright: copyrightOf(script) };
  }

  #vectors(file: string, direction: 'UPLINK' | 'DOWNLINK') {
    if (!this.#files.has(file)) return [];
    const text = this.#attempt(file, () => this.#text(file));
    if (text === undefined) return [];
    const { vectors, problems } = readTestFile(file, text, direction);
    for (const problem of problems) this.#report(file, problem.line, problem.text);
    return vectors;
  }
}

function parseTOML(text: string): Table {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw new FileError('The file is not valid TOML.', 1);
    const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new FileError(`The file is not valid TOML: ${first}.`, error.line);
  }
}

function nameIn(table: Table, lineOf: (key: string) => number): string {
  const { name } = table;
  const clean = typeof name === 'string' ? name.replace(/\p{Cc}+/gu, ' ').trim() : '';
  if (clean === '' || clean.length > longestName)
    throw new FileError(`The name must have 1 to ${longestName} characters.`, lineOf('name') || 1);
  return clean;
}

/** Only addresses of web pages become links. */
function webAddress(value: unknown): string {
  if (typeof value !== 'string' || value.length > 1000) return '';
  const url = URL.parse(value);
  return url && /^https?:$/.test(url.protocol) ? url.href : '';
}

const shown = (value: unknown) =>
  String(value)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, longestName);
