import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { mapSettings, mapTilesOf, tileOrigins } from './map-tiles.ts';

const settings = z.object(mapSettings);
const read = (url?: string) => settings.safeParse(url === undefined ? {} : { mapTilesURL: url });

describe('map tiles', () => {
  it('are those of OpenStreetMap, with attribution, unless others are configured', () => {
    const tiles = mapTilesOf(settings.parse({}));
    assert.equal(tiles?.url, 'https://tile.openstreetmap.org/{z}/{x}/{y}.png');
    assert.match(tiles.attribution, /OpenStreetMap contributors/);
    const url = 'http://tiles.example.org:8080/{z}/{x}/{y}.png?key=a';
    assert.deepEqual(mapTilesOf(settings.parse({ mapTilesURL: url })), { url, attribution: '' });
    assert.deepEqual(mapTilesOf(settings.parse({ mapTilesURL: url, mapAttribution: 'Ours' })), {
      url,
      attribution: 'Ours',
    });
    assert.equal(mapTilesOf(settings.parse({ mapTilesURL: '' })), null);
  });

  it('let browsers connect to exactly their origins', () => {
    assert.deepEqual(tileOrigins(''), []);
    assert.deepEqual(tileOrigins('https://tiles.example.org/{z}/{x}/{y}.png'), ['https://tiles.example.org']);
    assert.deepEqual(tileOrigins('http://[2001:db8::1]:8080/{z}/{x}/{y}'), ['http://[2001:db8::1]:8080']);
    assert.deepEqual(tileOrigins('https://{s}.tiles.example.org/{z}/{x}/{y}.png'), [
      'https://a.tiles.example.org',
      'https://b.tiles.example.org',
      'https://c.tiles.example.org',
    ]);
  });

  const refused = [
    'tiles.example.org/{z}/{x}/{y}.png',
    'ftp://tiles.example.org/{z}/{x}/{y}.png',
    'https://tiles.example.org/{z}/{x}.png',
    'https://tiles.example.org; script-src */{z}/{x}/{y}.png',
    'https://*.example.org/{z}/{x}/{y}.png',
    'https://user:secret@tiles.example.org/{z}/{x}/{y}.png',
    'https://tiles.{s}.example.org/{z}/{x}/{y}.png',
    'https://tiles.example.org/{s}/{z}/{x}/{y}.png',
    'https://tiles.example.org:99999/{z}/{x}/{y}.png',
    'https://{z}/{x}/{y}.png',
  ];
  for (const url of refused) it(`are not ${url}`, () => assert.equal(read(url).success, false));
});
