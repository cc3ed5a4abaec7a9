// Encodes lines as text, which the console decodes (`world/lines.ts`).

/** Encodes lines and rings independently of each other. */
export const each = (step) => (pieces) =>
  pieces.map(({ type, coordinates }) =>
    type === 'Polygon' ? coordinates.map((ring) => encode(ring, step)) : encode(coordinates, step),
  );

/** Encodes lines as one text, separated by spaces; each line continues from the end of the previous one. */
export const together = (step) => (pieces) => {
  const points = [];
  const ends = new Set();
  for (const line of nextToEachOther(pieces.map(({ coordinates }) => coordinates))) {
    points.push(...line);
    ends.add(points.length);
  }
  return encode(points, step, (index) => (ends.has(index) ? ' ' : ''));
};

function nextToEachOther(lines) {
  const band = ([[, latitude]]) => Math.round(latitude * 4);
  return lines.sort((a, b) => band(a) - band(b) || a[0][0] - b[0][0] || a[0][1] - b[0][1]);
}

/** Encodes a line as differences between points, in grid steps east and north. */
export function encode(points, step, before = () => '') {
  let [x, y] = [0, 0];
  let text = '';
  for (const [index, [longitude, latitude]] of points.entries()) {
    const [east, north] = [Math.round(longitude * step), Math.round(latitude * step)];
    text += before(index) + letters(east - x) + letters(north - y);
    [x, y] = [east, north];
  }
  return text;
}

/** The encoded polyline format: five bits per letter, lowest first, with the sign in the lowest bit. */
function letters(value) {
  let text = '';
  let rest = value < 0 ? ~(value << 1) : value << 1;
  for (; rest >= 32; rest >>= 5) text += String.fromCharCode((rest & 31) + 32 + 63);
  return text + String.fromCharCode(rest + 63);
}
