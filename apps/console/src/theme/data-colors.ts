/**
 * Colours of data in charts, on maps and in legends, with a contrast of at least 3:1 on the surface of a card. Canvases
 * read them here, style sheets as `--data-1`, `--data-rate-0` and so on. `docs/design.md` says which colour is for what.
 */
export interface DataColors {
  /** Series without an order, in the order of use. The first is the accent colour. */
  readonly series: readonly string[];
  /** DR0 to DR14: the data-rates that one region uses differ clearly in hue. */
  readonly dataRates: readonly string[];
  /** Lowest and highest colour of a heat map. */
  readonly cold: string;
  readonly hot: string;
  readonly active: string;
  readonly inactive: string;
  readonly never: string;
  readonly attention: string;
}

export const dataColors: Record<'light' | 'dark', DataColors> = {
  light: {
    series: ['#00778d', '#c26e12', '#7152b5', '#47944c', '#c7436d', '#3772bb', '#8a8329', '#7f5944'],
    dataRates: [
      ...['#c96b53', '#b57c1a', '#508130', '#00a0a0', '#3a73b9', '#7860b2', '#a570bd', '#896f00'],
      ...['#00886d', '#2094c9', '#7482d4', '#a85a19', '#87912a', '#3d9f67', '#00829f'],
    ],
    cold: '#e0f2f7',
    hot: '#006078',
    active: '#1e7d3c',
    inactive: '#c22b2b',
    never: '#6b757d',
    attention: '#a85b00',
  },
  dark: {
    series: ['#57b0c5', '#fcad69', '#a88fec', '#89cf8b', '#ff87a7', '#77aef3', '#c4be71', '#b8927e'],
    dataRates: [
      ...['#f29077', '#dca249', '#73a654', '#18c6c6', '#5e97e0', '#9b85da', '#cc95e4', '#ad9427'],
      ...['#0aae91', '#51baf1', '#97a7fd', '#cf7f43', '#acb754', '#66c58b', '#00a8c5'],
    ],
    cold: '#1a3742',
    hot: '#76e2e7',
    active: '#55c27a',
    inactive: '#ff7b74',
    never: '#99a4ac',
    attention: '#f0ab4d',
  },
};

/** The name of a colour of data or of a state, the same as its custom property in style sheets. */
export type ColorToken = `--data-${number}` | `--data-rate-${number}` | `--state-${keyof typeof stateTokens}`;

const stateTokens = { active: true, inactive: true, never: true, attention: true };

/** The value of a token, for canvases, which cannot read style sheets. */
export function colorOf(token: ColorToken, scheme: 'light' | 'dark'): string {
  const color = variables[scheme][token];
  if (color === undefined) throw new Error(`There is no colour ${token}.`);
  return color;
}

/** The token of a data-rate, the same in all charts. */
export function dataRateToken(dr: number): ColorToken {
  return `--data-rate-${dr % dataColors.light.dataRates.length}`;
}

/** The custom properties that hold these colours for style sheets. */
export function dataVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const { series, dataRates, cold, hot, active, inactive, never, attention } = dataColors[scheme];
  return {
    ...Object.fromEntries(series.map((color, index) => [`--data-${index + 1}`, color])),
    ...Object.fromEntries(dataRates.map((color, index) => [`--data-rate-${index}`, color])),
    '--data-cold': cold,
    '--data-hot': hot,
    '--state-active': active,
    '--state-inactive': inactive,
    '--state-never': never,
    '--state-attention': attention,
  };
}

const variables = { light: dataVariables('light'), dark: dataVariables('dark') };
