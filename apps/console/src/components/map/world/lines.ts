/**
 * A line out of an encoded polyline: the way from each point to the next, east before north, in parts of a degree of
 * which `step` make a whole one. `scripts/world-map.mjs` writes them.
 */
export function decodeLine(text: string, step: number): [number, number][] {
  const points: [number, number][] = [];
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
    east += next();
    north += next();
    points.push([east / step, north / step]);
  }
  return points;
}
