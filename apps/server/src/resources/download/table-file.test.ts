import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileRow, MapNames, tableFile } from './table-file.ts';

const tags = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`t${String(at).padStart(3, '0')}`, `${at}`]));
const row: FileRow = {
  devEUI: '01',
  secret: 'not a column',
  ...Object.fromEntries(Object.entries(tags).map(([name, value]) => [`tag.${name}`, value])),
};

async function text(format: 'CSV' | 'NDJSON', mapNames: readonly string[]): Promise<string> {
  async function* pages() {
    yield [row];
  }
  let all = '';
  for await (const part of tableFile(format, { columns: ['devEUI', 'name'], mapNames }, pages())) all += part;
  return all;
}

describe('a file of records with hundreds of tags', () => {
  it('has as many columns as an import reads, and the others as JSON in the last', async () => {
    const names = new MapNames();
    assert.equal(names.add('tag', tags), false);
    const [head, line] = (await text('CSV', names.sorted())).split('\r\n');
    const columns = head!.split(',');
    assert.deepEqual([columns.length, columns[2], columns.at(-1)], [300, 'tag.t000', 'otherColumns']);
    const others = JSON.parse(line!.slice(line!.indexOf('"{') + 1, -1).replaceAll('""', '"')) as object;
    assert.deepEqual([Object.keys(others).length, Object.keys(others)[0]], [400 - 297, 'tag.t297']);
  });

  it('has all of them as lines of JSON', async () => {
    const found = JSON.parse(await text('NDJSON', [])) as object;
    assert.deepEqual([Object.keys(found).length, 'secret' in found], [401, false]);
  });
});
