import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
const worthwhile = /\.(js|mjs|css|html|svg|json|wasm)$/;

/** Writes a `.br` and a `.gz` file beside each file of the build that becomes smaller, so that the server only selects one. */
export function precompress(): Plugin {
  let folder = 'dist';
  return {
    name: 'hilltop:precompress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async writeBundle() {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && worthwhile.test(entry.name));
      // The threads of zlib use all cores.
      await Promise.all(files.map((entry) => compress(join(entry.parentPath, entry.name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = readFileSync(path);
  if (content.length < 1024) return;
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${path}.br`, await toBrotli(content, { params: size }));
  writeFileSync(`${path}.gz`, await toGzip(content, { level: 9 }));
}
