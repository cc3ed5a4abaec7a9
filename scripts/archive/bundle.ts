import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
// Vite depends on it, so package-lock.json has its version.
import { type Plugin, type PluginContext, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'apps/server/src');

/** The programs that the start script runs; each is an entry of this name. */
export const programs = ['main', 'backup', 'restore', 'import-v3'] as const;

/** Folders of built pages, and their addresses in the archive from the folder of the bundle. */
const builtPages: Readonly<Record<string, string>> = {
  [join(root, 'apps/console/dist')]: '../console/',
  [join(root, 'apps/docs/dist')]: '../docs/',
};

/** How a module names a thread, a program or a file beside it. */
const reference = /new URL\(\s*['"]([^'"]+)['"],\s*import\.meta\.url\s*\)/g;

/** Clients of PostgreSQL and websockets use these if they are installed; Hilltop does not install them. */
const optional = ['pg-native', 'bufferutil', 'utf-8-validate'];

/** Bundles the server and its packages into a folder. Resolves with the folders of the packages. */
export async function bundleServer(folder: string): Promise<string[]> {
  await using build = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((name) => [name, join(sources, `${name}.ts`)])),
    platform: 'node',
    external: optional,
    plugins: [referencedFiles(), inASCII()],
    onLog: (_level, { message }) => {
      throw new Error(`The server cannot be bundled: ${message}`);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash:8].js',
    // Names stay, for stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  return packagesOf(modules);
}

function packagesOf(modules: readonly string[]): string[] {
  const inPackage = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;
  const folders = modules.flatMap((module) => inPackage.exec(module.replace(/^\0/, ''))?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * Makes threads and programs that modules start by their URL entries of the bundle, and copies files that they read into
 * the bundle. All of it is in one folder, so that each URL is right in every file of the bundle.
 */
function referencedFiles(): Plugin {
  return {
    name: 'hilltop:referenced-files',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      return code.replaceAll(reference, (_reference, path: string) => {
        const target = join(dirname(id), path, '.');
        if (!existsSync(target)) throw new Error(`${relative(root, id)} refers to ${path}, which does not exist.`);
        return `new URL('${builtPages[target] ?? addToBundle(this, target)}', import.meta.url)`;
      });
    },
  };
}

/**
 * Escapes all other characters of the code: V8 would store a file with one of them as two bytes for each character, for
 * the largest file 2 MB more.
 */
function inASCII(): Plugin {
  return {
    name: 'hilltop:in-ascii',
    // Minifying writes escapes as characters again.
    generateBundle: (_options, bundle) => {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = withEscapes(file.code);
    },
  };
}

/** The same code in ASCII, for strings, regular expressions, names and templates, except raw ones. */
export function withEscapes(code: string): string {
  if (/\braw`[^`]*[\u0080-\uffff]/.test(code)) throw new Error('Escapes would change a raw template.');
  return code.replace(/\\?[\u0080-\uffff]|\\[^]/g, (part) => {
    const unit = part.charCodeAt(part.length - 1);
    return unit < 0x80 ? part : `\\u${unit.toString(16).padStart(4, '0')}`;
  });
}

/** Answers the address of the file or folder in the bundle. */
function addToBundle(context: PluginContext, target: string): string {
  const name = basename(target);
  if (!statSync(target).isDirectory()) return addFile(context, target, `${basename(dirname(target))}-${name}`);
  for (const file of readdirSync(target)) addFile(context, join(target, file), `${name}/${file}`);
  return `${name}/`;
}

function addFile(context: PluginContext, file: string, name: string): string {
  const { dir, name: program, ext } = parse(name);
  if (ext !== '.ts') {
    context.emitFile({ type: 'asset', fileName: name, source: readFileSync(file) });
    return name;
  }
  const entry = programs.find((known) => join(sources, `${known}.ts`) === file);
  if (entry) return `${entry}.js`;
  const fileName = join(dir, `${program}.js`);
  context.emitFile({ type: 'chunk', id: file, fileName });
  return fileName;
}
