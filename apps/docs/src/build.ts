// Builds the documents in docs/ into plain HTML in apps/docs/dist, which the server answers below /docs/.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readPages, source } from './pages.ts';
import { createRenderer } from './render.ts';

const target = fileURLToPath(new URL('../dist/', import.meta.url));
const favicon = fileURLToPath(new URL('../../console/public/favicon.svg', import.meta.url));

/** Writes a file, with `.br` and `.gz` beside a text of some length, as the console build does. */
function write(name: string, content: Buffer | string): void {
  const path = join(target, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  if (name.endsWith('.png') || content.length < 1024) return;
  writeFileSync(`${path}.br`, brotliCompressSync(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}

/** Writes a file under a name with a hash, and answers its address. */
function writeAsset(path: string): string {
  const content = readFileSync(path);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
  const extension = extname(path);
  const name = `assets/${path.slice(dirname(path).length + 1, -extension.length)}-${hash}${extension}`;
  write(name, content);
  return `/docs/${name}`;
}

/** Width and height of a PNG or SVG file. A page that knows them does not move when the picture arrives. */
function sizeOf(path: string): { width: number; height: number } {
  const content = readFileSync(path);
  if (path.endsWith('.png')) return { width: content.readUInt32BE(16), height: content.readUInt32BE(20) };
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(content.toString('utf8')) ?? [];
  if (!width || !height) throw new Error(`${path} has no viewBox.`);
  return { width: Number(width), height: Number(height) };
}

rmSync(target, { recursive: true, force: true });
const pages = readPages();
const pictures = new Map<string, ReturnType<typeof addPicture>>();
function addPicture(path: string) {
  return { address: writeAsset(join(source, path)), ...sizeOf(join(source, path)) };
}
const renderer = createRenderer(pages, {
  styles: writeAsset(fileURLToPath(new URL('docs.css', import.meta.url))),
  favicon: writeAsset(favicon),
  picture: (path) => {
    const picture = pictures.get(path) ?? addPicture(path);
    pictures.set(path, picture);
    return picture;
  },
});
for (const page of pages)
  write(`${page.address.slice('/docs/'.length).replace(/(^|\/)$/, '$1index')}.html`, renderer.page(page));
write('404.html', renderer.notFound());
