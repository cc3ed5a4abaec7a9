import { z } from 'zod';

/** Raster tiles that every browser may fetch, within the usage policy of those who give them away. */
const openStreetMapHost = 'tile.openstreetmap.org';
const openStreetMapCredit =
  '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap contributors</a>';

/** The hosts that `{s}` stands for. */
const mirrors = ['a', 'b', 'c'];

/** The origin becomes a part of the policy that browsers hold pages to: nothing but scheme, name and port may be in it. */
const origin = /^https?:\/\/(\{s\}\.)?([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?(?=\/)/i;

function isTilesURL(url: string): boolean {
  const path = url.replace(origin, '');
  const isWhole = ['{z}', '{x}', '{y}'].every((part) => path.includes(part));
  return origin.test(url) && isWhole && !path.includes('{s}') && URL.canParse(url.replace('{s}', mirrors[0]!));
}

/** Where the map of the console has its pictures from. */
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

/** What the console is told: the address with its holes, and whom to name. Null for the built-in map alone. */
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
