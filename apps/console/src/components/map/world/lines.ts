const space = ' '.charCodeAt(0);

/**
 * A line out of an encoded polyline: the way from each point to the next, east before north, in parts of a degree of
 * which `step` make a whole one. `scripts/world-map.mjs` writes them.
 */
export function decodeLine(text: string, step: number): [number, number][] {
  return decodeLines(text, step)[0]!;
}

/** Several of them with spaces in between; each begins as if it went on where the one before it ended. */
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
