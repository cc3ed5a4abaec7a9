/** The parts of the built-in world that are cut into tiles, each with its source layers. */
export const worldTiles = ['outline', 'roads', 'towns'] as const;
export type WorldTiles = (typeof worldTiles)[number];

/** Zoom beyond which no finer tiles are cut. */
export const finestDetail = 9;

/** Zooms at which roads are drawn: below, they would be a net; above, they are too far from the real ones. */
export const roadZooms = { far: 4.5, near: 7.5, fading: 11.5, none: 12.5 };

/** What MapLibre's worker answers itself, without the page: tiles, and the names of countries. */
export const protocol = 'world';
export const tilesURL = (kind: WorldTiles) => `${protocol}://${kind}/{z}/{x}/{y}`;
export const countriesURL = `${protocol}://countries`;
