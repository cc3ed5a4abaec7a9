/** Parts of the built-in world that are cut into tiles, each with what it brings along. */
export const worldTiles = ['outline', 'roads', 'towns'] as const;
export type WorldTiles = (typeof worldTiles)[number];

/** Zoom beyond which nothing is cut anew. */
export const finestDetail = 9;

/** Zooms at which roads are drawn: from afar they would be a net, from near they lie beside the real ones. */
export const roadZooms = { far: 4.5, near: 7.5, fading: 11.5, none: 12.5 };

/** What MapLibre's worker answers itself, without the page: tiles, and the names of countries. */
export const protocol = 'world';
export const tilesURL = (kind: WorldTiles) => `${protocol}://${kind}/{z}/{x}/{y}`;
export const countriesURL = `${protocol}://countries`;
