import { z } from 'zod';

/** Raster tiles that every browser may fetch, within the usage policy of OpenStreetMap. */
const openStreetMapHost = 'tile.openstreetmap.org';
const openStreetMapCredit =
  '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap contributors</a>';

/** The hosts that `{s}` stands for. */
const mirrors = ['a', 'b', 'c'];

/** The origin becomes part of the content security policy, so it may contain only scheme, name and port. */
const origin = /^https?:\/\/(\{s\}\.)?([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?(?=\/)/i;

function isTilesURL(url: string): boolean {
  const path = url.replace(origin, '');
  const isWhole = ['{z}', '{x}', '{y}'].every((part) => path.includes(part));
  return origin.test(url) && isWhole && !path.includes('{s}') && URL.canParse(url.replace('{s}', mirrors[0]!));
}

/** The source of the map tiles of the console. */
export const mapSettings = {
  mapTilesURL: z
    .string()
    .refine((url) => url === '' || isTilesURL(url), 'must be a URL such as https://tiles.example.org/{z}/{x}/{y}.png')
    .default(`https://${openStreetMapHost}/{z}/{x}/{y}.png`)
    .meta({ help: 'raster tiles that browsers load for maps; empty: the built-in map only' }),
  mapAttribution: z.string().default('').meta({ help: 'attribution of the tiles on the map; set for OpenStreetMap' }),
};

export interface MapSettings {
  readonly mapTilesURL: string;
  readonly mapAttribution: string;
}

/** The tile address with its placeholders and the attribution, for the console. Null for the built-in map alone. */
export function mapTilesOf({ mapTilesURL: url, mapAttribution }: MapSettings) {
  if (url === '') return null;
  const isOpenStreetMap = new URL(url.replace('{s}', mirrors[0]!)).hostname.endsWith(openStreetMapHost);
  return { url, attribution: mapAttribution === '' && isOpenStreetMap ? openStreetMapCredit : mapAttribution };
}

/** `https://{s}.tiles.example.org/{z}/…` -> `https://a.tiles.example.org` and so on; none for the built-in map. */
export function tileOrigins(url: string): string[] {
  const [found] = origin.exec(url) ?? [];
  if (found === undefined) return [];
  return found.includes('{s}') ? mirrors.map((host) => found.replace('{s}', host)) : [found];
}
