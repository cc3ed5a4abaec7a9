const space = ' '.charCodeAt(0);

/**
 * Decodes an encoded polyline: the difference from each point to the next, east before north, in units of 1/`step`
 * degree. `scripts/world-map.mjs` writes them.
 */
export function decodeLine(text: string, step: number): [number, number][] {
  return decodeLines(text, step)[0]!;
}

/** Decodes several polylines separated by spaces; each begins relative to the end of the previous one. */
export function decodeLines(text: string, step: number): [number, number][][] {
  let points: [number, number][] = [];
  const lines = [points];
  let [east, north, at] = [0, 0, 0];
  function next(): number {
    let [value, shift, letter] = [0, 0, 0];
    do {
      letter = text.charCodeAt(at) - 63;
      at += 1;
      value |= (letter & 31) << shift;
      shift += 5;
    } while (letter >= 32);
    return value & 1 ? ~(value >> 1) : value >> 1;
  }
  while (at < text.length) {
    if (text.charCodeAt(at) === space) {
      points = [];
      lines.push(points);
      at += 1;
    }
    east += next();
    north += next();
    points.push([east / step, north / step]);
  }
  return lines;
}
